import type { JsonObject } from "@toolmount/core";
import { fillOptions } from "../host/defaults.ts";
import type { OpenHostOptions } from "../host/options.ts";
import { loadPlan, type PlanInput } from "../mount/load-plan.ts";

/** The MCP servers that a plan mounts, and its section `state`. */
export interface McpServers {
  /** The plan's folder. */
  readonly folder: string;
  /** The section `state` with its variables filled in; undefined if the plan has none, or if it is `memory`. */
  readonly state: string | undefined;
  readonly servers: readonly {
    readonly id: string;
    /** The settings of the server with the plan's variables filled in, so they may contain secrets. */
    readonly settings: JsonObject;
  }[];
}

/**
 * Reads the MCP servers of a plan, without starting one. Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a text that is not a
 * plan.
 */
export async function readMcpServers(input?: PlanInput, options: OpenHostOptions = {}): Promise<McpServers> {
  const { opened, plan, modules } = await loadPlan(input, fillOptions(options));
  const state = plan.sections["state"];
  return {
    folder: opened.folder,
    state: typeof state === "string" && state !== "memory" ? state : undefined,
    servers: modules.flatMap(({ id, source, config }) =>
      source.kind === "scheme" && source.scheme === "mcp" ? [{ id, settings: { ...config, name: id } }] : [],
    ),
  };
}
