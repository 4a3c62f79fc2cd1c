import type { ListAgents, Spawn } from "./agents.ts";
import type { CallInfo } from "./context.ts";
import type { ToolDefinition, ToolInfo } from "./tool.ts";
import type { Hooks, Undo } from "./hooks.ts";
import type { HostChain } from "./host-chain.ts";
import type { JsonObject } from "../json/json.ts";
import type { FleetEngine, FleetLedgerSource } from "./ledger.ts";
import type { Logger } from "./logger.ts";
import type { Approver, ModeCatalog, Policy, SchemaCompiler, ToolAdapter } from "./ports.ts";
import type { Runner } from "./runner.ts";
import type { AuditSink } from "./audit.ts";
import type { ApprovalStore, SessionStore } from "./stores.ts";
import type { ExchangeToken } from "./server-sign-in.ts";
import type { WorkStore } from "./work.ts";

/** The mount points and the type that each accepts. Packages add their own points by declaration merging. */
export interface MountPoints {
  /** Named by `tool.name`. Tools of other contracts are adapted. */
  tools: ToolDefinition | { readonly name: string };
  policies: Policy;
  /** Named by the place where calls run, for example `process` or `fleet`. */
  runners: Runner;
  adapters: ToolAdapter;
  "schema-compiler": SchemaCompiler;
  approver: Approver;
  "mode-catalog": ModeCatalog;
  "approval-store": ApprovalStore;
  "session-store": SessionStore;
  "audit-sink": AuditSink;
  "work-store": WorkStore;
  orchestrator: unknown;
  context: unknown;
  providers: unknown;
  "module-source-resolver": unknown;
}

/** Capabilities and their types; packages add their own by declaration merging. */
export interface Capabilities {
  "session.working_dir": string;
  /**
   * What no tool may write, such as the plan's own files: absolute paths with everything below them, and names in any
   * folder, as `**` + `/mount-plan.yaml`. `*` fits any text.
   */
  "session.protected_paths": readonly string[];
  /**
   * Files that the next command runs or obeys, in the form of `session.protected_paths`. Tools may change them in a layer, where a
   * person accepts these changes separately; elsewhere most of them are protected.
   */
  "session.obeyed_paths": readonly string[];
  /** The folder whose changes wait in layers. Only modules whose calls run in a layer have it. */
  "session.layer": string;
  /** Present if this process is inside the layer, where it sees the folder with the changes of the session. */
  "session.in_layer": true;
  /**
   * Absolute paths that tools must not read, with everything below them, unless their settings name exactly that path or one
   * below it: the state, files of secrets, and `.env` files next to the plan.
   */
  "session.secret_paths": readonly string[];
  /** The files of the plan, the plans that it extends, and overlays. Code behind a border must not read them either. */
  "session.plan_files": readonly string[];
  /** The hosts that call this host and that it calls; absent in a host without a plan. */
  "host.chain": HostChain;
  /** Distinguishes the hosts of one process; it is the `hostId` of traces. */
  "host.id": string;
  /** Exchanges users' tokens for tokens of mounted servers. The server that receives the users' tokens registers it. */
  "tokens.exchange": ExchangeToken;
  /** `progressive` offers only activated tools in full. The module that activates tools registers it. */
  "tools.disclosure": "all" | "progressive";
  /** Globs of the tools that are active in every session from its start; a glob that begins with `!` excludes. */
  "tools.active": readonly string[];
  /** Returns whether a program can call a tool. The module that runs programs registers it. */
  "tools.in_programs": (tool: ToolInfo) => boolean;
  /**
   * Approximate number of tokens that the definitions of tools may take if programs can call tools. If they take more, only
   * tools that programs cannot call, or that are always offered, are offered. The module that runs programs registers it.
   */
  "tools.beside_programs": number;
  /** Starts a child session of the calling session. The module that runs turns registers it. */
  "session.spawn": Spawn;
  /** Resumes a child session, for the session that started it. */
  "session.resume": Spawn;
  "session.agents": ListAgents;
  /** Imports a package from where the plan is. Absent in a host without a plan. */
  "host.import_package": ImportPackage;
  /**
   * Records an answer of a model, as a response of the Responses API, with the digest of the request. Only a host that
   * records has it.
   */
  "host.record_answer": (answer: JsonObject, request: string) => void;
  /** Finds the recorded answer to a request by its digest. If it returns null, the model is asked. Only an evaluation has it. */
  "host.find_answer": (request: string) => JsonObject | null;
  /** The period, for each user, of the plan's budgets; absent if they count by session or turn. The policy registers it. */
  "host.budget_period": "day" | "month";
  /** Opens the ledger of fleets in the Postgres database of the plan's `state`; absent if the state is not in Postgres. */
  "fleet.ledger": FleetLedgerSource;
  /** Opens the engine that delivers the calls of fleets; absent if BullMQ delivers them. A host or worker closes what it has opened. */
  "fleet.engine": () => Promise<FleetEngine>;
}

/** Whether a capability belongs to the host, so that no module behind a border can use or register it. */
export function isHostCapability(name: string): boolean {
  return /^(?:session|host|tools|offer|fleet)\./.test(name);
}

/** Imports a package as the plan's folder finds it. Resolves to its exports, or to null if the package is not installed. */
export type ImportPackage = (name: string) => Promise<Readonly<Record<string, unknown>> | null>;

/** Creates a member of the tool context when it is first read, in the process where the tool runs. */
export type ContextProvider = (info: CallInfo) => unknown;

/** A module's view of its host. When the module is unmounted, the host undoes everything that the module registered here. */
export interface Coordinator {
  /** This module's parsed config. */
  readonly config: JsonObject;
  readonly logger: Logger;
  readonly hooks: Hooks;
  /** Mounts `thing`. At points with names, its name is `options.name` or else the name in `thing`. */
  mount<Point extends keyof MountPoints>(
    point: Point,
    thing: MountPoints[Point],
    options?: { name?: string | undefined },
  ): Undo;
  /** Unmounts what this module mounted at the point, under `name` at points with names. Ignored if there is no such thing. */
  unmount(point: keyof MountPoints, name?: string): void;
  /**
   * Returns the value of a point that takes one value, or null. At points with names: the value of `name` or null or, without
   * `name`, a map. For tools, the values are `ToolInfo`.
   */
  get(point: keyof MountPoints, name?: string): unknown;
  /** Adds a member to every tool's context. */
  provide(name: string, provider: ContextProvider): Undo;
  registerCapability<Name extends keyof Capabilities>(name: Name, value: Capabilities[Name]): Undo;
  registerCapability(name: string, value: unknown): Undo;
  /** Returns the capability, or null if it is not registered. */
  getCapability<Name extends keyof Capabilities>(name: Name): Capabilities[Name] | null;
  getCapability(name: string): unknown;
  /** Adds a callback whose value is collected from a channel such as `observability.events`. */
  registerContributor(channel: string, name: string, callback: () => unknown): Undo;
  /** Resolves to the values of all contributors of a channel, in order, without `null`. Contributors that fail are logged. */
  collectContributions(channel: string): Promise<unknown[]>;
  /** Registers a function that runs when the module is unmounted. Only resources outside the host need it. */
  registerCleanup(cleanup: () => unknown): Undo;
}

/** What a module's `mount` may return: nothing, a cleanup function, one tool, several tools, or an object with both. */
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

/** The entry of a module: it mounts the module's things through `coordinator`, or returns them. */
export type Mount<Config = JsonObject> = (
  coordinator: Coordinator,
  config: Config,
) => Promise<MountReturn> | MountReturn;
