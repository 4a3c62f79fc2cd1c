import { ToolmountError, type Coordinator, type JsonObject, type Logger } from "@toolmount/core";
import { exportedTools, runMount, type LoadedModule, type ModuleExports } from "@toolmount/core/modules";

interface RecordingCoordinator {
  readonly coordinator: Coordinator;
  readonly tools: ReadonlySet<unknown>;
  /** The points at which the module mounted something, in the order of their first use. */
  readonly points: ReadonlySet<string>;
  readonly capabilities: ReadonlySet<string>;
  /** The events for which the module registered hooks. */
  readonly hooks: ReadonlySet<string>;
  /** Members that the module adds to the context of tools. */
  readonly context: ReadonlySet<string>;
  /** Whether the module registered anything; cleanups do not count. */
  registeredAnything(): boolean;
}

/**
 * Mounts a module or the tools that it exports. If `closed` has aborted, because mounting took too long, what the module still
 * registers is refused and cleaned up.
 */
export async function mountModule(
  id: string,
  module: LoadedModule,
  coordinator: Coordinator,
  config: JsonObject,
  closed?: AbortSignal,
): Promise<RecordingCoordinator> {
  const recording = createRecordingCoordinator(coordinator, id, closed);
  await runMount(id, module, recording.coordinator, config, (tool) => recording.tools.has(tool));
  if (module.kind === "mount") warnOfUnmounted(module.exports, recording.tools, coordinator.logger);
  return recording;
}

/** Warns of exported tools that the module's `mount` leaves out, because models are not offered these. */
function warnOfUnmounted(exports: ModuleExports, mounted: ReadonlySet<unknown>, logger: Logger): void {
  const names = new Set([...mounted].map((tool) => (tool as { readonly name?: unknown }).name));
  const left = exportedTools(exports).filter((tool) => !mounted.has(tool) && !names.has(tool.name));
  if (left.length === 0) return;
  const tools = left.map(({ name }) => name);
  logger.warn({ tools }, "the module exports tools that its mount does not mount; they are not offered");
}

/**
 * Creates a coordinator that records registrations. After `closed` aborts, each method throws `MODULE_MOUNT_FAILED`, and cleanups
 * run at once.
 */
function createRecordingCoordinator(
  given: Coordinator,
  id: string,
  closed: AbortSignal | undefined,
): RecordingCoordinator {
  const coordinator = closed === undefined ? given : closeable(given, id, closed);
  const tools = new Set<unknown>();
  const points = new Set<string>();
  const capabilities = new Set<string>();
  const hooks = new Set<string>();
  const context = new Set<string>();
  let registrations = 0;
  const note = (method: string, name: string, thing: unknown) => {
    registrations++;
    if (method === "mount") points.add(name);
    if (method === "mount" && name === "tools") tools.add(thing);
    if (method === "registerCapability") capabilities.add(name);
    if (method === "provide") context.add(name);
    if (hookMethods.includes(method as "gate")) hooks.add(name);
  };
  const recorded = <Members extends object>(
    members: Members,
    methods: readonly (keyof Members & string)[],
  ) => {
    const recording = methods.map((method) => {
      const register = members[method] as (...given: readonly unknown[]) => unknown;
      const call = (name: string, ...rest: readonly unknown[]) => {
        try {
          const undo = register(name, ...rest);
          note(method, name, rest[0]);
          return undo;
        } catch (error) {
          // With this, the stack begins at the line in the module that called, which the module's author needs.
          if (error instanceof ToolmountError) Error.captureStackTrace(error, call);
          throw error;
        }
      };
      return [method, call];
    });
    return { ...members, ...(Object.fromEntries(recording) as Partial<Members>) };
  };
  const recording = {
    ...recorded(coordinator, ["mount", "provide", "registerCapability", "registerContributor"]),
    hooks: recorded(coordinator.hooks, hookMethods),
  };
  const registeredAnything = () => registrations > 0;
  const registered = { tools, points, capabilities, hooks, context, registeredAnything };
  return { coordinator: Object.freeze(recording), ...registered };
}

const hookMethods: readonly (keyof Coordinator["hooks"])[] = ["gate", "observe", "register", "on"];

function closeable(coordinator: Coordinator, module: string, closed: AbortSignal): Coordinator {
  const guard = <Members extends object>(members: Members): Members => {
    const guarded = Object.entries(members).map(([name, member]: [string, unknown]) => {
      if (typeof member !== "function") return [name, member];
      const call = (...parameters: unknown[]): unknown => {
        requireOpen(module, closed);
        return Reflect.apply(member, members, parameters);
      };
      return [name, call];
    });
    return Object.fromEntries(guarded) as Members;
  };
  return {
    ...guard(coordinator),
    hooks: guard(coordinator.hooks),
    registerCleanup(cleanup) {
      if (!closed.aborted) return coordinator.registerCleanup(cleanup);
      void runLate(cleanup, coordinator);
      return () => {};
    },
  };
}

function requireOpen(module: string, closed: AbortSignal): void {
  if (!closed.aborted) return;
  const problem = "its mount failed or took too long; its coordinator is closed";
  throw new ToolmountError("MODULE_MOUNT_FAILED", { module, problem });
}

async function runLate(cleanup: () => unknown, { logger }: Coordinator): Promise<void> {
  try {
    await cleanup();
  } catch (err) {
    logger.warn({ err }, "a cleanup failed");
  }
}
