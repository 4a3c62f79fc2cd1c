import type { Coordinator } from "../contract/coordinator.ts";
import { isToolmountError, ToolmountError } from "../contract/errors.ts";
import { isRecord, type JsonObject } from "../json/json.ts";
import { failureOf, throwAll } from "./module.ts";
import type { LoadedModule } from "./recognize-module.ts";

/**
 * Runs the `mount` of a module and registers what it returns: a tool, tools, a cleanup, or `{ tools, cleanup }`. A
 * returned tool that the module mounted itself, as `isMounted` reports, is not mounted again. Resolves to the return value.
 *
 * Rejects with the error that the module throws, and with `MODULE_INVALID` if `mount` returns anything else.
 */
export async function runMount(
  id: string,
  module: LoadedModule,
  coordinator: Coordinator,
  config: JsonObject,
  isMounted: (tool: unknown) => boolean,
): Promise<unknown> {
  const returned: unknown = module.kind === "mount" ? await module.mount(coordinator, config) : module.tools;
  const { tools, cleanup } = readReturn(id, returned);
  // The cleanup is registered first, so that it runs even if one of the tools is refused.
  if (cleanup !== undefined) coordinator.registerCleanup(cleanup);
  const refused = tools
    .filter((tool) => !isMounted(tool))
    .flatMap((tool) => failureOf(() => void coordinator.mount("tools", tool as { readonly name: string })));
  throwAll(refused.filter(isMissing).slice(0, 1));
  throwAll(refused);
  return returned;
}

/** Whether an extension is missing. The host may find the extension, and mount the module again. */
function isMissing(error: unknown): boolean {
  return isToolmountError(error) && error.code === "EXTENSION_MISSING";
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
  if (cleanup !== undefined && cleanup !== null && typeof cleanup !== "function")
    return refuse(id, "the cleanup that mount returned is not a function");
  return { tools: requireTools(id, tools ?? []), cleanup: (cleanup ?? undefined) as Returned["cleanup"] };
}

/** Throws unless `tools` is a list of objects. Core and its adapters later decide which of them are tools. */
function requireTools(id: string, tools: unknown): readonly object[] {
  if (!Array.isArray(tools)) return refuse(id, "the tools that mount returned are not a list");
  const isObject = (tool: unknown) =>
    (typeof tool === "object" || typeof tool === "function") && tool !== null;
  if (!tools.every(isObject)) return refuse(id, "mount returned a tool that is not an object");
  return tools;
}

function refuse(module: string, problem: string): never {
  throw new ToolmountError("MODULE_INVALID", {
    module,
    problem: `${problem}; mount returns a tool, tools, a cleanup, { tools, cleanup } or nothing`,
  });
}
