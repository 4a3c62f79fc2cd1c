import { ToolmountError, type JsonObject } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";

/** Returns a plan in which two tools have each other's description. Throws `USAGE_INVALID` if the plan lacks one of them. */
export function swapDescriptions(host: OpenedHost, names: readonly [string, string]): JsonObject {
  const { plan } = host;
  const find = (name: string): Described => {
    const tool = host.tools().find((each) => each.name === name);
    if (tool !== undefined) return tool;
    throw new ToolmountError("USAGE_INVALID", { problem: `the plan mounts no tool ${name}` });
  };
  const [one, other] = [find(names[0]), find(names[1])];
  return describeTools(plan.written, [
    { tool: one, description: other.description },
    { tool: other, description: one.description },
  ]);
}

/** Returns a plan in which some tools have other descriptions. */
export function describeTools(
  written: JsonObject,
  changes: readonly { readonly tool: Described; readonly description: string }[],
): JsonObject {
  const entries = (written["tools"] ?? []) as readonly JsonObject[];
  const changed = entries.map((entry) =>
    changes
      .filter(({ tool: { owner } }) => owner === (entry["id"] ?? entry["module"]))
      .reduce<JsonObject>((before, { tool, description }) => describe(before, tool, description), entry),
  );
  return { ...written, tools: changed };
}

interface Described {
  readonly name: string;
  readonly declaredName: string;
  readonly description: string;
  readonly owner: string;
}

function describe(entry: JsonObject, { declaredName }: Described, description: string): JsonObject {
  const tools = (entry["tools"] ?? {}) as JsonObject;
  const before = (tools[declaredName] ?? {}) as JsonObject;
  return { ...entry, tools: { ...tools, [declaredName]: { ...before, description } } };
}
