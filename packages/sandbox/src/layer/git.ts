import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { findProgram } from "../system/bubblewrap.ts";
import { pathOfText } from "../system/file-names.ts";
import type { Listing } from "./folder-facts.ts";

/** The roles of files in a git folder, which is `.git` or that of a submodule in it, as a layer treats them. */
type GitPart =
  /** Files that are only added and never changed, so the same name always has the same content. */
  | "object"
  /** Files that name a commit. Only their content counts. */
  | "ref"
  /** The file with what is staged. Every `git status` writes it, so only what it stages counts. */
  | "index"
  /** Files that git writes for information at any command. */
  | "note"
  /** Files of a git command that runs now. */
  | "lock"
  /** Files by which git decides what it reads and runs: settings, hooks, and everything that is not known here. */
  | "setting";

const refs = /^(?:HEAD|packed-refs|refs\/.+)$/;
const notes =
  /^(?:logs\/.+|ORIG_HEAD|FETCH_HEAD|COMMIT_EDITMSG|MERGE_MSG|SQUASH_MSG|MERGE_HEAD|MERGE_MODE|AUTO_MERGE|CHERRY_PICK_HEAD|REVERT_HEAD|gc\.(?:log|pid)|rebase-(?:merge|apply)\/.+|description|hooks\/[\w-]+\.sample)$/;
const objects = /^objects\/(?:[\da-f]{2}\/[\da-f]+|pack\/.+|info\/(?:packs|commit-graph|commit-graphs\/.+))$/;
const folders =
  /^(?:objects(?:\/(?:[\da-f]{2}|pack|info|info\/commit-graphs))?|refs(?:\/.+)?|logs(?:\/.+)?|rebase-(?:merge|apply)|branches|hooks|info)?$/;

/** Returns the role of an entry in a git folder; undefined for entries that are in no such folder. */
export function gitPartOf(path: string, isFolder = false): GitPart | undefined {
  const within = splitGit(path)?.[1];
  if (within === undefined) return undefined;
  if (isFolder) return folders.test(within) ? (within.startsWith("objects") ? "object" : "note") : "setting";
  if (within.endsWith(".lock")) return "lock";
  if (objects.test(within)) return "object";
  if (refs.test(within)) return "ref";
  if (within === "index") return "index";
  return notes.test(within) ? "note" : "setting";
}

/** Names at the top of a git folder. A submodule may have any name, also one of these. */
const entries =
  /^(?:HEAD|index|packed-refs|objects|refs|logs|modules|[A-Z]+_(?:HEAD|MSG|MODE|EDITMSG)|AUTO_MERGE|rebase-(?:merge|apply)|gc\.(?:log|pid)|description|hooks)(?:\.lock)?$/;

/**
 * Names of settings in any folder within a git folder. Below a submodule named like an entry, such files would look like
 * branches or notes.
 */
const obeyed =
  /^(?:config(?:\.worktree)?|hooks|info|commondir|gitdir|alternates|attributes|modules|worktrees)$/;

/**
 * Splits a path into its git folder, which is `.git` or that of a submodule in `.git/modules`, and the rest. Undefined for a
 * path that is in no such folder.
 */
function splitGit(path: string): readonly [own: string, inside: string] | undefined {
  const names = path.split("/");
  const top = names.indexOf(".git") + 1;
  if (top === 0) return undefined;
  let from = top;
  while (names[from] === "modules") {
    const at = names.findIndex((name, index) => index > from + 1 && entries.test(name));
    if (at === -1) break;
    from = at;
  }
  const isKnown = from === top || !names.slice(from + 1).some((name) => obeyed.test(name));
  const split = isKnown ? from : top;
  return [names.slice(0, split).join("/"), names.slice(split).join("/")];
}

/** Returns the repository of a path in a git folder: the working folder or, for a submodule, the git folder itself. */
export function repositoryOf(path: string): string {
  const own = ownFolderOf(path);
  return own === ".git" ? "" : own.replace(/\/\.git$/, "");
}

/** Returns the git folder that a path is in; empty if it is in none. */
export function ownFolderOf(path: string): string {
  return splitGit(path)?.[0] ?? "";
}

/** Whether a repository is named by its git folder instead of its working folder, as submodules are. */
function isSubmodule(repository: string): boolean {
  return /(?:^|\/)\.git\/modules\//.test(repository);
}

function filesIn(listing: Listing, part: GitPart): readonly string[] {
  const files = [...listing].flatMap(([at, names]) =>
    names.map((name) => (at === "" ? name : `${at}/${name}`)),
  );
  return files.filter((path) => !listing.has(path) && gitPartOf(path) === part);
}

/** Returns the index files of a listing, one for each repository. */
export function indexesIn(listing: Listing): readonly string[] {
  return filesIn(listing, "index");
}

/** Returns the contents of all files in a listing that name commits. */
export function refsIn(folder: string, listing: Listing): ReadonlyMap<string, string> {
  return new Map(filesIn(listing, "ref").map((path) => [path, contentOf(join(folder, path))] as const));
}

/**
 * Returns the text with which a branch or a tag names its commit: that of its own file or, if git has moved the name there, the line
 * of `packed-refs`. Empty if it names none. For other files, it is their text.
 */
export function commitNamed(path: string, textOf: (path: string) => string): string {
  const own = textOf(path);
  const [folder = "", name = ""] = splitGit(path) ?? [];
  if (own !== "" || !name.startsWith("refs/")) return own;
  const packed = textOf(join(folder, "packed-refs"));
  // The file may name thousands of branches, so it is not split into lines.
  const end = packed.indexOf(` ${name}\n`);
  return end === -1 ? "" : `${packed.slice(packed.lastIndexOf("\n", end) + 1, end)}\n`;
}

/** Returns the text of a file that names a commit; empty if it cannot be read. */
export function contentOf(file: string): string {
  try {
    return readFileSync(pathOfText(file), "utf8");
  } catch {
    return "";
  }
}

/** Runs git in a person's repositories, without the programs that their settings would start. */
export interface Git {
  /** Returns a digest of what an index stages; undefined if git cannot read it. */
  staged(repository: string, index: string): Promise<string | undefined>;
  /**
   * Lets git store the present times and sizes of the files in the index, so that it compares them faster. What is staged
   * stays.
   */
  refresh(repository: string): Promise<void>;
  /** Returns the staged or committed text of a file; undefined if the repository has no text of it or one that is too long. */
  committed(folder: string, path: string): Promise<string | undefined>;
  /** Returns those of the given folders that the repository around `folder` ignores. */
  ignored(folder: string, paths: readonly string[]): Promise<readonly string[]>;
  /** Waits for a git command that is writing the index. Returns false if it has not ended after some seconds. */
  isFree(repository: string): Promise<boolean>;
}

const run = promisify(execFile);
const quiet = [
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.untrackedCache=false",
];

/** Longest text that is shown, in characters. */
const mostText = 200_000;

/** Milliseconds for one git command, and the waits for a command of another program. */
const timeoutMs = 30_000;
const waits = { times: 50, ms: 100 };

/** Returns a function that runs git in a folder. */
function runner(program: string, env: Readonly<Record<string, string | undefined>>) {
  return (cwd: string, args: readonly string[], more: Record<string, string> = {}) =>
    run(program, [...quiet, ...args], {
      cwd,
      env: {
        PATH: env["PATH"],
        HOME: env["HOME"],
        GIT_OPTIONAL_LOCKS: "0",
        ...(isSubmodule(cwd) && { GIT_DIR: cwd }),
        ...more,
      },
      timeout: timeoutMs,
      maxBuffer: 1_000_000_000,
    });
}

/** Makes `Git` for the repositories of a folder. If git is not installed, indexes are compared by their bytes. */
export function createGit(env: Readonly<Record<string, string | undefined>>): Git {
  const program = findProgram("git", env["PATH"]);
  const git = runner(program!, env);
  return {
    async staged(repository, index) {
      const path = pathOfText(index);
      if (!existsSync(path)) return undefined;
      if (program === undefined) return hash("sha256", readFileSync(path));
      try {
        const { stdout } = await git(repository, ["ls-files", "--stage", "-z"], { GIT_INDEX_FILE: index });
        return hash("sha256", stdout);
      } catch {
        return undefined;
      }
    },
    async refresh(repository) {
      if (program === undefined) return;
      // The command fails if a file differs from what is staged, which does not matter here.
      await git(repository, ["update-index", "-q", "--refresh"]).catch(() => {});
    },
    async committed(folder, path) {
      if (program === undefined) return undefined;
      try {
        const name = `:./${basename(path)}`;
        const { stdout } = await git(join(folder, dirname(path)), ["cat-file", "blob", name]);
        return stdout.length > mostText || stdout.includes("\0") ? undefined : stdout;
      } catch {
        return undefined;
      }
    },
    async ignored(folder, paths) {
      if (program === undefined || paths.length === 0) return [];
      try {
        const running = git(folder, ["check-ignore", "-z", "--stdin"]);
        // With a slash at its end, git takes a path for a folder, even if it does not exist.
        running.child.stdin!.on("error", () => {}).end(paths.map((path) => `${path}/\0`).join(""));
        const { stdout } = await running;
        return stdout.split("/\0").slice(0, -1);
      } catch {
        // The repository ignores none of them, or there is no repository.
        return [];
      }
    },
    async isFree(repository) {
      const own = isSubmodule(repository) ? repository : join(repository, ".git");
      const lock = join(own, "index.lock");
      for (let times = 0; existsSync(pathOfText(lock)); times += 1) {
        if (times === waits.times) return false;
        await setTimeout(waits.ms);
      }
      return true;
    },
  };
}
