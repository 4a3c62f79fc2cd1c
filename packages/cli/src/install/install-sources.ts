import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import { messageOf } from "@toolmount/core/errors";
import type { OpenHostOptions, PlanInput } from "@toolmount/loader";
import {
  findPackage,
  planError,
  readPackage,
  readPlanSources,
  type FetchedSource,
} from "@toolmount/loader/commands";
import { cloneInto, clonePackage, failed, readCommit, run, type Fetching } from "./fetch-programs.ts";
import { findNpmrc, withNpmrc } from "./project-npmrc.ts";

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
  const missing = wanted.length === 0 ? [] : await fetchAll(wanted, { store, plan, env }, isUpdate);
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
    makeFolder(store);
    for (const { source, isThere: isFetched } of wanted) {
      const clone = join(store, "bundles", source.alias);
      if (source.from.kind === "git" && (!isFetched || options.update === true))
        await cloneInto(clone, source.from, { store, plan, env });
      done.set(source.alias, await describeClone(source, clone));
    }
  }
}

async function describeClone(
  { written: source, alias }: FetchedSource,
  folder: string,
): Promise<InstalledSource> {
  const commit = await readCommit(folder);
  return { source, name: alias, version: undefined, folder, ...(commit !== undefined && { commit }) };
}

/** A source, and whether the plan needs it to open. */
type Wanted = FetchedSource & { readonly required: boolean };

async function fetchAll(
  wanted: readonly Wanted[],
  fetching: Fetching,
  isUpdate: boolean,
): Promise<MissingSource[]> {
  const { store } = fetching;
  makeFolder(store);
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

/** The packages in the folder that only other plans or overlays use, by alias. */
type Others = Readonly<Record<string, string>>;

async function othersOf(wanted: readonly Wanted[], store: string): Promise<Others> {
  const text = await readFile(join(store, "package.json"), "utf8").catch(() => "{}");
  const { dependencies, optionalDependencies } = JSON.parse(text) as Readonly<Record<string, Others>>;
  const mine = new Set(wanted.map(({ alias }) => alias));
  return Object.fromEntries(
    Object.entries({ ...dependencies, ...optionalDependencies }).filter(([alias]) => !mine.has(alias)),
  );
}

/** Removes the installed packages so that an update fetches them again, except those that other plans use. */
async function forget(wanted: readonly Wanted[], others: Others, store: string): Promise<void> {
  const isAlone = Object.keys(others).length === 0;
  const own = wanted.flatMap(({ alias }) => [join("node_modules", alias), join("git", alias)]);
  await Promise.all(
    [
      "package-lock.json",
      "node_modules/.package-lock.json",
      ...(isAlone ? ["node_modules", "git"] : own),
    ].map((name) => rm(join(store, name), { recursive: true, force: true })),
  );
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

/**
 * Writes the package.json of the folder. Each source has its own alias, so that two versions of one package can be installed.
 * Optional sources are optional dependencies, which npm skips if it cannot fetch them.
 */
async function writePackage(sources: readonly Wanted[], others: Others, store: string): Promise<void> {
  const dependenciesOf = (required: boolean): object =>
    Object.fromEntries(
      sources
        .filter((source) => source.required === required)
        .map(({ alias, from }) => [
          alias,
          from.kind === "npm"
            ? `npm:${from.name}@${from.range}`
            : `file:./${["git", alias, from.subdirectory].filter(Boolean).join("/")}`,
        ]),
    );
  const json = {
    name: "toolmount-modules",
    private: true,
    dependencies: dependenciesOf(true),
    // If a package of another plan can no longer be fetched, this install must not fail, so it is optional here.
    optionalDependencies: { ...others, ...dependenciesOf(false) },
  };
  await writeFile(join(store, "package.json"), `${JSON.stringify(json, null, 2)}\n`);
}

/**
 * Installs the packages in the folder's package.json, and removes all others. If the plan's own packages include core, peers are
 * not installed, so that a tool and its host share that core.
 */
export async function runNpm(fetching: Fetching): Promise<void> {
  const hasCore = (await findPackage("@toolmount/core", fetching.plan)) !== undefined;
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const words = ["install", "--ignore-scripts", "--install-links", "--omit=dev", ...quiet];
  // By default npm waits for a minute before it reports an unreachable registry.
  words.push("--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000");
  if (hasCore) words.push("--omit=peer", "--legacy-peer-deps");
  await withNpmrc(await findNpmrc(fetching.plan), fetching.store, () =>
    run("npm", words, fetching.store, fetching),
  );
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
