import type { ListAgents, Spawn } from "./agents.ts";
import type { CallInfo } from "./context.ts";
import type { ToolDefinition } from "./tool.ts";
import type { Hooks, Undo } from "./hooks.ts";
import type { JsonObject } from "../json/json.ts";
import type { Logger } from "./logger.ts";
import type { Approver, ModeCatalog, Policy, Runner, SchemaCompiler, ToolAdapter } from "./ports.ts";
import type { ApprovalStore, AuditSink, SessionStore } from "./stores.ts";

/** What can be mounted where. Packages add their own points by declaration merging. */
export interface MountPoints {
  /** Named by `tool.name`. Foreign shapes are adapted. */
  tools: ToolDefinition | { readonly name: string };
  policies: Policy;
  /** Named by where they run: `process`, `fleet`. */
  runners: Runner;
  adapters: ToolAdapter;
  "schema-compiler": SchemaCompiler;
  approver: Approver;
  "mode-catalog": ModeCatalog;
  "approval-store": ApprovalStore;
  "session-store": SessionStore;
  "audit-sink": AuditSink;
  orchestrator: unknown;
  context: unknown;
  providers: unknown;
  "module-source-resolver": unknown;
}

/** Capabilities and their types; packages add their own by declaration merging. */
export interface Capabilities {
  "session.working_dir": string;
  /** Absolute paths that no tool may write, such as the plan's own files. */
  "session.protected_paths": readonly string[];
  /** Tells the hosts of one process apart: `hostId` of a {@link CallTrace}. */
  "host.id": string;
  /** `progressive`: only tools that were activated are offered in full. Registered by what activates them. */
  "tools.disclosure": "all" | "progressive";
  /** Globs of tools that are active in every session from its beginning; one that begins with `!` takes out again. */
  "tools.active": readonly string[];
  /** Begins a session for a part of the work, under the session that asks. Registered by what runs turns. */
  "session.spawn": Spawn;
  /** Goes on with such a session, for the session that began it. */
  "session.resume": Spawn;
  "session.agents": ListAgents;
}

/** Makes a member of the tool context, read lazily, on the side where the tool runs. */
export type ContextProvider = (info: CallInfo) => unknown;

/** What a module sees of its host. Whatever it registers here is its own, and undone by the host. */
export interface Coordinator {
  /** This module's parsed config. */
  readonly config: JsonObject;
  readonly logger: Logger;
  readonly hooks: Hooks;
  /** Mounts `thing`. Named points take the name from `options.name`, else from the thing itself. */
  mount<Point extends keyof MountPoints>(
    point: Point,
    thing: MountPoints[Point],
    options?: { name?: string | undefined },
  ): Undo;
  /** Takes back what this module mounted under that name; a missing one is ignored. */
  unmount(point: keyof MountPoints, name?: string): void;
  /** Single point: the thing or null. Named point: the thing of that name or null, or without a name a map of all. */
  get(point: keyof MountPoints, name?: string): unknown;
  /** Adds a member to every tool's context. */
  provide(name: string, provider: ContextProvider): Undo;
  registerCapability<Name extends keyof Capabilities>(name: Name, value: Capabilities[Name]): Undo;
  registerCapability(name: string, value: unknown): Undo;
  /** The capability, or null. */
  getCapability<Name extends keyof Capabilities>(name: Name): Capabilities[Name] | null;
  getCapability(name: string): unknown;
  /** Adds to a pull channel such as `observability.events`. */
  registerContributor(channel: string, name: string, callback: () => unknown): Undo;
  /** What all contributors of a channel say, in order; failing ones are logged and left out, `null` too. */
  collectContributions(channel: string): Promise<unknown[]>;
  /** Runs when the module is unmounted: only for what lies outside the host. */
  registerCleanup(cleanup: () => unknown): Undo;
}

/** What `mount` may return. */
export type MountReturn =
  | undefined
  | void
  | null
  | (() => unknown)
  | { readonly name: string; execute(...parameters: never[]): unknown }
  | readonly { readonly name: string; execute(...parameters: never[]): unknown }[]
  | {
      readonly tools?: readonly { readonly name: string }[] | undefined;
      readonly cleanup?: (() => unknown) | undefined;
    };

/** A module's entry. */
export type Mount<Config = JsonObject> = (
  coordinator: Coordinator,
  config: Config,
) => Promise<MountReturn> | MountReturn;
