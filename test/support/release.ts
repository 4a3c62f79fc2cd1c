import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { exec } from "./exec.ts";

const root = join(import.meta.dirname, "../..");

/** Takes what undoes something, and runs it later: `onTestFinished`, or `afterAll`. */
export type OnDone = (undo: () => Promise<void>) => void;

/** A package as it was published. */
export interface Published {
  readonly name: string;
  readonly version: string;
}

/** A release that a registry has. */
export interface Release {
  readonly packages: readonly Published[];
  /** Releases once more, after a change of the named packages, or of every one. Default: a patch. */
  again(names?: readonly string[], bump?: "patch" | "minor" | "major"): Promise<Release>;
}

/**
 * Does what a release does, in a copy of this repository: builds, bumps versions by what the changesets say, and
 * publishes every public package to a registry.
 */
export async function release(registry: string, onDone: OnDone): Promise<Release> {
  const folders = await publicPackages();
  await exec("tsc", ["-b", ...folders], { cwd: root });
  const copy = await mkdtemp(join(tmpdir(), "toolmount-release-"));
  onDone(() => rm(copy, { recursive: true, force: true }));
  for (const file of ["package.json", "pnpm-workspace.yaml", ".changeset"])
    await cp(join(root, file), join(copy, file), { recursive: true });
  for (const folder of folders)
    await cp(join(root, folder), join(copy, folder), { recursive: true, filter: isReleased });
  await linkPackages(copy, folders);
  await withoutHistory(copy);
  await writeNpmrc(copy, registry);
  return publish(copy, folders, registry);
}

async function publish(copy: string, folders: readonly string[], registry: string): Promise<Release> {
  const env = npmEnvironment(registry, copy);
  await exec("changeset", ["version"], { cwd: copy, env });
  await exec("changeset", ["publish", "--no-git-tag"], { cwd: copy, env });
  const packages = await Promise.all(folders.map((folder) => readManifest(join(copy, folder))));
  const again: Release["again"] = async (names = packages.map(({ name }) => name), bump = "patch") => {
    const bumps = names.map((name) => `"${name}": ${bump}`).join("\n");
    await writeFile(join(copy, ".changeset/again.md"), `---\n${bumps}\n---\n\nA fix.\n`);
    return publish(copy, folders, registry);
  };
  return { packages, again };
}

/** Folders of all packages that are published, from the root. */
async function publicPackages(): Promise<string[]> {
  const folders: string[] = [];
  for (const group of ["packages", "tools"])
    for (const name of await readdir(join(root, group))) {
      const manifest = await readManifest(join(root, group, name)).catch(() => null);
      if (manifest !== null && manifest.private !== true) folders.push(`${group}/${name}`);
    }
  return folders;
}

async function readManifest(folder: string): Promise<
  Published & {
    private?: boolean;
    dependencies?: object;
    peerDependencies?: object;
    devDependencies?: object;
  }
> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as never;
}

/** A template's folder `test` is part of its package. */
function isReleased(path: string): boolean {
  return !/\/node_modules$|^\/[^/]+\/[^/]+\/test$/.test(path.slice(root.length));
}

/** pnpm reads the versions of a workspace's own packages where they are linked. */
async function linkPackages(copy: string, folders: readonly string[]): Promise<void> {
  const byName = new Map<string, string>();
  for (const folder of folders) byName.set((await readManifest(join(copy, folder))).name, join(copy, folder));
  for (const folder of folders) {
    const { dependencies, peerDependencies, devDependencies } = await readManifest(join(copy, folder));
    for (const name of Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies })) {
      const target = byName.get(name);
      if (target === undefined) continue;
      const link = join(copy, folder, "node_modules", name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(target, link);
    }
  }
}

/** A copy has no commits for a changelog to name. */
async function withoutHistory(copy: string): Promise<void> {
  const file = join(copy, ".changeset/config.json");
  const config = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...config, changelog: false }));
  await exec("git", ["init", "--quiet"], { cwd: copy });
}

/**
 * An environment in which npm knows one registry, and nothing of this machine's user. Homes beside one another share a
 * cache where they name the same one: what others published is fetched once.
 */
export function npmEnvironment(
  registry: string,
  home: string,
  cache = join(home, ".npm-cache"),
): Record<string, string> {
  return {
    HOME: home,
    npm_config_registry: registry,
    npm_config_userconfig: join(home, ".npmrc"),
    npm_config_cache: cache,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
}

/** npm publishes only to registries that it has a token for; this one takes any. */
export function writeNpmrc(home: string, registry: string): Promise<void> {
  const { host } = new URL(registry);
  return writeFile(join(home, ".npmrc"), `registry=${registry}\n//${host}/:_authToken=anybody\n`);
}
