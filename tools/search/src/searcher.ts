import { createFiles, type Files } from "@toolmount/paths";
import { config, rootRules, type ParsedSettings, type Settings } from "./config.ts";

/** What the tools need of a host; each can be left out. */
export interface Services {
  /** The plan's folder. Without it `working_dir` must be absolute. */
  readonly planFolder?: string | undefined;
}

/** What the search tools of one mount share. */
export interface Searcher {
  readonly settings: ParsedSettings;
  readonly files: Files;
}

/** Opens the folders that the settings allow. Throws `CONFIG_INVALID` when no working folder can be told. */
export function openSearcher(given: Settings, { planFolder }: Services = {}): Searcher {
  const settings = config.parse(given);
  return { settings, files: createFiles(rootRules(settings, planFolder ?? null)) };
}
