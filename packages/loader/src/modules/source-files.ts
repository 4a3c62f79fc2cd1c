import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { extname, relative, sep } from "node:path";
import { findImport, findTsconfig, isTypeScript, needsCompiler } from "@toolmount/core/import";
import { digestsWithImports, type SourceFile } from "./import-digests.ts";

export interface SourceFiles {
  readonly digest: string;
  readonly entry: string;
  /** By real path: a digest of the file and of all files that it imports. */
  readonly digests: ReadonlyMap<string, string>;
  readonly changedAt: number;
}

/** Maximum number of files of one module that are read. Imports beyond them are not followed. */
const maxFiles = 2000;

/** Reads the files of a module and their digests, so that a later change is noticed. Imports of packages are not followed. */
export async function readSourceFiles(path: string): Promise<SourceFiles> {
  const entry = await realpath(path);
  const files = await followImports([entry], readSource);
  const { mtimeMs, ctimeMs } = await stat(entry);
  const changedAt = Math.max(mtimeMs, ctimeMs);
  return { digest: digestFrom(entry, files), entry, digests: digestsWithImports(files), changedAt };
}

/** Reads the files `starts` and all files that they import, each once. Paths are real paths. */
export async function followImports<File extends Pick<SourceFile, "imports">>(
  starts: readonly string[],
  read: (file: string) => Promise<File>,
): Promise<ReadonlyMap<string, File>> {
  const files = new Map<string, File>();
  for (let next = starts; next.length > 0 && files.size < maxFiles;) {
    const found = await Promise.all(next.map(async (file) => [file, await read(file)] as const));
    for (const [file, source] of found) files.set(file, source);
    next = [...new Set(found.flatMap(([, { imports }]) => imports))].filter((file) => !files.has(file));
  }
  return files;
}

/**
 * Returns a digest of the files of an installed package. Undefined for files outside of `node_modules`, which their author still
 * edits.
 */
export async function integrityOf(path: string | undefined): Promise<string | undefined> {
  if (path === undefined || !(await realpath(path)).split(sep).includes("node_modules")) return undefined;
  const entry = await realpath(path);
  return `sha256-${digestFrom(entry, await followImports([entry], readSource))}`;
}

async function readSource(file: string): Promise<SourceFile> {
  const content = await readFile(file);
  const hash = createHash("sha256").update(content).digest("hex");
  return { hash, imports: hasImports(file) ? importsIn(content.toString("utf8"), file) : [] };
}

/** Tests whether the imports of a file are followed. */
export function hasImports(file: string): boolean {
  return scanned.has(extname(file));
}

const scanned = new Set([".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs"]);

/**
 * Returns the real paths of the files that the text of a file imports. Adds the project's `tsconfig.json` files if they decide
 * which files these are, or how the file is compiled.
 */
export function importsIn(text: string, file: string): readonly string[] {
  const specifiers = new Set([...text.matchAll(anyImport)].map(([, , specifier = ""]) => specifier));
  const found = [...specifiers].map((specifier) => ({ specifier, path: findImport(specifier, file) }));
  const isMapped = found.some(({ specifier, path }) => path !== undefined && !/^[./]/.test(specifier));
  const usesProject = isTypeScript(file) && (isMapped || needsCompiler(text, extname(file)));
  const project = usesProject ? (findTsconfig(file)?.files ?? []) : [];
  return [...found.flatMap(({ path }) => path ?? []), ...project];
}

/**
 * Matches `from "x"`, `import "x"`, `import("x")` and `require("x")`. It may match in a comment, too, which only adds a file to
 * the comparison.
 */
const anyImport = /\b(?:from|import|require)\s*(?:\(\s*)?(["'`])([^"'`\n]{1,500})\1/g;

function digestFrom(start: string, files: ReadonlyMap<string, SourceFile>): string {
  const reached = new Set([start]);
  for (const file of reached) for (const each of files.get(file)?.imports ?? []) reached.add(each);
  const hash = createHash("sha256");
  for (const file of [...reached].toSorted())
    hash.update(`${relative(start, file)}\0${files.get(file)?.hash ?? ""}\0`);
  return hash.digest("hex");
}
