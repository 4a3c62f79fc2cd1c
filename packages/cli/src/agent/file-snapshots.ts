import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Shell } from "../process/shell.ts";

/** A file that differs between two snapshots. */
export interface FileChange {
  /** From the repository's root. */
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
}

/** Snapshots of the files of a git repository. Neither its index, its commits nor its objects change. */
export interface FileSnapshots {
  /** The files as they are: the id of a tree of git. */
  take(): Promise<string>;
  /** What changed from one snapshot to another. */
  compare(before: string, after: string): Promise<readonly FileChange[]>;
  /** Gives files the content that they have in a snapshot; those that it does not have are deleted. */
  restore(snapshot: string, changes: readonly FileChange[]): Promise<void>;
  close(): Promise<void>;
}

const run = promisify(execFile);

/**
 * Opens snapshots of the git repository that contains a folder. Returns null when no repository contains it, or when git
 * is not installed. A snapshot does not have the files that git ignores.
 */
export async function openSnapshots(folder: string, env: Shell["env"]): Promise<FileSnapshots | null> {
  const root = await run("git", ["rev-parse", "--show-toplevel"], { cwd: folder }).then(
    ({ stdout }) => stdout.trimEnd(),
    () => null,
  );
  if (root === null || root === "") return null;
  const { stdout } = await run("git", ["rev-parse", "--git-path", "objects", "--git-path", "index"], {
    cwd: root,
  });
  const [objects = "", index = ""] = stdout
    .trimEnd()
    .split("\n")
    .map((path) => join(root, path));
  const scratch = await mkdtemp(join(tmpdir(), "toolmount-undo-"));
  await mkdir(join(scratch, "objects"));
  // An index of its own, with what git knows of unchanged files; without one git reads every file.
  await copyFile(index, join(scratch, "index")).catch(() => {});
  const git = async (...words: readonly string[]) => {
    const own = {
      GIT_INDEX_FILE: join(scratch, "index"),
      GIT_OBJECT_DIRECTORY: join(scratch, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: objects,
      GIT_LITERAL_PATHSPECS: "1",
    };
    const done = await run("git", [...words], {
      cwd: root,
      env: { ...env, ...own },
      maxBuffer: 64 * 2 ** 20,
    });
    return done.stdout;
  };
  const take = async () => {
    await git("add", "--all", "--", ".");
    return (await git("write-tree")).trim();
  };
  return {
    take,
    async compare(before, after) {
      const listed = await git("diff-tree", "-r", "-z", "--no-renames", "--name-status", before, after);
      const words = listed.split("\0");
      const changes: FileChange[] = [];
      for (let at = 0; at + 1 < words.length; at += 2)
        changes.push({ path: words[at + 1]!, kind: kinds[words[at]!] ?? "changed" });
      return changes;
    },
    async restore(snapshot, changes) {
      for (const { path, kind } of changes)
        if (kind === "added") await rm(join(root, path), { force: true });
        else await git("checkout", "--quiet", snapshot, "--", path);
    },
    close: () => rm(scratch, { recursive: true, force: true }),
  };
}

const kinds: Readonly<Record<string, FileChange["kind"]>> = {
  A: "added",
  D: "deleted",
  M: "changed",
  T: "changed",
};
