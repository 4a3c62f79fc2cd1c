import { ToolmountError, type JsonObject } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";

/** A plan in which two tools have each other's description. Throws `USAGE_INVALID` when the plan does not mount both. */
export function swapDescriptions(host: OpenedHost, names: readonly [string, string]): JsonObject {
  const { plan } = host;
  const find = (name: string): Described => {
    const tool = host.tools().find((each) => each.name === name);
    if (tool !== undefined) return tool;
    throw new ToolmountError("USAGE_INVALID", { problem: `--swap: the plan mounts no tool ${name}` });
  };
  const [one, other] = [find(names[0]), find(names[1])];
  const swaps = [
    { tool: one, description: other.description },
    { tool: other, description: one.description },
  ];
  const entries = (plan.written["tools"] ?? []) as readonly JsonObject[];
  const changed = entries.map((entry) =>
    swaps
      .filter(({ tool: { owner } }) => owner === (entry["id"] ?? entry["module"]))
      .reduce<JsonObject>((before, { tool, description }) => describe(before, tool, description), entry),
  );
  return { ...plan.written, tools: changed };
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
