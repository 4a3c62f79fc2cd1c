import { ToolmountError, type Coordinator, type JsonObject } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import type { LoadedModule } from "../modules/recognize.ts";
import { watchCoordinator, type WatchedCoordinator } from "./recording-coordinator.ts";

/**
 * Mounts a module through its coordinator and registers what it returns: a tool, tools, a cleanup, or
 * `{ tools, cleanup }`. A tool returned that is mounted already is left as it is.
 *
 * Rejects with whatever the module throws; throws `MODULE_INVALID` for another return.
 */
export async function mountModule(
  id: string,
  module: LoadedModule,
  coordinator: Coordinator,
  config: JsonObject,
): Promise<WatchedCoordinator> {
  const watched = watchCoordinator(coordinator);
  const returned: unknown =
    module.kind === "tools" ? module.tools : await module.mount(watched.coordinator, config);
  const { tools, cleanup } = readReturn(id, returned);
  // First, so that what the module holds is let go of even when one of its tools is refused.
  if (cleanup !== undefined) watched.coordinator.registerCleanup(cleanup);
  for (const tool of tools)
    if (!watched.tools.has(tool)) watched.coordinator.mount("tools", tool as { readonly name: string });
  return watched;
}

interface Returned {
  readonly tools: readonly object[];
  readonly cleanup: (() => unknown) | undefined;
}

function readReturn(id: string, returned: unknown): Returned {
  if (returned === undefined || returned === null) return { tools: [], cleanup: undefined };
  if (typeof returned === "function") return { tools: [], cleanup: returned as () => unknown };
  if (Array.isArray(returned)) return { tools: requireTools(id, returned), cleanup: undefined };
  if (!isRecord(returned)) return refuse(id, `mount returned a ${typeof returned}`);
  const isGroup = "tools" in returned || "cleanup" in returned;
  if (!isGroup || "execute" in returned) return { tools: [returned], cleanup: undefined };
  const { tools, cleanup, ...rest } = returned;
  const [stray] = Object.keys(rest);
  if (stray !== undefined) return refuse(id, `mount returned an object with "${stray}"`);
  if (typeof (cleanup ?? ignore) !== "function") return refuse(id, "the cleanup is no function");
  return { tools: requireTools(id, tools ?? []), cleanup: (cleanup ?? undefined) as Returned["cleanup"] };
}

const ignore = () => {};

/** What is a tool, and of which contract, is for core and its adapters to say. */
function requireTools(id: string, tools: unknown): readonly object[] {
  if (!Array.isArray(tools)) return refuse(id, "the tools that mount returned are no list");
  const stranger = tools.some(
    (tool) => (typeof tool !== "object" && typeof tool !== "function") || tool === null,
  );
  return stranger
    ? refuse(id, "something that mount returned as a tool is none")
    : (tools as readonly object[]);
}

function refuse(module: string, problem: string): never {
  throw new ToolmountError("MODULE_INVALID", {
    module,
    problem: `${problem}; mount returns a tool, tools, a cleanup, { tools, cleanup } or nothing`,
  });
}
