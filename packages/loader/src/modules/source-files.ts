import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, extname, relative, resolve, sep } from "node:path";

export interface SourceFiles {
  readonly digest: string;
  readonly entry: string;
  /** By real path, with the digest of the file and of all files that it imports. */
  readonly digests: ReadonlyMap<string, string>;
  readonly changedAt: number;
}

/** Most files of one module that are compared; imports beyond them are not followed. */
const maxFiles = 2000;

interface SourceFile {
  readonly hash: string;
  readonly imports: readonly string[];
}

/** Reads the files of a module, to find out later whether one of them changed. Imports of packages are not followed. */
export async function readSourceFiles(path: string): Promise<SourceFiles> {
  const entry = await realpath(path);
  const files = new Map<string, SourceFile>();
  for (let next = [entry]; next.length > 0 && files.size < maxFiles;) {
    const read = await Promise.all(next.map(async (file) => [file, await readSource(file)] as const));
    for (const [file, source] of read) files.set(file, source);
    next = [...new Set(read.flatMap(([, { imports }]) => imports))].filter((file) => !files.has(file));
  }
  const digests = new Map([...files.keys()].map((file) => [file, digestFrom(file, files)]));
  const { mtimeMs, ctimeMs } = await stat(entry);
  return { digest: digests.get(entry)!, entry, digests, changedAt: Math.max(mtimeMs, ctimeMs) };
}

/** Digest of the files of an installed package; undefined outside `node_modules`, where its author edits it. */
export async function integrityOf(path: string | undefined): Promise<string | undefined> {
  if (path === undefined || !(await realpath(path)).split(sep).includes("node_modules")) return undefined;
  return `sha256-${(await readSourceFiles(path)).digest}`;
}

async function readSource(file: string): Promise<SourceFile> {
  const content = await readFile(file);
  const hash = createHash("sha256").update(content).digest("hex");
  if (!scanned.has(extname(file))) return { hash, imports: [] };
  const found = [...content.toString("utf8").matchAll(relativeImport)].map(([, , specifier = ""]) =>
    findFile(resolve(dirname(file), specifier)),
  );
  return { hash, imports: (await Promise.all(found)).filter((each) => each !== undefined) };
}

const scanned = new Set([".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"]);

/** `from "./x"`, `import "./x"`, `import("./x")`, `require("./x")`. A match in a comment only adds a file to compare. */
const relativeImport = /\b(?:from|import|require)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n]{1,500})\1/g;

/** CommonJS may leave out the extension. */
async function findFile(path: string): Promise<string | undefined> {
  for (const candidate of [path, `${path}.js`, `${path}.cjs`, `${path}.json`, `${path}/index.js`])
    if ((await stat(candidate).catch(() => undefined))?.isFile() === true) return realpath(candidate);
  return undefined;
}

function digestFrom(start: string, files: ReadonlyMap<string, SourceFile>): string {
  const reached = new Set([start]);
  for (const file of reached) for (const each of files.get(file)?.imports ?? []) reached.add(each);
  const hash = createHash("sha256");
  for (const file of [...reached].toSorted())
    hash.update(`${relative(start, file)}\0${files.get(file)?.hash ?? ""}\0`);
  return hash.digest("hex");
}
