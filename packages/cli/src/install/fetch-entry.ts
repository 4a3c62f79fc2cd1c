import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
import { installSources, runNpm } from "./install-sources.ts";

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
  /** Restores the folder of packages to the state before the fetch. */
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
  const before = await readFile(join(store, "package.json"), "utf8").catch(() => undefined);
  const withdraw = () => restore(before, { store, plan: folder, env });
  try {
    const report = await installSources({ version: 1, [options.section]: [entry] }, options);
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

/**
 * Restores the folder of packages: its `package.json` as it was `before`, without newer clones. Undefined means that it did not
 * exist.
 */
async function restore(before: string | undefined, fetching: Fetching): Promise<void> {
  if (before === undefined) return rm(fetching.store, { recursive: true, force: true });
  const clones = join(fetching.store, "git");
  for (const alias of await readdir(clones).catch(() => []))
    if (!before.includes(`file:./git/${alias}`))
      await rm(join(clones, alias), { recursive: true, force: true });
  await writeFile(join(fetching.store, "package.json"), before);
  await runNpm(fetching);
}
