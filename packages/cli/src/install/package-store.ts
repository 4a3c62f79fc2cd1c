import { readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, rewriteText, withLock } from "@toolmount/paths";
import { findPackage, type FetchedSource } from "@toolmount/loader/commands";
import { run, type Fetching } from "./fetch-programs.ts";
import { findNpmrc, withNpmrc } from "./project-npmrc.ts";

/** A source, and whether the plan needs it to open. */
export type Wanted = FetchedSource & { readonly required: boolean };

/** Changes the folder of packages while no other command does, because npm expects to be alone there. */
export async function whole<Result>(store: string, act: () => Promise<Result>): Promise<Result> {
  makeFolder(store);
  return withLock(`${store}.lock`, act);
}

/** The packages in the folder that only other plans or overlays use, by alias. */
type Others = Readonly<Record<string, string>>;

interface Manifest {
  readonly dependencies?: Others;
  readonly optionalDependencies?: Others;
}

export async function othersOf(wanted: readonly FetchedSource[], store: string): Promise<Others> {
  const { dependencies, optionalDependencies } = await readManifest(store);
  const mine = new Set(wanted.map(({ alias }) => alias));
  return Object.fromEntries(
    Object.entries({ ...dependencies, ...optionalDependencies }).filter(([alias]) => !mine.has(alias)),
  );
}

/** Reads the dependencies in the folder's package.json. One that cannot be read has none: it is written again. */
async function readManifest(store: string): Promise<Manifest> {
  const text = await readFile(join(store, "package.json"), "utf8").catch(() => "{}");
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? read : {};
  } catch {
    return {};
  }
}

/** Removes the installed packages so that an update fetches them again, except those that other plans use. */
export async function forget(wanted: readonly FetchedSource[], others: Others, store: string): Promise<void> {
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

/**
 * Writes the package.json of the folder. Each source has its own alias, so that two versions of one package can be installed.
 * Optional sources are optional dependencies, which npm skips if it cannot fetch them.
 */
export async function writePackage(sources: readonly Wanted[], others: Others, store: string): Promise<void> {
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
  await rewriteText(join(store, "package.json"), () => `${JSON.stringify(json, null, 2)}\n`);
}

/** Removes a package that was fetched, with everything that only it needs. Those of others stay. */
export function removePackage(source: FetchedSource, fetching: Fetching): Promise<void> {
  const { store } = fetching;
  return whole(store, async () => {
    await rm(join(store, "git", source.alias), { recursive: true, force: true });
    const others = await othersOf([source], store);
    if (Object.keys(others).length > 0) {
      await writePackage([], others, store);
      return runNpm(fetching);
    }
    await forget([source], others, store);
    await rm(join(store, "package.json"), { force: true });
    await rmdir(store).catch(() => {}); // it may have bundles
  });
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
