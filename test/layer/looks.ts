import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type BigIntStats } from "node:fs";
import { join } from "node:path";

/** The entries of a folder, each as one text of facts. */
export type Look = Readonly<Record<string, string>>;

/** Two states of which programs and the kernel show no difference, not even in the numbers of the files. */
export function exactly(folder: string): Look {
  return entriesOf(folder, (stat, path) => {
    const { mode, uid, gid, ino, nlink, mtimeNs, ctimeNs } = stat;
    return `${mode} ${uid}:${gid} ${ino} ${nlink} ${mtimeNs} ${ctimeNs} ${contentOf(stat, path)}`;
  });
}

/** What a person had before an undone keep: all but the kernel's change times. Git keeps the objects that were added. */
export function asBefore(folder: string): Look {
  const found = entriesOf(folder, (stat, path) => {
    const { mode, uid, gid, ino, mtimeNs } = stat;
    return `${mode} ${uid}:${gid} ${ino} ${mtimeNs / 1_000n} ${contentOf(stat, path)}`;
  });
  return { ...withoutGit(found), ...gitState(folder) };
}

/** What a program can read: all but times and numbers of files, and of a repository what git says of it. */
export function asRead(folder: string): Look {
  const first = new Map<bigint, string>();
  const found = entriesOf(folder, (stat, path) => {
    const shared = first.get(stat.ino) ?? path;
    first.set(stat.ino, shared);
    const mode = stat.isSymbolicLink() ? "" : (stat.mode & 0o7777n).toString(8);
    return `${mode} ${shared.slice(folder.length)} ${contentOf(stat, path)}`;
  });
  return { ...withoutGit(found), ...gitState(folder) };
}

function withoutGit(found: Look): Look {
  return Object.fromEntries(Object.entries(found).filter(([path]) => !/(?:^|\/)\.git(?:\/|$)/.test(path)));
}

function entriesOf(folder: string, factsOf: (stat: BigIntStats, path: string) => string): Look {
  const found: Record<string, string> = {};
  const visit = (at: string) => {
    for (const name of readdirSync(join(folder, at)).toSorted()) {
      const path = join(at, name);
      if (path === ".toolmount") continue;
      const stat = lstatSync(join(folder, path), { bigint: true });
      found[path] = factsOf(stat, join(folder, path));
      if (stat.isDirectory()) visit(path);
    }
  };
  visit("");
  return found;
}

function contentOf(stat: BigIntStats, path: string): string {
  if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  if (stat.isFile()) return `file ${hash("sha256", readFileSync(path))}`;
  return stat.isDirectory() ? "folder" : "other";
}

const questions = [
  "fsck --strict --no-dangling --no-progress",
  "status --porcelain=v1 --untracked-files=all --ignored -- . :!.toolmount",
  "for-each-ref",
  "symbolic-ref HEAD",
  "ls-files --stage",
  "stash list",
  "config --local --list",
  "log --walk-reflogs --format=%gs -30",
  "worktree list",
] as const;

/** What git says of the repository of a folder. */
function gitState(folder: string): Look {
  return Object.fromEntries(
    questions.map((question) => {
      const options = { cwd: folder, env: { ...process.env, GIT_OPTIONAL_LOCKS: "0" }, maxBuffer: 1e9 };
      const { stdout, stderr } = spawnSync("git", question.split(" "), options);
      const all = `${stdout.toString()}${stderr.toString()}`.replace(/dangling .*\n/g, "");
      return [`git ${question}`, all];
    }),
  );
}

/** The paths in which two looks differ, with what each has there. */
export function differing(one: Look, other: Look): readonly string[] {
  const paths = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return paths
    .filter((path) => one[path] !== other[path])
    .map((path) => `${path}: ${one[path] ?? "nothing"} | ${other[path] ?? "nothing"}`);
}
