import { adaptModule, recogniseModule, runMount } from "@toolmount/core/modules";
import {
  createHost,
  silentLogger,
  type Coordinator,
  type Host,
  type JsonObject,
  type ToolDefinition,
  type ToolInfo,
} from "@toolmount/core";
import { withTimeout } from "./deadline.ts";
import { leaksSince, takeFootprint, type Footprint } from "./leaks.ts";
import { watchMounts, type MountWatch, type TriedTool } from "./watch-mounts.ts";
import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** The exports of a module. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** A module that other modules need, such as `@toolmount/interop` for tools of other contracts. */
export interface Extension {
  readonly mount: (coordinator: Coordinator, config: never) => unknown;
}

/** What the tool's own code returned or threw in one call. */
interface SpiedRun {
  readonly returned: unknown;
  readonly thrown: { readonly value: unknown } | null;
}

/** A module mounted in its own host. */
export interface Trial {
  readonly host: Host;
  readonly things: readonly TriedTool[];
  readonly returned: unknown;
  /** Whether `mount` returned without a promise. */
  readonly isSynchronous: boolean;
  readonly thrown: { readonly value: unknown } | null;
  readonly registered: boolean;
  readonly sideEffects: readonly SideEffect[];
  /** What the tool's code did in each call, by the tool's name. {@link callOnTrial} clears it before a call. */
  readonly runs: Map<string, SpiedRun[]>;
  /** Unmounts the module. */
  end(): Promise<TrialEnd>;
}

/** What unmounting the module showed. */
interface TrialEnd {
  /** Errors that the module's cleanups threw. */
  readonly failures: readonly unknown[];
  /** Timers, servers, listeners and globals that remain afterwards. */
  readonly leaks: readonly string[];
  /** Tools that continued after their call was cancelled. */
  readonly ignoredCancel: readonly string[];
}

/** Options of a trial. */
export interface TrialOptions {
  readonly config: JsonObject;
  readonly extensions: readonly Extension[];
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Milliseconds that mounting, and each call, may take. */
  readonly timeoutMs: number;
}

/** Milliseconds that a tool may take to answer after its call was cancelled. */
const graceMs = 250;

/** Mounts a module in a new host. Records the tools that the host refuses, and hides the refusal from the module. */
export async function startTrial(exports: ModuleExports, options: TrialOptions): Promise<Trial> {
  const before = await takeFootprint();
  const host = createHost({
    logger: silentLogger,
    limits: { graceMs },
    approver: () => ({ decision: "approve" }),
  });
  for (const { mount } of options.extensions) await mount(host.coordinator, {} as never);
  for (const [name, value] of Object.entries(options.capabilities))
    host.coordinator.registerCapability(name, value);
  const runs = new Map<string, SpiedRun[]>();
  const toolsOfRuns = new Map<string, string>();
  const draft = host.draft();
  for (const module of host.modules()) draft.keepModule(module);
  const module = draft.addModule({
    id: "module",
    config: options.config,
    hiddenText: "allow",
    shapeTool: (tool) => ({ definition: spy(tool, { runs, toolsOfRuns }, options.timeoutMs) }),
  });
  const watch = watchMounts(module.coordinator);
  const { value, sideEffects } = await watchSideEffects(() => mountAll(exports, host, watch, options));
  await draft.commit();
  return {
    host,
    ...value,
    things: watch.things,
    registered: watch.isUsed(),
    sideEffects,
    runs,
    end: () => endTrial(host, before, toolsOfRuns),
  };
}

/** Recognizes and mounts the module in the same way as the loader does. */
async function mountAll(
  exports: ModuleExports,
  host: Host,
  watch: MountWatch,
  { config, timeoutMs }: TrialOptions,
): Promise<Pick<Trial, "returned" | "isSynchronous" | "thrown">> {
  let isSynchronous = false;
  const { mount } = exports;
  const timed = (...parameters: unknown[]) => {
    const returning: unknown = Reflect.apply(mount as () => unknown, exports, parameters);
    isSynchronous = !isThenable(returning);
    return withTimeout(timeoutMs, returning);
  };
  try {
    const watched = typeof mount === "function" ? { ...exports, mount: timed } : exports;
    const module = adaptModule("module", recogniseModule("module", watched), host.coordinator);
    const returned = await runMount("module", module, watch.coordinator, config, (tool) => watch.has(tool));
    return { returned, isSynchronous, thrown: null };
  } catch (value) {
    return { returned: undefined, isSynchronous, thrown: { value } };
  }
}

/** Whether a value has a method `then`. */
function isThenable(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

interface Spied {
  readonly runs: Map<string, SpiedRun[]>;
  /** Names of tools by the ids of their runs. */
  readonly toolsOfRuns: Map<string, string>;
}

/** Wraps a tool so that its executions are recorded. */
function spy(tool: ToolDefinition, { runs, toolsOfRuns }: Spied, timeoutMs: number): ToolDefinition {
  const note = (run: SpiedRun) => void runs.set(tool.name, [...(runs.get(tool.name) ?? []), run]);
  return {
    ...tool,
    execute: async (params, context) => {
      toolsOfRuns.set(context.runId, tool.name);
      try {
        const working = tool.execute(params, context);
        const returned = await withTimeout(timeoutMs, working, context.abortSignal);
        note({ returned, thrown: null });
        return returned;
      } catch (value) {
        note({ returned: undefined, thrown: { value } });
        throw value;
      }
    },
  };
}

async function endTrial(
  host: Host,
  before: Footprint,
  toolsOfRuns: ReadonlyMap<string, string>,
): Promise<TrialEnd> {
  const { failures, abandoned } = await host.close({ graceMs });
  const leaks = await leaksSince(before);
  const ignoredCancel = new Set(abandoned.map((runId) => toolsOfRuns.get(runId) ?? runId));
  return { failures, leaks, ignoredCancel: [...ignoredCancel] };
}

/** Returns the tools that a host lists, including deprecated ones. */
export function listTools(host: Host): readonly ToolInfo[] {
  return host.tools({ includeDeprecated: true });
}

/** A connection, server or process that a module started. */
interface SideEffect {
  readonly kind: "network" | "process";
  readonly what: string;
}

/** Node's diagnostics channels, and the meaning of a message on each. */
const channels: readonly {
  readonly name: string;
  readonly kind: SideEffect["kind"];
  readonly what: string;
}[] = [
  { name: "net.client.socket", kind: "network", what: "opened a connection" },
  { name: "net.server.listen:asyncStart", kind: "network", what: "opened a server" },
  { name: "udp.socket", kind: "network", what: "opened a datagram socket" },
  { name: "undici:request:create", kind: "network", what: "fetched from the network" },
  { name: "http.client.request.start", kind: "network", what: "made an HTTP request" },
  { name: "child_process", kind: "process", what: "started a process" },
];

/** Runs work, and lists the connections, servers and processes that are started meanwhile. */
async function watchSideEffects<Value>(
  work: () => Promise<Value>,
): Promise<{ value: Value; sideEffects: readonly SideEffect[] }> {
  const sideEffects: SideEffect[] = [];
  const listeners = channels.map(({ name, kind, what }) => {
    const listener = () => void sideEffects.push({ kind, what });
    subscribe(name, listener);
    return { name, listener };
  });
  try {
    return { value: await work(), sideEffects };
  } finally {
    for (const { name, listener } of listeners) unsubscribe(name, listener);
  }
}
