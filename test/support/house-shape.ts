import { posix } from "node:path";
import { folderOrders, sizes, storyFolder, type Exception } from "../house-table.ts";
import type { Source } from "./house-source.ts";

/** Holds a file of `src/` to its place in the order of folders; the problem is the beginning of a sentence. */
export function inspectOrder(packageFolder: string, path: string, target: string): string | undefined {
  const order = folderOrders[packageFolder];
  if (order === undefined) return undefined;
  const from = placeOf(packageFolder, path);
  const to = placeOf(packageFolder, target);
  if ([from, to].some((place) => !isFile(place) && rankOf(order, place) === order.length)) return undefined;
  const difference = rankOf(order, from) - rankOf(order, to);
  if (difference > 0 || from === to || (isFile(from) && isFile(to) && difference === 0)) return undefined;
  const relation = difference < 0 ? "below" : "not above";
  return `${nameOf(order, from)} is ${relation} ${nameOf(order, to)}, so it may not import`;
}

/** Reports a file or a function that is too long, and a folder that the order of its package does not name. */
export function inspectFileSize(path: string, code: string, source: Source): string[] {
  const lines = code.trimEnd().split("\n").length;
  const [root, name, , place] = path.split("/") as [string, string, string, string];
  const order = folderOrders[`${root}/${name}`];
  const most = mostLines(path);
  const long = source.functions.filter(({ what }) => Number(what) > sizes.functionLines);
  return [
    ...(order !== undefined && !isFile(place) && rankOf(order, place) === order.length
      ? [`${path}: is in ${place}, which the order of folders does not name`]
      : []),
    ...(lines > most ? [`${path}: has ${lines} lines, more than ${most}`] : []),
    ...long.map(
      ({ at, what }) =>
        `${path}:${code.slice(0, at).split("\n").length}: holds a function longer than ${sizes.functionLines} lines: ${what}`,
    ),
  ];
}

/** Reports folders that hold too many files. */
export function inspectFolderSizes(paths: readonly string[]): string[] {
  const byFolder = Map.groupBy(paths, (path) => posix.dirname(path));
  return [...byFolder]
    .filter(([, files]) => files.length > sizes.folderFiles)
    .map(([folder, files]) => `${folder}: holds ${files.length} files, more than ${sizes.folderFiles}`);
}

/** A source file with what it imports. */
export interface ReadFile {
  readonly path: string;
  readonly lines: number;
  readonly source: Source;
}

/**
 * Reports files of a package that are short, are imported by one other file alone, and would fit into it. A text for models
 * has a file of its own, and so has an entry, what an entry exports again, and what is loaded when it is needed.
 */
export function inspectShortFiles(files: readonly ReadFile[], isEntry: (path: string) => boolean): string[] {
  const importers = new Map<string, { readonly by: ReadFile; readonly isStatement: boolean }[]>();
  for (const by of files) {
    const statements = new Set(by.source.statements.map(({ what }) => what));
    for (const what of new Set(by.source.imports.map((mark) => mark.what))) {
      if (!what.startsWith(".")) continue;
      const target = posix.join(posix.dirname(by.path), what);
      importers.set(target, [...(importers.get(target) ?? []), { by, isStatement: statements.has(what) }]);
    }
  }
  return files.flatMap(({ path, lines }) => {
    const [only, another] = importers.get(path) ?? [];
    if (lines > sizes.shortLines || only?.isStatement !== true || another !== undefined) return [];
    const { by } = only;
    if (isEntry(path) || /\busage\b/.test(path) || by.lines + lines > mostLines(by.path)) return [];
    return [`${path}: has ${lines} lines, and only ${by.path} imports it, where it fits`];
  });
}

function mostLines(path: string): number {
  return path.startsWith(storyFolder) ? sizes.storyLines : sizes.fileLines;
}

/** Removes the problems that an exception accepts, and adds one for each exception that accepts nothing. */
export function withoutExceptions(problems: readonly string[], accepted: readonly Exception[]): string[] {
  const accepts = ({ path }: Exception, problem: string) =>
    isAboutShape(problem) && problem.startsWith(`${path}:`);
  const left = problems.filter((problem) => !accepted.some((exception) => accepts(exception, problem)));
  const stale = accepted.filter((exception) => !problems.some((problem) => accepts(exception, problem)));
  return [
    ...left,
    ...stale.map(({ path }) => `test/house-table.ts: delete the exception for ${path}, it is not needed`),
  ];
}

/** Only an order or a size can have an exception. */
function isAboutShape(problem: string): boolean {
  return / so it may not import |, more than \d+$| longer than \d+ lines: |, where it fits$/.test(problem);
}

/** `call` for `packages/core/src/call/find.ts`, `config.ts` for `packages/reasoner/src/config.ts`. */
function placeOf(packageFolder: string, path: string): string {
  return path.slice(`${packageFolder}/src/`.length).split("/")[0]!;
}

function isFile(place: string): boolean {
  return place.endsWith(".ts");
}

/** The place in the order; a file that the order does not name is above all folders. */
function rankOf(order: readonly (string | readonly string[])[], place: string): number {
  const rank = order.findIndex((step) => (typeof step === "string" ? step === place : step.includes(place)));
  return rank < 0 ? order.length : rank;
}

function nameOf(order: readonly (string | readonly string[])[], place: string): string {
  return rankOf(order, place) === order.length ? "src" : place;
}
