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

/** The mount points and what each takes. Packages add their own points by declaration merging. */
export interface MountPoints {
  /** Named by `tool.name`. Foreign shapes are adapted. */
  tools: ToolDefinition | { readonly name: string };
  policies: Policy;
  /** Named by the place where calls run: `process`, `fleet`. */
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
   * folder, as `**` + `/mount-plan.yaml`; `*` is any text.
   */
  "session.protected_paths": readonly string[];
  /**
   * What the next command runs or obeys, as above. Tools may change it in a layer, where a person keeps it by a yes of its own;
   * elsewhere most of it is protected.
   */
  "session.obeyed_paths": readonly string[];
  /** The folder whose changes wait in layers; only modules whose calls run in one have it. */
  "session.layer": string;
  /** This process is inside the layer: it sees the folder with the changes of the session. */
  "session.in_layer": true;
  /**
   * Absolute paths that tools must not read, with everything below them, unless their settings name the very path or one
   * below: the state, files of secrets, and `.env` files beside the plan.
   */
  "session.secret_paths": readonly string[];
  /** The files of the plan: its own, what it extends, and overlays. Code behind a border must not read them either. */
  "session.plan_files": readonly string[];
  /** The hosts before and behind this one; absent in a host without a plan. */
  "host.chain": HostChain;
  /** Distinguishes the hosts of one process: the `hostId` of traces. */
  "host.id": string;
  /** Exchanges the tokens of users for those of mounted servers. The server to which users come with tokens registers it. */
  "tokens.exchange": ExchangeToken;
  /** `progressive`: only activated tools are offered in full. The module that activates tools registers it. */
  "tools.disclosure": "all" | "progressive";
  /** Globs of the tools that are active in every session from its start; a glob that begins with `!` excludes. */
  "tools.active": readonly string[];
  /** Whether a tool can be called in a program. The module that runs programs registers it. */
  "tools.in_programs": (tool: ToolInfo) => boolean;
  /**
   * About how many tokens the definitions of tools may have beside programs. Above it, only tools are offered that a program cannot
   * call, or that are always offered. The module that runs programs registers it.
   */
  "tools.beside_programs": number;
  /** Starts a child session of the calling session. The module that runs turns registers it. */
  "session.spawn": Spawn;
  /** Resumes a child session, for the session that started it. */
  "session.resume": Spawn;
  "session.agents": ListAgents;
  /** Imports a package from where the plan is; absent in a host without a plan. */
  "host.import_package": ImportPackage;
  /**
   * Takes each answer of a model, as a response of the Responses API, and the digest of the request; only a host that
   * records has it.
   */
  "host.record_answer": (answer: JsonObject, request: string) => void;
  /** Finds the recorded answer to a request by its digest; null: the model is asked. Only an evaluation has it. */
  "host.find_answer": (request: string) => JsonObject | null;
  /** What the plan's budgets are counted over, for each user; absent where it is a session or a turn. The policy registers it. */
  "host.budget_period": "day" | "month";
  /** Opens the ledger of fleets in the database of the plan's `state`; absent when that is not Postgres. */
  "fleet.ledger": FleetLedgerSource;
  /** Opens what delivers the calls of fleets; absent where BullMQ does. A host or a worker closes the one that it has opened. */
  "fleet.engine": () => Promise<FleetEngine>;
}

/** Whether a capability is one of the host itself: these decide what tools may read, and start sessions. */
export function isHostCapability(name: string): boolean {
  return /^(?:session|host|tools|offer|fleet)\./.test(name);
}

/** Imports a package from where the plan is: its exports, or null when it is not installed. */
export type ImportPackage = (name: string) => Promise<Readonly<Record<string, unknown>> | null>;

/** Creates a member of the tool context when it is first read, in the process where the tool runs. */
export type ContextProvider = (info: CallInfo) => unknown;

/** A module's view of its host. The module owns what it registers here, and the host undoes it on unmount. */
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
  /** Unmounts what this module mounted under that name; a missing name is ignored. */
  unmount(point: keyof MountPoints, name?: string): void;
  /** For a single point the mounted value or null. For a named point the value of that name or null; without a name, a map. */
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
  /** The values of all contributors of a channel, in order. Failures are logged; they and `null` are left out. */
  collectContributions(channel: string): Promise<unknown[]>;
  /** Runs when the module is unmounted. Only needed for resources outside the host. */
  registerCleanup(cleanup: () => unknown): Undo;
}

/** The return value of `mount`. */
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
