import type { PartialResult, Preview, PreviewedEffect, ToolContext } from "@toolmount/core";
import type { Files, Place } from "@toolmount/paths";
import { Overlay } from "./overlay.ts";
import type { Staged } from "./staged-tree.ts";
import type { Workspace } from "./workspace.ts";

/** Most bytes of a file whose difference is shown, and most lines of a difference. */
const maxShownBytes = 262_144;
const maxLines = 40;

/** The work of a tool over a workspace: the real one, or that of a rehearsal. */
type Work<Params> = (
  workspace: Workspace,
) => (params: Params, context: ToolContext) => Promise<PartialResult>;

/** A preview of a tool: its own work, over files in memory, and what is different afterwards at the places it names. */
export function previewing<Params>(
  workspace: Workspace,
  work: Work<Params>,
  placesOf: (params: Params) => readonly string[] = () => [],
): (params: Params, context: ToolContext) => Promise<Preview> {
  return async (params, context) => {
    const overlay = overlayOf(workspace, context);
    const staged: Workspace = { ...workspace, files: overlay as unknown as Files, announce: () => {} };
    const places = placesOf(params);
    const before = await Promise.all(places.map((path) => stateAt(overlay, path)));
    const result = await work(staged)(params, context);
    if ("error" in result && result.error !== undefined) return { effects: [], result };
    const after = await Promise.all(places.map((path) => stateAt(overlay, path)));
    const effects = places.flatMap((target, at) => effectOf(target, before[at]!, after[at]!));
    return { effects, result };
  };
}

/** The files of a rehearsal, as the rules of this workspace let its tools see them. */
function overlayOf(workspace: Workspace, { rehearsal }: ToolContext): Overlay {
  const make = (): Staged => ({ nodes: new Map(), version: 0 });
  return new Overlay(workspace.files, rehearsal?.staged("filesystem", make) ?? make());
}

/** What is at a path, as far as a difference shows it. */
interface State {
  readonly kind: string;
  readonly text: string | null;
}

async function stateAt(overlay: Overlay, path: string): Promise<State> {
  const place = await overlay.locateEntry(path).catch((): Place | null => null);
  if (place === null) return { kind: "gone", text: null };
  const kind = await overlay.kindAt(place.real);
  return { kind, text: await overlay.textAt(place, maxShownBytes) };
}

function effectOf(target: string, before: State, after: State): readonly PreviewedEffect[] {
  // What is in a folder that stays is not at this target.
  const isKnown = before.kind === "directory" || before.text !== null;
  if (before.kind === after.kind && before.text === after.text && isKnown) return [];
  if (before.kind === "gone" && after.kind === "gone") return [];
  const change = before.kind === "gone" ? "create" : after.kind === "gone" ? "delete" : "change";
  const difference = differenceOf(before.text ?? "", after.text ?? "");
  return [{ target, change, ...(difference !== "" && { difference }) }];
}

/** The lines that differ: those at the start and the end that are equal are left out. */
function differenceOf(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  const lines = [
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
  ];
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`(${more} more lines)`] : [])].join("\n");
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
