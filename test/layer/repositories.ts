import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Folders of git elsewhere, to play sessions in more repositories: paths, with a colon between two. */
const more = (process.env["TOOLMOUNT_REPOSITORIES"] ?? "").split(":").filter((path) => path !== "");

/** Packages as they were published, with their whole contents. */
const packages = ["zod", "yaml", "ajv", "fast-check", "pino"];

/** What makes a repository in an empty folder. */
export type MakeRepository = (folder: string) => void;

/** Real repositories, by name: this one with its history, parts of it, published packages, and others where they are given. */
export const repositories: Readonly<Record<string, MakeRepository>> = {
  toolmount: (folder) => void git(root, ["clone", "-q", "--no-hardlinks", root, folder]),
  core: committed(join(root, "packages/core")),
  bash: committed(join(root, "tools/bash")),
  ...Object.fromEntries(
    packages.map((name) => [name, committed(realpathSync(join(root, "test/node_modules", name)))]),
  ),
  ...Object.fromEntries(
    more.map((path) => [
      path,
      (folder: string) => void git(root, ["clone", "-q", "--no-hardlinks", path, folder]),
    ]),
  ),
};

/** Makes a repository of a folder, in two commits. Installed and built folders are not in it. */
function committed(from: string): MakeRepository {
  return (folder) => {
    const skipped = new Set(["node_modules", "dist", ".turbo"]);
    const isOurs = from.startsWith(join(root, "packages")) || from.startsWith(join(root, "tools"));
    const filter = (path: string) =>
      (!(isOurs && skipped.has(basename(path))) && basename(path) !== "node_modules") || path === from;
    cpSync(from, folder, { recursive: true, verbatimSymlinks: true, filter });
    git(folder, ["init", "-q", "-b", "main"]);
    const readme = readFileSync(join(folder, "package.json"), "utf8");
    writeFileSync(join(folder, "package.json"), `${readme.trimEnd()}\n\n`);
    commitAll(folder, "first");
    writeFileSync(join(folder, "package.json"), readme);
    commitAll(folder, "second");
  };
}

function commitAll(folder: string, message: string): void {
  git(folder, ["add", "-A", "-f"]);
  git(folder, ["commit", "-q", "-m", message]);
}

/** Whose commits they are, and when: the same commits have the same names. */
export const committer = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  GIT_CONFIG_NOSYSTEM: "1",
};

function git(cwd: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync("git", args, { cwd, env: { ...process.env, ...committer } });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
}

/** A copy of a repository, with a plan in it. */
export function repositoryOf(make: MakeRepository, plan: string): { folder: string; remove: () => void } {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-session-")));
  const folder = join(parent, "project");
  mkdirSync(folder);
  make(folder);
  writeFileSync(join(folder, "mount-plan.yaml"), plan);
  commitAll(folder, "plan");
  writeFileSync(join(folder, ".git/info/exclude"), ".toolmount\n");
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) };
}
