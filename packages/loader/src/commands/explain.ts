import { createHost, type JsonObject, type Policy, type PolicyAnswer, type ToolInfo } from "@toolmount/core";
import { fillOptions } from "../host/defaults.ts";
import { infosOf, inspectLoaded, type InspectedEntry, type InspectedTool } from "./inspect.ts";
import { loadPlan, type LoadedPlan, type PlanInput } from "../mount/load-plan.ts";
import { mountModule } from "../mount/mount-module.ts";
import type { OpenHostOptions } from "../host/options.ts";
import { findPosition, type Path } from "../diagnostics/positions.ts";
import type { PreparedUnit } from "../mount/prepare-unit.ts";
import type { Problem } from "../diagnostics/problems.ts";

/** What one policy says of a call. */
export interface ExplainedAnswer {
  readonly policy: string;
  readonly answer: NonNullable<PolicyAnswer>;
}

/** Why a tool is, or is not, there as it is. */
export interface ExplainedTool extends InspectedTool {
  readonly entry: InspectedEntry;
  /** What policies would say of a call with the given arguments; none for a tool that is left out. */
  readonly answers: readonly ExplainedAnswer[];
}

export interface Explanation {
  /** Every tool of that name, offered or declared. */
  readonly tools: readonly ExplainedTool[];
  /** All offered names, for hints. */
  readonly offered: readonly string[];
  readonly problems: readonly Problem[];
  /** Ids of entries whose tools only importing could tell. */
  readonly unknown: readonly string[];
}

/** Of which call the policies are asked. */
export interface ExplainOptions extends OpenHostOptions {
  readonly arguments?: JsonObject | undefined;
  readonly mode?: string | undefined;
}

/**
 * Explains a tool of a plan by its offered or its declared name: which file and line mounted, left out, renamed,
 * described and limited it, and what the plan's policies would say of a call. No tool's code is run.
 */
export async function explainTool(
  name: string,
  input?: PlanInput,
  options: ExplainOptions = {},
): Promise<Explanation> {
  const filled = fillOptions(options);
  const { inspected, loaded, sections } = await inspectLoaded(await loadPlan(input, filled), filled);
  const found = inspected.entries.flatMap((entry) =>
    (entry.tools ?? [])
      .filter((tool) => tool.name === name || tool.declared.name === name)
      .map((tool) => ({ ...tool, entry })),
  );
  const infos = inspected.entries.flatMap(infosOf);
  const judge = await openPolicies(sections, loaded);
  const tools = await Promise.all(
    found.map(async (tool) => {
      const info = infos.find(({ name: offered, owner }) => offered === tool.name && owner === tool.entry.id);
      const answers = info === undefined ? [] : await judge(info, options.arguments ?? {}, options.mode);
      return { ...tool, answers };
    }),
  );
  return {
    tools,
    offered: infos.map((info) => info.name),
    problems: inspected.problems,
    unknown: inspected.unknown,
  };
}

type Judge = (tool: ToolInfo, args: JsonObject, mode: string | undefined) => Promise<ExplainedAnswer[]>;

/** Mounts the modules of the plan's policy in a host of their own, and asks them. */
async function openPolicies(sections: readonly PreparedUnit[], { map }: LoadedPlan): Promise<Judge> {
  const units = sections.filter(({ unit }) => unit.section === "policy");
  return async (tool, args, mode) => {
    const host = createHost();
    try {
      host.coordinator.registerCapability("plan.position", (path: Path) => findPosition(map, path));
      const draft = host.draft();
      for (const { unit, module, config } of units)
        await mountModule(unit.id, module, draft.addModule({ id: unit.id, config }).coordinator, config);
      await draft.commit();
      const policies = [...(host.coordinator.get("policies") as ReadonlyMap<string, Policy>).values()];
      return await askAll(policies, tool, args, mode);
    } finally {
      await host.close();
    }
  };
}

async function askAll(
  policies: readonly Policy[],
  tool: ToolInfo,
  args: JsonObject,
  mode: string | undefined,
): Promise<ExplainedAnswer[]> {
  const info = { callId: "", runId: "", tool: tool.name, depth: 0, ...(mode !== undefined && { mode }) };
  const answers = policies.map(async (policy): Promise<ExplainedAnswer[]> => {
    const answer = (await policy.prepare(tool)?.({ info, tool, arguments: args })) ?? null;
    return answer === null ? [] : [{ policy: policy.name, answer }];
  });
  return (await Promise.all(answers)).flat();
}
