import { createFiles, type Files } from "@toolmount/paths";
import { config, rootRules, type ParsedSettings, type Settings } from "../config.ts";
import { createTurns, type Turns } from "./file-locks.ts";

/** What the tools need of a host; each can be left out. */
export interface Services {
  /** The plan's folder. Without it `working_dir` must be absolute. */
  readonly planFolder?: string | undefined;
  /** Paths that may not be written whatever the settings say, such as the plan itself; asked for each call. */
  readonly protectedPaths?: (() => readonly string[]) | undefined;
  /** Tells the host what was read or changed. */
  readonly announce?: ((event: string, data: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Finds the path behind `@bundle:path`, null when there is none; undefined when the host knows no mentions. */
  readonly resolveMention?: (() => MentionResolver | undefined) | undefined;
}

export type MentionResolver = (mention: string) => string | null | Promise<string | null>;

/** What the file tools of one mount share. */
export interface Workspace {
  readonly settings: ParsedSettings;
  readonly files: Files;
  /** One change of a file at a time. */
  readonly turns: Turns;
  readonly announce: NonNullable<Services["announce"]>;
  readonly resolveMention: NonNullable<Services["resolveMention"]>;
}

/** Opens the folders that the settings allow. Throws `CONFIG_INVALID` when no working folder can be told. */
export function openWorkspace(given: Settings, services: Services = {}): Workspace {
  const settings = config.parse(given);
  const rules = rootRules(settings, services.planFolder ?? null);
  const guarded = rememberLast((paths) =>
    createFiles({ ...rules, deniedWrite: [...(rules.deniedWrite ?? []), ...paths] }),
  );
  const protectedPaths = services.protectedPaths ?? (() => []);
  guarded(protectedPaths());
  return {
    settings,
    get files() {
      return guarded(protectedPaths());
    },
    turns: createTurns(),
    announce: services.announce ?? (() => {}),
    resolveMention: services.resolveMention ?? (() => undefined),
  };
}

/** Makes the guard anew only when other paths are protected: after a reload a plan may be of other files. */
function rememberLast(make: (paths: readonly string[]) => Files): (paths: readonly string[]) => Files {
  let last: { key: string; files: Files } | undefined;
  return (paths) => {
    const key = paths.join("\0");
    if (last?.key !== key) last = { key, files: make(paths) };
    return last.files;
  };
}
