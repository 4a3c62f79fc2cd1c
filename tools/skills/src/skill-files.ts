import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** One file of a skill, without its content. */
export interface SkillFile {
  /** Path below the skill's folder, with `/` between names. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of its bytes: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** Limits of one skill, from SEP-2640 of the Model Context Protocol. */
const maxFiles = 512;
const maxBytes = 16 * 1024 * 1024;

/** The files of a skill's folder, sorted by path, and the text of its SKILL.md, from the same read as its listed digest. */
interface SkillFolder {
  readonly files: readonly SkillFile[];
  readonly instructions: string;
}

/** Reads each file of a skill's folder once. Throws for links, for more than the limits, and if there is no SKILL.md. */
export async function readSkillFolder(folder: string): Promise<SkillFolder> {
  const files: SkillFile[] = [];
  let instructions: string | undefined;
  let bytes = 0;
  for (const path of await walk(folder, "")) {
    const content = await readSkillFile(folder, path);
    bytes += content.length;
    if (bytes > maxBytes) throw new Error(`its files have more than ${maxBytes} bytes`);
    files.push({ path, size: content.length, digest: sha256(content) });
    if (path === "SKILL.md") instructions = content.toString();
  }
  if (instructions === undefined) throw new Error("its SKILL.md is gone");
  return { files, instructions };
}

async function walk(folder: string, below: string): Promise<string[]> {
  const paths: string[] = [];
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await walk(folder, path)));
    else if (entry.isFile()) paths.push(path);
    else throw new Error(`${path} is neither a file nor a folder: a skill has no links`);
    if (paths.length > maxFiles) throw new Error(`it has more than ${maxFiles} files`);
  }
  return paths;
}

/** Reads one file of a skill. Never waits for a pipe, and does not follow a link as the last part of the path. */
export async function readSkillFile(folder: string, path: string): Promise<Buffer> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(folder, path), flags);
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > maxBytes)
      throw new Error(`${path} is not a file of at most ${maxBytes} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Returns the digest of bytes in the form of {@link SkillFile}. */
export function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
