import { isToolmountError } from "@toolmount/core/errors";
import type { OpenHostOptions } from "@toolmount/loader";
import {
  isRemote,
  readPlanSources,
  readRemote,
  tryEntries,
  type EditedSection,
  type NewEntry,
} from "@toolmount/loader/commands";
import { failed, type Fetching } from "./fetch-programs.ts";
import { askNpm } from "./find-outdated.ts";
import { installSources } from "./install-sources.ts";
import { removePackage } from "./package-store.ts";

interface FetchOptions extends OpenHostOptions {
  /** The plan's folder. */
  readonly cwd: string;
  readonly section: EditedSection;
}

/** The new entry as it is written into the plan. */
interface FetchedEntry {
  readonly entry: NewEntry;
  /** The fetched package as name and version; undefined if nothing was fetched. */
  readonly fetched: string | undefined;
  /** Removes the package that was fetched. Those that other commands fetched meanwhile stay. */
  readonly withdraw: () => Promise<void>;
}

/**
 * Splits a module that is written as a source into `module` and `source`: `npm:@acme/weather@^1/tools` is the module
 * `@acme/weather/tools`, and a repository gets the name of its last folder. Other entries are returned unchanged. So is one with
 * a refused source, because trying the entry reports the reason.
 */
export function readModule(entry: NewEntry): NewEntry {
  const { module, source } = entry;
  if (source !== undefined || !isRemote(module)) return entry;
  try {
    const { name, entry: path } = readRemote(module);
    return { ...entry, module: `${name}${path}`, source: module };
  } catch (error) {
    if (!isToolmountError(error) || error.code !== "SOURCE_REFUSED") throw error;
    return entry;
  }
}

/**
 * Fetches the package of a new entry as `toolmount install` does, unless it is installed. For an `npm:` source without a range,
 * and for a name with a scope, it takes the newest version in the project's registry, and writes a range from this version on
 * into the entry.
 *
 * Throws `INSTALL_FAILED`. A short name is not fetched, because two packages could have it.
 */
export async function fetchEntry(given: NewEntry, options: FetchOptions): Promise<FetchedEntry> {
  const untouched = { entry: given, fetched: undefined, withdraw: async () => {} };
  const written = given.source ?? (given.module.startsWith("@") ? `npm:${given.module}` : undefined);
  if (!isRemote(written)) return untouched;
  const { problems } = await tryEntries([given], { ...options, load: false });
  if (problems.length === 0 || problems.some(({ code }) => code !== "SOURCE_NOT_FOUND")) return untouched;
  const plan = { version: 1, [options.section]: [given] };
  const { store, folder, env } = await readPlanSources(plan, options);
  const source = await withRange(written, { store, plan: folder, env });
  const entry = { ...given, source };
  const added = { version: 1, [options.section]: [entry] };
  const { sources } = await readPlanSources(added, options);
  const withdraw = async () => {
    for (const { source: one } of sources)
      if (one.kind === "fetched") await removePackage(one, { store, plan: folder, env });
  };
  try {
    const report = await installSources(added, options);
    const [found] = report.sources;
    if (found === undefined)
      throw failed(`${source}: ${report.missing[0]?.problem ?? "nothing was fetched"}`);
    return {
      entry,
      fetched: `${found.name ?? entry.module} ${found.version ?? "without a version"}`,
      withdraw,
    };
  } catch (error) {
    await withdraw();
    throw error;
  }
}

async function withRange(written: string, fetching: Fetching): Promise<string> {
  const { name, entry, hasVersion } = readRemote(written);
  if (hasVersion) return written;
  const { latest } = await askNpm(name, undefined, fetching);
  if (latest === undefined) throw failed(`the registry has no version of ${name}`);
  return `npm:${name}@^${latest}${entry}`;
}
