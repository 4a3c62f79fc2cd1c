import { createFiles, type Files } from "@toolmount/paths";
import { config, rootRules, type ParsedSettings, type Settings } from "./config.ts";

/** Services of the host that the tools use; all are optional. */
export interface Services {
  /** The plan's folder. Without it `working_dir` must be absolute. */
  readonly planFolder?: string | undefined;
}

/** What the search tools of one mount share. */
export interface Searcher {
  readonly settings: ParsedSettings;
  readonly files: Files;
}

/** Opens the folders that the settings allow. Throws `CONFIG_INVALID` when the working folder is not known. */
export function openSearcher(given: Settings, { planFolder }: Services = {}): Searcher {
  const settings = config.parse(given);
  return { settings, files: createFiles(rootRules(settings, planFolder ?? null)) };
}
