import { createFiles, type Files } from "@toolmount/paths";
import { config, rootRules, type ParsedSettings, type Settings } from "./config.ts";
import { createEngineGuard, type EngineGuard } from "./ripgrep/engine-guard.ts";

/** Services of the host that the tools use; all are optional. */
export interface Services {
  /** The plan's folder. Without it `working_dir` must be absolute. */
  readonly planFolder?: string | undefined;
  /** Paths that must not be read unless the settings name them, such as the host's state; read for each call. */
  readonly secretPaths?: (() => readonly string[]) | undefined;
}

/** What the search tools of one mount share. */
export interface Searcher {
  readonly settings: ParsedSettings;
  readonly files: Files;
  /** Ends the engine when this process ends during a search. */
  readonly guard: EngineGuard;
}

/** Opens the folders that the settings allow. Throws `CONFIG_INVALID` when the working folder is not known. */
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

/** Creates the guard again when the paths change: after a reload, a plan may have other files. */
function rememberLast(make: (paths: readonly string[]) => Files): (paths: readonly string[]) => Files {
  let last: { key: string; files: Files } | undefined;
  return (paths) => {
    const key = JSON.stringify(paths);
    if (last?.key !== key) last = { key, files: make(paths) };
    return last.files;
  };
}
