import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, join, posix } from "node:path";
import { packageOf, readSource, type Mark, type Source } from "./house-source.ts";
import {
  inspectFileSize,
  inspectFolderSizes,
  inspectOrder,
  inspectShortFiles,
  withoutExceptions,
  type ReadFile,
} from "./house-shape.ts";
import {
  ambientReaders,
  computedImports,
  packages,
  tool,
  type Allowance,
  type Exception,
} from "../house-table.ts";

interface Manifest {
  readonly name: string;
  readonly exports?: Record<string, string | Record<string, string>>;
  readonly imports?: Record<string, string | Record<string, string>>;
  readonly scripts?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly carried?: readonly string[];
}

/** A package: its folder relative to the root (`packages/core`), its manifest, and its row of the table. */
interface Room {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly allowance: Allowance;
}

/**
 * Compares every manifest of `packages/` and `tools/`, and every file of their `src/`, with `house-table.ts`.
 *
 * Returns one sentence for each problem. It begins with the file's path and, where there is one, the line. The
 * order and the size of the files and folders in `accepted` are not reported.
 */
export async function inspectHouse(root: string, accepted: readonly Exception[]): Promise<string[]> {
  const problems: string[] = [];
  const solution = await readFile(join(root, "tsconfig.json"), "utf8");
  for (const path of await files(root, "{packages,tools}/*/package.json")) {
    const folder = posix.dirname(path);
    const manifest = JSON.parse(await readFile(join(root, path), "utf8")) as Manifest;
    const allowance = folder.startsWith("tools/") ? tool : packages[manifest.name];
    if (allowance === undefined) {
      problems.push(`${path}: ${manifest.name} is not in the table of packages`);
      continue;
    }
    const room = { folder, manifest, allowance };
    problems.push(...inspectManifest(room), ...inspectReferences(root, folder, solution));
    const tests = await files(root, `${folder}/test/**/*.test.ts`);
    if (manifest.scripts?.["test"] !== undefined && tests.length === 0)
      problems.push(`${path}: has a script named test, and no test file`);
    const sources = await files(root, `${folder}/src/**/*.ts`);
    const read: ReadFile[] = [];
    for (const source of sources) {
      const code = await readFile(join(root, source), "utf8");
      const parsed = readSource(source, code);
      read.push({ path: source, lines: code.trimEnd().split("\n").length, source: parsed });
      problems.push(...inspectSource(room, source, code, parsed));
    }
    problems.push(...inspectFolderSizes(sources), ...inspectShortFiles(read, (one) => isEntry(room, one)));
  }
  return withoutExceptions(problems, accepted);
}

function inspectManifest({ folder, manifest, allowance }: Room): string[] {
  const problems: string[] = [];
  const name = nameOf(folder);
  if (manifest.name !== name) problems.push(`is named ${manifest.name}, not ${name}`);
  for (const dependency of Object.keys(runtimeDependencies(manifest))) {
    if (!allows(allowance, dependency)) problems.push(`may not depend on ${dependency}`);
  }
  if (allowance === tool && manifest.dependencies?.["@toolmount/core"] !== undefined) {
    problems.push("has @toolmount/core as a dependency, not as a peer");
  }
  const versions = {
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
    ...manifest.dependencies,
  };
  for (const [dependency, version] of Object.entries(versions)) {
    if (!/^(catalog|workspace):/.test(version)) problems.push(`names a version of ${dependency}: ${version}`);
  }
  for (const script of ["build", "types", "test", "pack:check"]) {
    if (manifest.scripts?.[script] === undefined) problems.push(`has no script named ${script}`);
  }
  return problems.map((problem) => `${folder}/package.json: ${problem}`);
}

/** Every package, and its tests, are in the solution that editors and `tsc -b` open. */
function inspectReferences(root: string, folder: string, solution: string): string[] {
  return [folder, `${folder}/test`]
    .filter((path) => existsSync(join(root, path, "tsconfig.json")) && !solution.includes(`"${path}"`))
    .map((path) => `tsconfig.json: does not reference ${path}`);
}

function inspectSource(room: Room, path: string, code: string, source: Source): string[] {
  const report = ({ at, what }: Mark, problem: string) => `${path}:${lineOf(code, at)}: ${problem} ${what}`;
  return [
    ...inspectPlace(room, path, source),
    ...inspectFileSize(path, code, source),
    ...source.imports.flatMap((mark) => {
      const problem = inspectImport(room, path, mark.what);
      return problem === undefined ? [] : [report(mark, problem)];
    }),
    ...source.computed
      .filter(() => !computedImports.includes(path))
      .map((mark) => report(mark, "imports a computed name:")),
    ...source.tooNew.map((mark) => report(mark, "Node 22 cannot parse")),
    ...source.reads.filter(({ what }) => !mayRead(path, what)).map((mark) => report(mark, "may not read")),
  ];
}

function inspectPlace(room: Room, path: string, { onlyReexports }: Source): string[] {
  const problems: string[] = [];
  if (basename(path) === "utils.ts") problems.push(`${path}: is named utils.ts, not for one idea`);
  if (path.includes("/types/"))
    problems.push(`${path}: is in a folder of types, not beside the code that uses them`);
  if (onlyReexports && !isEntry(room, path))
    problems.push(`${path}: only re-exports, and no entry of exports names it`);
  return problems;
}

function isEntry({ folder, manifest }: Room, path: string): boolean {
  const entry = `./${posix.relative(folder, path)}`;
  return JSON.stringify([manifest.exports, manifest.imports]).includes(`"${entry}"`);
}

/** The problem with an import: the beginning of a sentence that ends with the specifier. */
function inspectImport(room: Room, path: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(path), specifier);
    if (!target.startsWith(`${room.folder}/`)) return "leaves its package to import";
    return inspectOrder(room.folder, path, target);
  }
  const name = packageOf(specifier);
  if (isBuiltin(specifier) || name === room.manifest.name) return undefined;
  if (!allows(room.allowance, name)) return "may not import";
  return name in runtimeDependencies(room.manifest) ? undefined : "does not list among its dependencies";
}

function mayRead(path: string, what: string): boolean {
  return ambientReaders.some(
    (reader) => path.startsWith(reader.path) && (reader.reads ?? [what]).includes(what),
  );
}

function allows({ house, libraries }: Allowance, name: string): boolean {
  if (name === "toolmount" || name.startsWith("@toolmount/")) return house.includes(name);
  return libraries.some(
    (library) => library === name || (library.endsWith("*") && name.startsWith(library.slice(0, -1))),
  );
}

function runtimeDependencies(manifest: Manifest): Record<string, string> {
  // Carried packages are development dependencies that the build puts into the package's own files.
  const carried = Object.fromEntries((manifest.carried ?? []).map((name) => [name, "carried"]));
  return {
    ...carried,
    ...manifest.optionalDependencies,
    ...manifest.dependencies,
    ...manifest.peerDependencies,
  };
}

function nameOf(folder: string): string {
  if (folder === "packages/cli") return "toolmount";
  if (["packages/create-toolmount", "packages/host-trial"].includes(folder)) return basename(folder);
  return folder.startsWith("tools/")
    ? `@toolmount/tool-${basename(folder)}`
    : `@toolmount/${basename(folder)}`;
}

function lineOf(code: string, at: number): number {
  return code.slice(0, at).split("\n").length;
}

async function files(root: string, pattern: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of glob(pattern, { cwd: root, exclude: ["**/node_modules/**"] })) paths.push(path);
  return paths.toSorted();
}
