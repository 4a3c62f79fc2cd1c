import {
  createHost,
  isToolmountError,
  silentLogger,
  type Coordinator,
  type Host,
  type JsonObject,
  type MountPoints,
  type ToolAdapter,
  type ToolDefinition,
  type ToolInfo,
  type ToolmountError,
} from "@toolmount/core";
import { within } from "./deadline.ts";
import { compareFootprints, takeFootprint, type Footprint } from "./leaks.ts";
import { traceWork, type Trace } from "./side-effects.ts";

/** What a module exports. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** A module that others need to be mounted, such as `@toolmount/interop` for tools of other contracts. */
export interface Extension {
  readonly mount: (coordinator: Coordinator, config: never) => unknown;
}

/** A thing that a module mounted as a tool. */
interface TriedThing {
  readonly thing: unknown;
  readonly name: string;
  readonly refused: ToolmountError | null;
}

/** What the tool's own code did in one call. */
interface SpiedRun {
  readonly returned: unknown;
  readonly thrown: { readonly value: unknown } | null;
}

/** A module mounted in a host of its own. */
export interface Trial {
  readonly host: Host;
  readonly things: readonly TriedThing[];
  readonly returned: unknown;
  readonly thrown: { readonly value: unknown } | null;
  readonly registered: boolean;
  readonly traces: readonly Trace[];
  /** By the name of the tool: what ran since it was last emptied. */
  readonly runs: Map<string, SpiedRun[]>;
  /** Unmounts, and tells what went wrong and what is left. */
  end(): Promise<{ failures: readonly unknown[]; residue: readonly string[]; deaf: readonly string[] }>;
}

/** What a trial needs. */
export interface TrialOptions {
  readonly config: JsonObject;
  readonly extensions: readonly Extension[];
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Milliseconds that mounting, and each call, may take. */
  readonly timeoutMs: number;
}

/** Milliseconds that a tool has to answer after it was cancelled. */
const graceMs = 250;

/** Mounts a module in a fresh host. Tools that are refused are noted; the module does not hear of it. */
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
  const draft = host.draft();
  for (const module of host.modules()) draft.keepModule(module);
  const module = draft.addModule({
    id: "module",
    config: options.config,
    hiddenText: "allow",
    shapeTool: (tool) => ({ definition: spy(tool, runs, options.timeoutMs) }),
  });
  const watch = watchMounts(module.coordinator);
  const { value, traces } = await traceWork(() => mountAll(adapted(exports, host), watch, options));
  await draft.commit();
  return {
    host,
    ...value,
    things: watch.things,
    registered: watch.touched(),
    traces,
    runs,
    end: () => endTrial(host, before),
  };
}

/** What a foreign module exports, as the adapter that knows it renders it. */
function adapted(exports: ModuleExports, host: Host): ModuleExports {
  const adapters = host.coordinator.get("adapters") as ReadonlyMap<string, ToolAdapter>;
  for (const adapter of adapters.values()) {
    const rendered = adapter.adaptModule?.(exports) ?? null;
    if (rendered !== null) return rendered;
  }
  return exports;
}

async function mountAll(
  { mount }: ModuleExports,
  watch: Watch,
  { config, timeoutMs }: TrialOptions,
): Promise<{ returned: unknown; thrown: { value: unknown } | null }> {
  if (typeof mount !== "function") return { returned: undefined, thrown: null };
  try {
    const returning: unknown = Reflect.apply(mount, undefined, [watch.coordinator, config]);
    const returned: unknown = await within(timeoutMs, returning);
    for (const tool of toolsOf(returned))
      if (!watch.has(tool)) watch.coordinator.mount("tools", tool as never);
    const cleanup = cleanupOf(returned);
    if (cleanup !== null) watch.coordinator.registerCleanup(cleanup);
    return { returned: isThenable(returning) ? returned : new Synchronous(returned), thrown: null };
  } catch (value) {
    return { returned: undefined, thrown: { value } };
  }
}

/** What a `mount` gave that did not return a promise. */
export class Synchronous {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

function isThenable(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

function toolsOf(returned: unknown): readonly unknown[] {
  if (Array.isArray(returned)) return returned;
  if (typeof returned !== "object" || returned === null) return [];
  if ("execute" in returned || "ExecuteAsync" in returned) return [returned];
  const { tools } = returned as { tools?: unknown };
  return Array.isArray(tools) ? tools : [];
}

function cleanupOf(returned: unknown): (() => unknown) | null {
  if (typeof returned === "function" && !("ToolName" in returned)) return returned as () => unknown;
  const { cleanup } = (typeof returned === "object" && returned !== null ? returned : {}) as {
    cleanup?: unknown;
  };
  return typeof cleanup === "function" ? (cleanup as () => unknown) : null;
}

interface Watch {
  readonly coordinator: Coordinator;
  readonly things: readonly TriedThing[];
  has(thing: unknown): boolean;
  touched(): boolean;
}

/** A coordinator that notes what is mounted through it, and whether anything is registered at all. */
function watchMounts(coordinator: Coordinator): Watch {
  const things: TriedThing[] = [];
  let isTouched = false;
  const touch = () => void (isTouched = true);
  const watched = {
    ...noting(coordinator, ["provide", "registerCapability", "registerContributor"], touch),
    hooks: noting(coordinator.hooks, ["gate", "observe", "register", "on"], touch),
    mount: (point: keyof MountPoints, thing: never, mounting?: { name?: string | undefined }) => {
      isTouched = true;
      if (point !== "tools") return coordinator.mount(point, thing, mounting);
      const name = guessName(thing);
      try {
        const undo = coordinator.mount(point, thing, mounting);
        things.push({ thing, name, refused: null });
        return undo;
      } catch (error) {
        if (!isToolmountError(error)) throw error;
        things.push({ thing, name, refused: error });
        return () => {};
      }
    },
  } as Coordinator;
  return {
    coordinator: watched,
    things,
    has: (thing) => things.some((tried) => tried.thing === thing),
    touched: () => isTouched,
  };
}

/** The same methods, of which some are noted. */
function noting<Methods extends object>(
  target: Methods,
  names: readonly (keyof Methods)[],
  note: () => void,
): Methods {
  const noted = names.map((name) => {
    const method = target[name] as (...parameters: unknown[]) => unknown;
    const call = (...parameters: unknown[]) => {
      note();
      return Reflect.apply(method, target, parameters);
    };
    return [name, call];
  });
  return { ...target, ...(Object.fromEntries(noted) as Partial<Methods>) };
}

function guessName(thing: unknown): string {
  try {
    const { ToolName, name } = thing as { ToolName?: unknown; name?: unknown };
    if (typeof ToolName === "string" && ToolName !== "") return ToolName;
    return typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}

/** A tool whose runs are noted. */
function spy(tool: ToolDefinition, runs: Map<string, SpiedRun[]>, timeoutMs: number): ToolDefinition {
  const note = (run: SpiedRun) => void runs.set(tool.name, [...(runs.get(tool.name) ?? []), run]);
  return {
    ...tool,
    execute: async (params, context) => {
      try {
        const working = tool.execute(params, context);
        const returned = await within(timeoutMs, working, context.abortSignal);
        note({ returned, thrown: null });
        return returned;
      } catch (value) {
        note({ returned: undefined, thrown: { value } });
        throw value;
      }
    },
  };
}

async function endTrial(host: Host, before: Footprint) {
  const { failures, abandoned } = await host.close({ graceMs });
  const residue = compareFootprints(before, await takeFootprint());
  return { failures, residue, deaf: abandoned };
}

/** Listed tools without what differs from mount to mount. */
export function listTools(host: Host): readonly ToolInfo[] {
  return host.tools({ includeDeprecated: true });
}
