import type { ContextProvider, MountPoints } from "../contract/coordinator.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { GateHandler, ObserverHandler } from "../contract/hooks.ts";
import type { MountedTool } from "./prepare-tool.ts";

export interface GateEntry {
  readonly event: string;
  readonly handler: GateHandler;
  readonly name: string;
  readonly owner: string;
  readonly priority: number;
  readonly timeoutMs: number;
  readonly order: number;
}

export interface ObserverEntry {
  readonly event: string;
  readonly handler: ObserverHandler;
  readonly name: string;
  readonly owner: string;
  readonly priority: number;
  readonly order: number;
}

interface Contributor {
  readonly name: string;
  readonly owner: string;
  readonly callback: () => unknown;
}

/** Everything that the modules of one generation have registered so far. Calls see it as an unchanging `Generation`. */
export class Registry {
  readonly tools = new Map<string, MountedTool>();
  /** Tools by {@link foldName} of their names, to find names that are too similar and names in another case. */
  readonly folded = new Map<string, MountedTool>();
  readonly gates = new Map<string, GateEntry[]>();
  readonly observers = new Map<string, ObserverEntry[]>();
  readonly points = new Map<string, Map<string, unknown>>();
  readonly providers = new Map<string, ContextProvider>();
  readonly capabilities = new Map<string, unknown[]>();
  readonly contributors = new Map<string, Contributor[]>();
}

/** Returns a name in lower case with `-` as `_`. Models confuse names for which this gives the same text. */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** Returns what is mounted at a mount point that takes a single value; null if nothing is mounted there. */
export function singleAt(
  { points }: { readonly points: ReadonlyMap<string, ReadonlyMap<string, unknown>> },
  point: keyof MountPoints,
): unknown {
  return points.get(point)?.get("") ?? null;
}

export function addTool(registry: Registry, tool: MountedTool): void {
  const names = [tool.name, ...tool.aliases];
  for (const name of names) requireFree(registry, tool, name);
  for (const name of names) registry.folded.set(foldName(name), tool);
  registry.tools.set(tool.name, tool);
}

function requireFree(registry: Registry, tool: MountedTool, name: string): void {
  const existing = registry.folded.get(foldName(name));
  if (existing === undefined || existing === tool) return;
  if (tool.override) return removeTool(registry, existing);
  throw new ToolmountError("TOOL_DUPLICATE", {
    tool: name,
    existing:
      [existing.name, ...existing.aliases].find((other) => foldName(other) === foldName(name)) ??
      existing.name,
    owner: tool.owner,
    existingOwner: existing.owner,
  });
}

export function removeTool(registry: Registry, tool: MountedTool): void {
  if (registry.tools.get(tool.name) === tool) registry.tools.delete(tool.name);
  for (const name of [tool.name, ...tool.aliases])
    if (registry.folded.get(foldName(name)) === tool) registry.folded.delete(foldName(name));
}

/** Adds an entry to the list of its event, which is sorted by priority and then by the order of registration. */
export function addOrdered<Entry extends { event: string; priority: number; order: number }>(
  lists: Map<string, Entry[]>,
  entry: Entry,
): void {
  const list = [...(lists.get(entry.event) ?? []), entry];
  lists.set(entry.event, list.toSorted(byPriority));
}

export function byPriority(
  a: { priority: number; order: number },
  b: { priority: number; order: number },
): number {
  return a.priority - b.priority || a.order - b.order;
}

/** Removes one entry. Equal values, such as a text that was registered twice, are separate entries. */
export function removeFrom<Key, Entry>(lists: Map<Key, Entry[]>, key: Key, entry: Entry): void {
  const list = lists.get(key) ?? [];
  const at = list.indexOf(entry);
  const rest = list.filter((_, index) => index !== at);
  if (rest.length === 0) lists.delete(key);
  else lists.set(key, rest);
}
