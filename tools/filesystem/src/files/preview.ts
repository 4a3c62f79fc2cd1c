import type { PartialResult, Preview, PreviewedEffect, ToolContext } from "@toolmount/core";
import { lineDifference } from "@toolmount/core/text";
import type { Files, Place } from "@toolmount/paths";
import { Overlay } from "./overlay.ts";
import type { Staged } from "./staged-tree.ts";
import type { Workspace } from "./workspace.ts";

/** Maximum number of bytes of a file whose difference is shown, and of lines of the difference of one call. */
const maxShownBytes = 262_144;
const maxPreviewLines = 40;

/** The work of a tool in a workspace, which may be the real one or that of a rehearsal. */
type Work<Params> = (
  workspace: Workspace,
) => (params: Params, context: ToolContext) => Promise<PartialResult>;

/**
 * Makes the preview of a tool: it does the tool's own work with files in memory, and compares the places that `placesOf` names.
 */
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

/** Returns the files of a rehearsal, as far as the rules of this workspace allow them. */
function overlayOf(workspace: Workspace, { rehearsal }: ToolContext): Overlay {
  const make = (): Staged => ({ nodes: new Map(), version: 0 });
  return new Overlay(workspace.files, rehearsal?.staged("filesystem", make) ?? make());
}

/** The kind of an entry, and its text if a difference can show it. */
export interface State {
  readonly kind: string;
  readonly text: string | null;
}

/** Returns the kind of the entry at a path and, if a difference can show it, its text. */
export async function stateAt(overlay: Overlay, path: string): Promise<State> {
  const place = await overlay.locateEntry(path).catch((): Place | null => null);
  if (place === null) return { kind: "gone", text: null };
  const kind = await overlay.kindAt(place.real);
  return { kind, text: await overlay.textAt(place, maxShownBytes) };
}

/** Returns how an entry has changed; empty if it has not. */
export function effectOf(
  target: string,
  before: State,
  after: State,
  maxLines = maxPreviewLines,
): readonly PreviewedEffect[] {
  // Entries in a folder that stays have their own targets.
  const isKnown = before.kind === "directory" || before.text !== null;
  if (before.kind === after.kind && before.text === after.text && isKnown) return [];
  if (before.kind === "gone" && after.kind === "gone") return [];
  const change = before.kind === "gone" ? "create" : after.kind === "gone" ? "delete" : "change";
  const difference = lineDifference(before.text ?? "", after.text ?? "", { maxLines });
  return [{ target, change, ...(difference !== "" && { difference }) }];
}
