import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";

/** Remembers that a sandbox was proved, in a file. */
interface KeptProof {
  exists(): boolean;
  write(): void;
}

/**
 * Returns the place for a proof, an empty file in the user's cache. Its name is a digest of the things on which the proof
 * depends: the kernel, bubblewrap, the user, and `facts`. If it cannot be written, the next process proves the sandbox again.
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

/** Whether a file exists and belongs to this user, because another user could have put one there. The home may be another user's. */
function isOwnFile(file: string): boolean {
  try {
    const facts = lstatSync(file);
    return facts.isFile() && facts.uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** Writes the file. It does not make the home folder itself, because the home of some users does not exist. */
function writeOwnFile(folders: readonly string[], file: string): void {
  try {
    for (const folder of folders) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    // `wx` does not follow a link, which would empty its target, and leaves an existing file as it is.
    writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  } catch {
    // If the proof cannot be stored, the next process makes the attempts again.
  }
}
