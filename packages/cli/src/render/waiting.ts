import { lineDifference } from "@toolmount/core/text";
import type { Difference, LayerChange, Section, Texts } from "@toolmount/sandbox";
import type { EntryDifference, MadeCall } from "@toolmount/workers";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { effectLines } from "./rehearsal.ts";

/** The changes that wait in a layer, and the texts before and after each change. */
export interface Waiting {
  readonly difference: Difference;
  /** The calls that made the changes, with the network hosts that they reached. Only calls that this process ran are known. */
  readonly calls: readonly Pick<MadeCall, "tool" | "network">[];
  texts(change: LayerChange): Texts;
}

/** What the list of waiting changes shows. Files are read only for changes that the list shows. */
interface Listed extends Waiting {
  /** Folders that the person's git repository ignores. */
  readonly ignored: ReadonlySet<string>;
  /** The other name of each entry that was only renamed or linked. */
  readonly otherNames: ReadonlyMap<string, string>;
}

/** The title of each section, in the order in which the sections are shown. */
const titles: Readonly<Record<Section, string>> = {
  files: "written",
  repository: "commits, branches and what is staged, as one",
  deletions: "DELETED",
  obeyed: "RUN OR OBEYED BY YOUR NEXT COMMAND",
};

/**
 * Maximum number of file changes in the list, and of lines in one difference. Neither limit applies to deletions and to files
 * that the next command runs or obeys.
 */
const mostListed = 40;
const mostLines = 40;

/** Returns lines for the waiting changes, section by section, with the differences of texts. */
export function waitingLines(screen: Screen, waiting: Listed): string[] {
  const { changes } = waiting.difference;
  const sections = (Object.keys(titles) as Section[]).flatMap((section) => {
    const own = changes.filter((change) => change.section === section);
    return own.length === 0 ? [] : sectionLines(screen, section, own, waiting);
  });
  return [...sections, ...leftLines(screen, waiting), ...callLines(waiting)];
}

/** Returns lines that name the tools that made the changes, and the network hosts that they reached. */
function callLines({ calls }: Waiting): readonly string[] {
  const counts = [...Map.groupBy(calls, ({ tool }) => tool)].map(([tool, { length }]) =>
    length === 1 ? tool : `${tool} (${length} calls)`,
  );
  const hosts = new Set(calls.flatMap(({ network = [] }) => network));
  const lines = { "made by": counts, reached: [...hosts] };
  return Object.entries(lines).flatMap(([title, names]) =>
    names.length === 0 ? [] : [`${title}: ${printable(names.join(", "))}`],
  );
}

/** Returns lines that name the changes that can not be kept and stay in the layer, with the reasons. */
export function leftLines(screen: Screen, { difference: { left } }: Pick<Waiting, "difference">): string[] {
  const lines = left
    .slice(0, mostListed)
    .map(({ path, reason }) => `  ${screen.paint("yellow", "stays")} ${printable(path)}: ${reason}`);
  const more = left.length - lines.length;
  return more > 0 ? [...lines, `  and ${more} more stay`] : lines;
}

function sectionLines(
  screen: Screen,
  section: Section,
  changes: readonly LayerChange[],
  waiting: Listed,
): string[] {
  const isGrave = section === "deletions" || section === "obeyed";
  const title = `${titles[section]}: ${countOf(changes, "change")}`;
  const head = isGrave ? screen.paint(["bold", "yellow"], title) : screen.paint("bold", title);
  if (section === "repository") return [head];
  const groups = grouped(changes, isGrave ? new Set() : linedFolders(changes, waiting));
  // Changes that the list does not show are neither read nor compared.
  const shown = isGrave ? groups : groups.slice(0, mostListed);
  const lines = shown.flatMap((group) =>
    group.count > 1 ? [groupLine(group, waiting)] : changeLines(screen, group.own, waiting),
  );
  const more = groups.length - shown.length;
  return [
    head,
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more; toolmount keep --json lists all`] : []),
  ];
}

interface Group {
  readonly path: string;
  readonly own: LayerChange;
  readonly count: number;
}

/** Groups changes: a folder `node_modules` is one line, and so is each of the given folders. */
function grouped(changes: readonly LayerChange[], folders: ReadonlySet<string>): readonly Group[] {
  const groups = Map.groupBy(
    changes,
    ({ path }) =>
      /^(?:.*?\/)?node_modules(?=\/|$)/.exec(path)?.[0] ??
      upTo(path).find((each) => folders.has(each)) ??
      path,
  );
  return [...groups].map(([path, all]) => ({ path, own: all[0]!, count: all.length }));
}

function groupLine({ path, own, count }: Group, { ignored, otherNames }: Listed): string {
  const why = ignored.has(path) ? ", which git ignores" : "";
  return `${printable(path)}: ${count} entries${why}${otherName(own, otherNames)}`;
}

function otherName({ kind, path }: LayerChange, names: Listed["otherNames"]): string {
  const other = names.get(path);
  return other === undefined ? "" : `, ${kind === "delete" ? "now" : "before"} ${printable(other)}`;
}

/** Returns the folders that are shown as one line: those that git ignores, moved folders, and large new folders. */
function linedFolders(changes: readonly LayerChange[], { ignored, otherNames }: Listed): ReadonlySet<string> {
  const moved = changes.filter(({ path, kind }) => kind === "folder" && otherNames.has(path));
  return new Set([...ignored, ...largeFolders(changes), ...moved.map(({ path }) => path)]);
}

/** Returns new folders with more entries than a list shows, such as one that holds a Python environment. */
function largeFolders(changes: readonly LayerChange[]): readonly string[] {
  const counts = new Map(changes.filter(({ kind }) => kind === "folder").map(({ path }) => [path, 0]));
  if (counts.size === 0) return [];
  for (const { path } of changes)
    for (const each of upTo(path)) if (counts.has(each)) counts.set(each, counts.get(each)! + 1);
  return [...counts].filter(([, count]) => count > mostListed).map(([path]) => path);
}

/** Returns the folders around a path, the outermost first, and then the path. */
function upTo(path: string): readonly string[] {
  const ends = [...path.matchAll(/\//g)].map(({ index }) => index);
  return [...ends.map((end) => path.slice(0, end)), path];
}

const verbs = { write: "change", folder: "create", mode: "other", delete: "delete" } as const;

function changeLines(screen: Screen, change: LayerChange, waiting: Listed): string[] {
  const { path, kind, section, former } = change;
  const verb = kind === "write" && former === null ? "create" : verbs[kind];
  const name = otherName(change, waiting.otherNames);
  if (name !== "" && section !== "obeyed") return [`${verb} ${printable(path)}${name}`];
  return effectLines(screen, { change: verb, target: path, difference: differenceOf(change, waiting) });
}

/**
 * Returns the difference of two short texts. For other entries, returns a description such as a size; undefined if there is
 * nothing to say.
 */
function differenceOf(change: LayerChange, waiting: Waiting): string | undefined {
  const { kind, section, former, next } = change;
  if (kind === "mode") return `mode ${former!.mode.toString(8)} becomes ${next!.mode.toString(8)}`;
  if (kind !== "write") return undefined;
  const { before, after } = waiting.texts(change);
  if (before === undefined || after === undefined) return `${next!.kind} of ${countOf(next!.bytes, "byte")}`;
  const mode = former !== null && former.mode !== next!.mode ? `mode ${next!.mode.toString(8)}\n` : "";
  // Every line of a file that the person's next command runs or obeys is shown.
  const maxLines = section === "obeyed" ? Number.POSITIVE_INFINITY : mostLines;
  return `${mode}${lineDifference(before, after, { maxLines })}` || undefined;
}

/**
 * Returns lines about what each side of a conflict changed. If that is not known, returns what the layer would change in the file
 * now.
 */
export function conflictLines(
  screen: Screen,
  path: string,
  { difference, conflict }: EntryDifference,
): readonly string[] {
  const lines = (title: string, text: string | null) =>
    text === null ? [] : [`  ${title} ${printable(path)}`, ...differenceLines(screen, text)];
  if (conflict === null) return lines("the session would change", difference);
  return [...lines("you changed", conflict.person), ...lines("the session changed", conflict.session)];
}

function differenceLines(screen: Screen, difference: string): readonly string[] {
  const [, ...lines] = effectLines(screen, { change: "other", target: "", difference });
  return lines.map((line) => `  ${line}`);
}
