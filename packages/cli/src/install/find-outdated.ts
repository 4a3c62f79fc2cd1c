import { dirname, join } from "node:path";
import { messageOf } from "@toolmount/core/errors";
import type { OpenHostOptions, PlanInput } from "@toolmount/loader";
import { readPackage, readPlanSources, type FetchedSource } from "@toolmount/loader/commands";
import { isRecord } from "@toolmount/core/json";
import { readCommit, run, type Fetching } from "./fetch-programs.ts";
import { findNpmrc } from "./project-npmrc.ts";

/** A package or a repository of a plan, with its installed and its newest version. */
export interface PackageAge {
  /** Ids of the plan's entries that use this package or repository. */
  readonly entries: readonly string[];
  /** The name of a package, or the address of a repository. */
  readonly name: string;
  /** A version, or a commit; undefined for a source that is not installed. */
  readonly installed: string | undefined;
  /** The newest version that the plan's range allows; `toolmount install --update` fetches it. */
  readonly wanted: string | undefined;
  readonly latest: string | undefined;
  /** Why the newest version is unknown. */
  readonly problem?: string;
}

/**
 * Asks npm's registry and git for the newest versions of the plan's packages and repositories. Installs and imports none of them.
 * Throws `PLAN_NOT_FOUND` and `PLAN_INVALID`.
 */
export async function findOutdated(input?: PlanInput, options: OpenHostOptions = {}): Promise<PackageAge[]> {
  const { folder, store, env, sources } = await readPlanSources(input, options);
  const fetching = { store, plan: folder, env };
  const ages = new Map<string, PackageAge>();
  for (const { id, source, find } of sources) {
    const known = ages.get(source.written);
    if (known !== undefined) ages.set(source.written, { ...known, entries: [...known.entries, id] });
    else if (source.kind === "fetched") ages.set(source.written, await ageOfFetched(id, source, fetching));
    else {
      // A package that is not installed has no version here; `toolmount check` reports it.
      const found = await find().catch(() => undefined);
      const name = found?.name ?? source.names[0]!;
      const installed = found?.version;
      const newest = () => askNpm(name, undefined, fetching);
      ages.set(source.written, await ageOf({ entries: [id], name, installed }, newest));
    }
  }
  return [...ages.values()];
}

async function ageOfFetched(
  id: string,
  { alias, from }: FetchedSource,
  fetching: Fetching,
): Promise<PackageAge> {
  if (from.kind === "git") {
    const installed = await readCommit(join(fetching.store, "git", alias));
    const facts = { entries: [id], name: from.url, installed };
    return ageOf(facts, () => askGit(from.url, from.ref, fetching));
  }
  const installed = (await readPackage(join(fetching.store, "node_modules", alias)))?.version;
  const facts = { entries: [id], name: from.name, installed };
  return ageOf(facts, () => askNpm(from.name, from.range, fetching));
}

type Newest = Pick<PackageAge, "wanted" | "latest">;

/**
 * Adds the newest versions to a package's facts. If asking fails, adds the problem, so that the other packages are still shown.
 */
async function ageOf(
  facts: Pick<PackageAge, "entries" | "name" | "installed">,
  ask: () => Promise<Newest>,
): Promise<PackageAge> {
  try {
    return { ...facts, ...(await ask()) };
  } catch (error) {
    return { ...facts, wanted: undefined, latest: undefined, problem: messageOf(error) };
  }
}

/** Returns those packages and repositories that have a newer version than the installed one. */
export async function filterOutdated(ages: readonly PackageAge[]): Promise<PackageAge[]> {
  const { default: semver } = await import("semver");
  return ages.filter(({ installed, latest }) => {
    if (latest === undefined || installed === undefined) return false;
    const areVersions = semver.valid(latest) !== null && semver.valid(installed) !== null;
    return areVersions ? semver.gt(latest, installed) : latest !== installed;
  });
}

/**
 * Asks the registry of the project for the newest version of a package, and for the newest one in `range`; without a range, both
 * are the same.
 */
export async function askNpm(name: string, range: string | undefined, fetching: Fetching): Promise<Newest> {
  const words = ["view", name, "versions", "dist-tags", "--json", "--loglevel=error"];
  const npmrc = await findNpmrc(fetching.plan);
  const prefix = npmrc === undefined ? [] : [`--prefix=${dirname(npmrc)}`];
  const answer = JSON.parse(await run("npm", [...words, ...prefix], fetching.plan, fetching)) as unknown;
  const { versions, "dist-tags": tags } = isRecord(answer) ? answer : {};
  const all = [versions].flat().filter((version) => typeof version === "string");
  const { default: semver } = await import("semver");
  const latest = isRecord(tags) && typeof tags["latest"] === "string" ? tags["latest"] : all.at(-1);
  return { wanted: range === undefined ? latest : (semver.maxSatisfying(all, range) ?? undefined), latest };
}

/** Returns the newest commit of a branch or a tag, or of the default branch. A source that names a commit has no newer one. */
async function askGit(url: string, ref: string | undefined, fetching: Fetching): Promise<Newest> {
  if (ref !== undefined && /^[0-9a-f]{40,64}$/.test(ref)) return { wanted: ref, latest: ref };
  const out = await run("git", ["ls-remote", "--", url, ref ?? "HEAD"], fetching.plan, fetching);
  const commits = out.split("\n").map((line) => line.split("\t"));
  // For an annotated tag, the line that ends with `^{}` has its commit; the other line has the tag itself.
  const latest = (commits.find(([, name]) => name?.endsWith("^{}")) ?? commits[0])?.[0] || undefined;
  return { wanted: latest, latest };
}
