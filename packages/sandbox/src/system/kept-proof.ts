import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";

/** Where the proof of a sandbox is kept. */
interface KeptProof {
  exists(): boolean;
  write(): void;
}

/**
 * An empty file in the user's cache, named for what the proof depends on: the kernel, the program of bubblewrap, the user,
 * and `facts`. A proof that cannot be kept is made again by the next process.
 */
export function keptProof(bwrap: string, home: string | undefined, facts: string): KeptProof {
  if (home === undefined) return { exists: () => false, write: () => {} };
  const folders = [".cache", "toolmount", "sandbox-proofs"].map((_, at, names) =>
    join(home, ...names.slice(0, at + 1)),
  );
  const file = join(folders.at(-1)!, keyOf(bwrap, facts));
  return { exists: () => isOwnFile(file), write: () => writeOwnFile(folders, file) };
}

function keyOf(bwrap: string, facts: string): string {
  const program = realpathSync(bwrap);
  const { size, mtimeMs, ino } = statSync(program);
  const all = [release(), program, size, mtimeMs, ino, process.getuid?.(), facts];
  return createHash("sha256").update(JSON.stringify(all)).digest("hex");
}

/** Another user could have put a file there that belongs to that user. */
function isOwnFile(file: string): boolean {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  return facts?.isFile() === true && facts.uid === process.getuid?.();
}

/** Does not make the home folder itself: some users have one that does not exist. */
function writeOwnFile(folders: readonly string[], file: string): void {
  try {
    for (const folder of folders) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    // Not through a link, which would empty what it leads to. A file that is there stays.
    writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  } catch {
    // The next process makes the attempts again.
  }
}
