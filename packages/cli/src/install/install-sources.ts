import { join } from "node:path";
import { messageOf } from "@toolmount/core/errors";
import type { OpenHostOptions, PlanInput } from "@toolmount/loader";
import { planError, readPackage, readPlanSources, type FetchedSource } from "@toolmount/loader/commands";
import { cloneInto, clonePackage, failed, readCommit, type Fetching } from "./fetch-programs.ts";
import { forget, othersOf, runNpm, whole, writePackage, type Wanted } from "./package-store.ts";

/** Options of an install, besides those of opening the plan. */
interface InstallOptions extends OpenHostOptions {
  /** Also fetches sources that are already there: the newest version of each range, the newest commit of each branch. */
  readonly update?: boolean | undefined;
}

/** A package, or the repository of a bundle, that a source of the plan names. */
interface InstalledSource {
  readonly source: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly folder: string;
  /** The checked-out commit of a repository; absent for a package of npm. */
  readonly commit?: string;
}

/** What is in the plan's folder of packages after an install. */
interface InstallReport {
  /** The path of `.toolmount/modules` in the plan's folder. */
  readonly folder: string;
  readonly sources: readonly InstalledSource[];
  /** Sources that could not be fetched, but that only optional entries use. */
  readonly missing: readonly MissingSource[];
}

/** A source that only optional entries use, and why it is not installed. */
interface MissingSource {
  readonly source: string;
  readonly problem: string;
}

/**
 * Fetches the packages of the plan's `npm:name@range` and `git+…` sources into a folder in the plan's folder. It runs npm and git
 * with the settings of the nearest `.npmrc`. No install script runs, and no package is imported. Packages that are already in the
 * folder are not fetched again, and those of other plans stay.
 *
 * If a source of an optional entry fails, the others are still installed. Throws `PLAN_NOT_FOUND`, `PLAN_INVALID`, and
 * `INSTALL_FAILED` with the output of npm or git.
 */
export async function installSources(
  input?: PlanInput,
  options: InstallOptions = {},
): Promise<InstallReport> {
  const bundles = await fetchBundles(input, options);
  const { folder: plan, store, env, sources: named, problems } = await readPlanSources(input, options);
  // Fetched files may differ from the lock. An install allows this, because mounting refuses them until a person accepts the
  // change.
  const wrong = problems.filter(({ code }) => code !== "VARIABLE_MISSING" && code !== "LOCK_DRIFT");
  if (wrong.length > 0) throw planError(wrong);
  const sources = new Map<string, Wanted>();
  for (const { source, required } of named)
    if (source.kind === "fetched")
      sources.set(source.alias, {
        ...source,
        required: required || sources.get(source.alias)?.required === true,
      });
  const wanted = [...sources.values()];
  const isUpdate = options.update === true;
  const fetching = { store, plan, env };
  const missing = wanted.length === 0 ? [] : await whole(store, () => fetchAll(wanted, fetching, isUpdate));
  const there = wanted.filter(({ written }) => missing.every(({ source }) => source !== written));
  return {
    folder: store,
    sources: [...bundles, ...(await Promise.all(there.map((source) => describe(source, store))))],
    missing,
  };
}

/** Fetches the repositories of bundles. A bundle can include others, so it repeats until none is missing. */
async function fetchBundles(
  input: PlanInput | undefined,
  options: InstallOptions,
): Promise<readonly InstalledSource[]> {
  const done = new Map<string, InstalledSource>();
  for (;;) {
    const { folder: plan, store, env, included } = await readPlanSources(input, options);
    const wanted = included.filter(({ source }) => !done.has(source.alias));
    if (wanted.length === 0) return [...done.values()];
    await whole(store, async () => {
      for (const { source, isThere: isFetched } of wanted) {
        const clone = join(store, "bundles", source.alias);
        if (source.from.kind === "git" && (!isFetched || options.update === true))
          await cloneInto(clone, source.from, { store, plan, env });
        done.set(source.alias, await describeClone(source, clone));
      }
    });
  }
}

async function describeClone(
  { written: source, alias }: FetchedSource,
  folder: string,
): Promise<InstalledSource> {
  const commit = await readCommit(folder);
  return { source, name: alias, version: undefined, folder, ...(commit !== undefined && { commit }) };
}

async function fetchAll(
  wanted: readonly Wanted[],
  fetching: Fetching,
  isUpdate: boolean,
): Promise<MissingSource[]> {
  const { store } = fetching;
  const others = await othersOf(wanted, store);
  if (isUpdate) await forget(wanted, others, store);
  const missing: Wanted[] = [];
  for (const source of wanted) if (!(await isThere(source, store))) missing.push(source);
  if (missing.length === 0) return [];
  const failures = await cloneAll(missing, fetching);
  const left = wanted.filter(({ written }) => failures.every(({ source }) => source !== written));
  await writePackage(left, others, store);
  await runNpm(fetching);
  for (const source of left) {
    if (await isThere(source, store)) continue;
    if (source.required) throw failed(`npm reported success, but did not install ${source.written}`);
    failures.push({ source: source.written, problem: "npm could not fetch it" });
  }
  return failures;
}

/** Checks out repositories. Returns the failures of optional sources; throws for a required one. */
async function cloneAll(wanted: readonly Wanted[], fetching: Fetching): Promise<MissingSource[]> {
  const failures: MissingSource[] = [];
  for (const source of wanted)
    if (source.from.kind === "git")
      await clonePackage(source, source.from, fetching).catch((error: unknown) => {
        if (source.required) throw error;
        failures.push({ source: source.written, problem: messageOf(error) });
      });
  return failures;
}

async function isThere({ alias }: FetchedSource, store: string): Promise<boolean> {
  return (await readPackage(join(store, "node_modules", alias))) !== undefined;
}

async function describe({ written, alias, from }: FetchedSource, store: string): Promise<InstalledSource> {
  const folder = join(store, "node_modules", alias);
  const facts = await readPackage(folder);
  const commit = from.kind === "git" ? await readCommit(join(store, "git", alias)) : undefined;
  return {
    source: written,
    name: facts?.name,
    version: facts?.version,
    folder,
    ...(commit !== undefined && { commit }),
  };
}
