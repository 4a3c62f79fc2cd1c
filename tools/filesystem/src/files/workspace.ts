import { areReallyIn, createFiles, type Files, type FilesOptions } from "@toolmount/paths";
import { config, rootRules, type ParsedSettings, type Settings } from "../config.ts";

/** Services of the host that the tools use; all are optional. */
export interface Services {
  /** The plan's folder. Without it `working_dir` must be absolute. */
  readonly planFolder?: string | undefined;
  /** Returns paths that must not be written whatever the settings say, such as the plan itself; asked for each call. */
  readonly protectedPaths?: (() => readonly string[]) | undefined;
  /** Returns paths that must not be read unless the settings name them, such as the host's state; asked for each call. */
  readonly secretPaths?: (() => readonly string[]) | undefined;
  /** Gives a written file its former owner and attributes. */
  readonly copyAttributes?: FilesOptions["copyAttributes"];
  /** The folder of the session's layer if the tools work in one. Their changes wait there until a person keeps them. */
  readonly layer?: string | undefined;
  /** Emits an event about a file that was read or changed. */
  readonly announce?: ((event: string, data: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Returns the resolver of `@bundle:path`, which returns null for an unknown one; undefined if the host has no mentions. */
  readonly resolveMention?: (() => MentionResolver | undefined) | undefined;
}

export type MentionResolver = (mention: string) => string | null | Promise<string | null>;

/** Settings and services that the file tools of one mount share. */
export interface Workspace {
  readonly settings: ParsedSettings;
  readonly files: Files;
  readonly workingDir: string;
  /** Whether all changes wait in a layer. */
  readonly isContained: boolean;
  /** Lets only one change of a file run at a time. */
  readonly turns: Turns;
  readonly announce: NonNullable<Services["announce"]>;
  readonly resolveMention: NonNullable<Services["resolveMention"]>;
}

/** Opens the folders that the settings allow. Throws `CONFIG_INVALID` if the working folder is not known. */
export function openWorkspace(given: Settings, services: Services = {}): Workspace {
  const settings = config.parse(given);
  const rules = rootRules(settings, services.planFolder ?? null);
  const { protectedPaths = () => [], secretPaths = () => [], copyAttributes } = services;
  const guarded = rememberLast((paths, secret) =>
    createFiles(
      { ...rules, deniedWrite: [...(rules.deniedWrite ?? []), ...paths], secret },
      { copyAttributes },
    ),
  );
  guarded(protectedPaths(), secretPaths());
  return {
    settings,
    workingDir: rules.workingDir,
    isContained: services.layer !== undefined && areReallyIn(services.layer, rules.write),
    get files() {
      return guarded(protectedPaths(), secretPaths());
    },
    turns: createTurns(),
    announce: services.announce ?? (() => {}),
    resolveMention: services.resolveMention ?? (() => undefined),
  };
}

type Guard = (protectedPaths: readonly string[], secretPaths: readonly string[]) => Files;

/** Opens the folders again when the paths change, because a plan may have other files after a reload. */
function rememberLast(make: Guard): Guard {
  let last: { key: string; files: Files } | undefined;
  return (...paths) => {
    const key = JSON.stringify(paths);
    if (last?.key !== key) last = { key, files: make(...paths) };
    return last.files;
  };
}

/** Runs work with the same key in order, and work with different keys at the same time. */
interface Turns {
  take<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
}

function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(key, work) {
      const before = last.get(key);
      const mine = (before ?? Promise.resolve()).then(work, work);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
  };
}
