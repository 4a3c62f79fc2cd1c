import { createHost, type JsonObject, type Policy, type PolicyAnswer, type ToolInfo } from "@toolmount/core";
import { fillOptions } from "../host/defaults.ts";
import { describeTool } from "./describe-module.ts";
import { findOrigins } from "./origins.ts";
import { infosOf, inspectLoaded, type InspectedEntry, type InspectedTool } from "./inspect.ts";
import { loadPlan, type LoadedPlan, type PlanInput } from "../mount/load-plan.ts";
import { mountModule } from "../mount/recording-coordinator.ts";
import type { OpenHostOptions } from "../host/options.ts";
import { findPosition, type Path } from "../diagnostics/positions.ts";
import type { PreparedUse } from "../mount/prepare-module.ts";
import type { Problem } from "../diagnostics/problems.ts";

/** The answer of one policy to a call. */
export interface ExplainedAnswer {
  readonly policy: string;
  readonly answer: NonNullable<PolicyAnswer>;
}

/** A tool with what the plan does with it, and the answers of policies to a call. */
export interface ExplainedTool extends InspectedTool {
  readonly entry: InspectedEntry;
  /** The policies' answers to a call with the given arguments; empty for a tool that the plan excludes. */
  readonly answers: readonly ExplainedAnswer[];
}

/** What a plan does with a tool. */
export interface Explanation {
  /** The tools whose offered or declared name it is. Several entries can have one. */
  readonly tools: readonly ExplainedTool[];
  /** All offered names, so that a message can suggest a similar one. */
  readonly offered: readonly string[];
  readonly problems: readonly Problem[];
  /** Ids of entries whose tools are not known, because no manifest lists them. */
  readonly unknown: readonly string[];
}

/** The call that the policies are asked about. */
export interface ExplainOptions extends OpenHostOptions {
  readonly arguments?: JsonObject | undefined;
  readonly mode?: string | undefined;
  readonly user?: string | undefined;
  readonly session?: string | undefined;
  /** What the user wrote before the call. */
  readonly prompts?: readonly string[] | undefined;
  /** Tools that a host of this plan offers. They are needed for modules without a manifest. */
  readonly tools?: readonly ToolInfo[] | undefined;
}

/**
 * Explains a tool of a plan by its offered or its declared name: which file and line mounted, excluded, renamed, described or
 * limited it, and how the plan's policies would answer a call. No tool's code runs.
 */
export async function explainTool(
  name: string,
  input?: PlanInput,
  options: ExplainOptions = {},
): Promise<Explanation> {
  const filled = fillOptions(options);
  const { inspected, loaded, sections } = await inspectLoaded(await loadPlan(input, filled), filled);
  const entries = inspected.entries.map((entry) => completeEntry(entry, options.tools, loaded));
  const found = entries.flatMap((entry) =>
    (entry.tools ?? [])
      .filter((tool) => tool.name === name || tool.declared.name === name)
      .map((tool) => ({ ...tool, entry })),
  );
  const infos = entries.flatMap(infosOf);
  const tools = await Promise.all(
    found.map(async (tool) => {
      const info = infos.find(({ name: offered, owner }) => offered === tool.name && owner === tool.entry.id);
      const answers =
        info === undefined
          ? []
          : await withPolicies(sections, loaded, (policies) => askAll(policies, info, options));
      return { ...tool, answers };
    }),
  );
  return {
    tools,
    offered: infos.map((info) => info.name),
    problems: inspected.problems,
    unknown: options.tools === undefined ? inspected.unknown : [],
  };
}

/** Adds the tools to an entry without a manifest. They are those of `tools`, which a host of the plan offers. */
function completeEntry(
  entry: InspectedEntry,
  tools: readonly ToolInfo[] | undefined,
  loaded: LoadedPlan,
): InspectedEntry {
  const planned = loaded.modules.find(({ id }) => id === entry.id)?.entry;
  if (entry.tools !== null || tools === undefined || planned == null) return entry;
  const own = tools.filter(({ owner }) => owner === entry.id);
  return {
    ...entry,
    tools: own.map((tool) => {
      const declared = describeTool({ ...tool, name: tool.declaredName });
      return { name: tool.name, declared, origins: findOrigins(planned, declared, loaded) };
    }),
  };
}

/** A tool of a plan, and what the plan's policies answer to its calls. */
export interface AskedTool {
  readonly tool: ToolInfo;
  readonly answers: readonly ExplainedAnswer[];
}

/**
 * Asks the plan's policies about a call of each tool in manifests, and of those in `options.tools` whose entry has no manifest,
 * such as tools of a lock file. The arguments are not known, so rules about arguments give no answer. No module of an entry is
 * imported.
 */
export async function askAboutTools(
  input: PlanInput,
  options: Pick<ExplainOptions, "tools"> & OpenHostOptions = {},
): Promise<readonly AskedTool[]> {
  const filled = fillOptions(options);
  const { inspected, loaded, sections } = await inspectLoaded(await loadPlan(input, filled), filled);
  const without = new Set(inspected.entries.flatMap(({ id, tools }) => (tools === null ? [id] : [])));
  const others = (options.tools ?? []).filter(({ owner }) => without.has(owner));
  const infos = [...inspected.entries.flatMap(infosOf), ...others];
  return withPolicies(sections, loaded, (policies) =>
    Promise.all(infos.map(async (tool) => ({ tool, answers: await askAll(policies, tool, {}) }))),
  );
}

type AskedCall = Pick<ExplainOptions, "arguments" | "mode" | "user" | "session" | "prompts">;

/** Asks policies about a call of a tool. Returns only answers, without the policies that have none. */
export async function askAll(
  policies: readonly Policy[],
  tool: ToolInfo,
  { arguments: given = {}, mode, user, session, prompts }: AskedCall,
): Promise<ExplainedAnswer[]> {
  const info = {
    callId: "",
    runId: "",
    tool: tool.name,
    depth: 0,
    ...(mode !== undefined && { mode }),
    ...(user !== undefined && { userId: user }),
    ...(session !== undefined && { sessionId: session }),
  };
  const answers = policies.map(async (policy): Promise<ExplainedAnswer[]> => {
    const answer = (await policy.prepare(tool)?.({ info, tool, arguments: given, prompts })) ?? null;
    return answer === null || answer.answer === "none" ? [] : [{ policy: policy.name, answer }];
  });
  return (await Promise.all(answers)).flat();
}

/** Mounts the plan's policy modules in a separate host, and passes the policies to `ask`. */
async function withPolicies<Value>(
  sections: readonly PreparedUse[],
  { map }: LoadedPlan,
  ask: (policies: readonly Policy[]) => Promise<Value>,
): Promise<Value> {
  const host = createHost();
  try {
    host.coordinator.registerCapability("plan.position", (path: Path) => findPosition(map, path));
    const draft = host.draft();
    for (const { use, module, config } of sections.filter((section) => decides(section)))
      await mountModule(use.id, module, draft.addModule({ id: use.id, config }).coordinator, config);
    await draft.commit();
    return await ask([...(host.coordinator.get("policies") as ReadonlyMap<string, Policy>).values()]);
  } finally {
    await host.close();
  }
}

/** Tests whether a module comes from the plan's section `policy`. Only those modules decide about calls. */
function decides({ use }: PreparedUse): boolean {
  return use.section === "policy";
}
