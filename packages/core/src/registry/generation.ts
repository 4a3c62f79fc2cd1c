import type { ContextProvider } from "../contract/coordinator.ts";
import type { Approver, ModeCatalog, Policy } from "../contract/ports.ts";
import type { AuditSink } from "../contract/audit.ts";
import type { ApprovalStore, SessionStore } from "../contract/stores.ts";
import type { MountedTool } from "./prepare-tool.ts";
import {
  byPriority,
  foldName,
  singleAt,
  type GateEntry,
  type ObserverEntry,
  type Registry,
} from "./registry.ts";

const none: readonly never[] = Object.freeze([]);

/** The registry of a set of modules, and the generation that was made of it; null after a change of the registry. */
export interface Registered {
  readonly registry: Registry;
  known: Generation | null;
}

/** Returns the current generation, which calls see. It is the same object until something is registered or undone. */
export function generationOf(set: Registered): Generation {
  return (set.known ??= new Generation(set.registry));
}

/** What calls see of a registry. It never changes, and all its lists are prepared, so that a call only reads. */
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
  /** Whether a policy reads which results a session has seen. */
  readonly keepsResults: boolean;
  readonly approver: Approver | null;
  readonly approvalStore: ApprovalStore | null;
  readonly auditSink: AuditSink | null;
  readonly sessionStore: SessionStore | null;
  readonly modeCatalog: ModeCatalog | null;
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
    this.keepsResults = this.policies.some(({ seesResults }) => seesResults === true);
    this.approver = singleAt(registry, "approver") as Approver | null;
    this.approvalStore = singleAt(registry, "approval-store") as ApprovalStore | null;
    this.modeCatalog = singleAt(registry, "mode-catalog") as ModeCatalog | null;
    this.sessionStore = singleAt(registry, "session-store") as SessionStore | null;
    this.auditSink = singleAt(registry, "audit-sink") as AuditSink | null;
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

  observers(event: string): readonly ObserverEntry[] {
    const own = this.#observers.get(event) ?? none;
    const all = this.#observers.get("*") ?? none;
    if (own.length === 0 || all.length === 0) return own.length === 0 ? all : own;
    return [...own, ...all].toSorted(byPriority);
  }

  /** Finds the tool that `caller` means by `name`: by the plan, in its module, by offered or by unique declared name. */
  findFor(caller: MountedTool, name: string): MountedTool | undefined {
    const uses = caller.uses !== null && Object.hasOwn(caller.uses, name) ? caller.uses[name] : undefined;
    if (uses !== undefined) return this.find(uses);
    const declared = [...this.tools.values()].filter((tool) => tool.declaredName === name);
    const sibling = declared.find((tool) => tool.module === caller.module);
    return sibling ?? this.find(name) ?? (declared.length === 1 ? declared[0] : undefined);
  }

  /** Finds a tool by its name or alias. Case makes no difference, nor does `-` instead of `_`. */
  find(name: string): MountedTool | undefined {
    return this.tools.get(name) ?? this.folded.get(foldName(name));
  }
}
