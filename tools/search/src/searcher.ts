import { createFiles, type Files } from "@toolmount/paths";
import { config, rootRules, type ParsedSettings, type Settings } from "./config.ts";
import { createEngineGuard, type EngineGuard } from "./ripgrep/engine-guard.ts";

/** Services of the host that the tools use; all are optional. */
export interface Services {
  /** The plan's folder. Without it `working_dir` must be absolute. */
  readonly planFolder?: string | undefined;
  /** Returns paths that must not be read unless the settings name them, such as the host's state; asked for each call. */
  readonly secretPaths?: (() => readonly string[]) | undefined;
}

/** Settings and services that the search tools of one mount share. */
export interface Searcher {
  readonly settings: ParsedSettings;
  readonly files: Files;
  /** Ends the engine if this process dies during a search. */
  readonly guard: EngineGuard;
}

/** Opens the folders that the settings allow. Throws `CONFIG_INVALID` if the working folder is not known. */
export function openSearcher(
  given: Settings,
  { planFolder, secretPaths = () => [] }: Services = {},
): Searcher {
  const settings = config.parse(given);
  const rules = rootRules(settings, planFolder ?? null);
  const guarded = rememberLast((secret) => createFiles({ ...rules, secret }));
  guarded(secretPaths());
  return {
    settings,
    get files() {
      return guarded(secretPaths());
    },
    guard: createEngineGuard(),
  };
}

/** Opens the folders again when the paths change, because a plan may have other files after a reload. */
function rememberLast(make: (paths: readonly string[]) => Files): (paths: readonly string[]) => Files {
  let last: { key: string; files: Files } | undefined;
  return (paths) => {
    const key = JSON.stringify(paths);
    if (last?.key !== key) last = { key, files: make(paths) };
    return last.files;
  };
}
