import type { ContextProvider } from "../contract/coordinator.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { GateHandler, ObserverHandler } from "../contract/hooks.ts";
import type { MountedTool } from "./prepare-tool.ts";
import type { Policy } from "../contract/ports.ts";
import type { AuditSink } from "../contract/stores.ts";

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

export interface Contributor {
  readonly channel: string;
  readonly name: string;
  readonly owner: string;
  readonly callback: () => unknown;
}

/** Everything that the modules of one generation registered, as it grows. Calls see a {@link Generation} of it. */
export class Registry {
  readonly tools = new Map<string, MountedTool>();
  /** By {@link foldName}: catches near-duplicates and serves look-ups in another case. */
  readonly folded = new Map<string, MountedTool>();
  readonly gates = new Map<string, GateEntry[]>();
  readonly observers = new Map<string, ObserverEntry[]>();
  readonly points = new Map<string, Map<string, unknown>>();
  readonly providers = new Map<string, ContextProvider>();
  readonly capabilities = new Map<string, unknown[]>();
  readonly contributors = new Map<string, Contributor[]>();
}

/** Lower case with `-` as `_`: names that fold alike are too close for a model to keep apart. */
function foldName(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
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

/** Adds to a list kept in order: lower priority first, ties in the order of registration. */
export function addOrdered<Entry extends { event: string; priority: number; order: number }>(
  lists: Map<string, Entry[]>,
  entry: Entry,
): void {
  const list = [...(lists.get(entry.event) ?? []), entry];
  lists.set(
    entry.event,
    list.toSorted((a, b) => a.priority - b.priority || a.order - b.order),
  );
}

export function removeFrom<Key, Entry>(lists: Map<Key, Entry[]>, key: Key, entry: Entry): void {
  const rest = (lists.get(key) ?? []).filter((other) => other !== entry);
  if (rest.length === 0) lists.delete(key);
  else lists.set(key, rest);
}

const none: readonly never[] = Object.freeze([]);

/** What the calls of one moment see; never changes. Prepared, so that a call only reads. */
export class Generation {
  readonly tools: ReadonlyMap<string, MountedTool>;
  readonly folded: ReadonlyMap<string, MountedTool>;
  readonly preGates: readonly GateEntry[];
  readonly postGates: readonly GateEntry[];
  readonly errorGates: readonly GateEntry[];
  readonly preObservers: readonly ObserverEntry[];
  readonly postObservers: readonly ObserverEntry[];
  readonly errorObservers: readonly ObserverEntry[];
  readonly policies: readonly Policy[];
  readonly auditSink: AuditSink | null;
  readonly providers: ReadonlyMap<string, ContextProvider>;
  readonly points: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly #observers: ReadonlyMap<string, readonly ObserverEntry[]>;
  readonly #gates: ReadonlyMap<string, readonly GateEntry[]>;

  constructor(registry: Registry) {
    this.tools = new Map(registry.tools);
    this.folded = new Map(registry.folded);
    this.#gates = new Map(registry.gates);
    this.#observers = new Map(registry.observers);
    this.points = new Map([...registry.points].map(([point, things]) => [point, new Map(things)]));
    this.providers = new Map(registry.providers);
    this.policies = [...(this.points.get("policies")?.values() ?? [])] as Policy[];
    this.auditSink = (this.points.get("audit-sink")?.get("") as AuditSink | undefined) ?? null;
    this.preGates = this.gates("tool:pre");
    this.postGates = this.gates("tool:post");
    this.errorGates = this.gates("tool:error");
    this.preObservers = this.observers("tool:pre");
    this.postObservers = this.observers("tool:post");
    this.errorObservers = this.observers("tool:error");
  }

  gates(event: string): readonly GateEntry[] {
    return this.#gates.get(event) ?? none;
  }

  /** Observers of an event and of `*`, in order. */
  observers(event: string): readonly ObserverEntry[] {
    const own = this.#observers.get(event) ?? none;
    const all = this.#observers.get("*") ?? none;
    if (own.length === 0 || all.length === 0) return own.length === 0 ? all : own;
    return [...own, ...all].toSorted((a, b) => a.priority - b.priority || a.order - b.order);
  }

  /**
   * The tool that another one means by a name: what its plan says, else its module's own tool that is declared so, else the
   * one offered so, else the only one declared so.
   */
  findFor(caller: MountedTool, name: string): MountedTool | undefined {
    const uses = caller.uses !== null && Object.hasOwn(caller.uses, name) ? caller.uses[name] : undefined;
    if (uses !== undefined) return this.find(uses);
    const declared = [...this.tools.values()].filter((tool) => tool.declaredName === name);
    const sibling = declared.find((tool) => tool.module === caller.module);
    return sibling ?? this.find(name) ?? (declared.length === 1 ? declared[0] : undefined);
  }

  /** The tool of that name or alias; another case finds it too. */
  find(name: string): MountedTool | undefined {
    return this.tools.get(name) ?? this.folded.get(foldName(name));
  }
}
