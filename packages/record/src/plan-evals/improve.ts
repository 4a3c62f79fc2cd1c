import { ToolmountError, type JsonObject, type ToolInfo } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import type { OpenedHost, OpenHostOptions } from "@toolmount/loader";
import { compareSides, type Comparison, type Side } from "./compare.ts";
import type { PlanEval } from "./read.ts";
import type { EvalReport } from "./run.ts";
import { runSide, type SideOptions } from "./side.ts";
import { countPassed } from "./summary.ts";
import { describeTools } from "./swap.ts";

/** The result of an attempt to improve a description. */
export interface Improvement {
  readonly tool: string;
  readonly before: string;
  /** The best proposed description; null if none passed more often than the present one. */
  readonly after: string | null;
  /** Number of descriptions that were tried. */
  readonly tried: number;
  /** The comparison on the evaluations that were not used to make the proposals; null if there is no better description. */
  readonly heldOut: Comparison | null;
  /** Whether that comparison shows that the new description is better, at p < 0.05. */
  readonly isBetter: boolean;
}

/** What is needed to run evaluations on a plan. */
interface ImproveOptions {
  readonly host: OpenedHost;
  readonly tests: readonly PlanEval[];
  readonly loader: OpenHostOptions;
  readonly side: SideOptions;
}

/** Number of descriptions for which the model is asked. */
const proposals = 4;

/**
 * Asks the model for descriptions of a tool, tries each on one half of the evaluations, and the best on the other half. The
 * proposals are made only from the first half, so the second half shows whether they also help with other prompts.
 */
export async function improveTool(tool: string, options: ImproveOptions): Promise<Improvement> {
  const { host, tests } = options;
  const described = host.tools().find(({ name }) => name === tool);
  if (described === undefined) throw usageError(`the plan mounts no tool ${tool}`);
  const [tuned, heldOut] = halvesOf(tests);
  if (heldOut.length === 0)
    throw usageError("two evaluations are needed: one to find a better description, one to try it");
  const before = await runOn(options, tuned, null);
  const texts = await propose(tool, described.description, before, options);
  let best: { readonly text: string; readonly passed: number } | null = null;
  for (const text of texts) {
    const passed = passedOf(await runOn(options, tuned, { tool: described, text }));
    if (passed > (best?.passed ?? passedOf(before))) best = { text, passed };
  }
  const none = { tool, before: described.description, after: null, tried: texts.length };
  if (best === null) return { ...none, heldOut: null, isBetter: false };
  const now: Side = { name: "now", reports: await runOn(options, heldOut, null) };
  const next: Side = {
    name: "new",
    reports: await runOn(options, heldOut, { tool: described, text: best.text }),
  };
  const comparison = compareSides(now, next);
  const isBetter = comparison.better === next.name;
  return { ...none, after: best.text, heldOut: comparison, isBetter };
}

/** Splits the evaluations into halves that do not depend on their order in the plan. */
function halvesOf(tests: readonly PlanEval[]): readonly [readonly PlanEval[], readonly PlanEval[]] {
  const sorted = tests.toSorted((one, other) => (digestOf(one.prompt) < digestOf(other.prompt) ? -1 : 1));
  return [sorted.filter((_, at) => at % 2 === 0), sorted.filter((_, at) => at % 2 === 1)];
}

function passedOf(reports: readonly EvalReport[]): number {
  return reports.reduce((sum, report) => sum + countPassed(report), 0);
}

async function runOn(
  { host, loader, side }: ImproveOptions,
  tests: readonly PlanEval[],
  change: { readonly tool: ToolInfo; readonly text: string } | null,
): Promise<readonly EvalReport[]> {
  const plan =
    change === null
      ? host.plan.written
      : describeTools(host.plan.written, [{ tool: change.tool, description: change.text }]);
  const given = { ...loader, cwd: host.plan.folder, overlays: [] };
  const { host: opened, reports } = await runSide(plan, given, () => tests, side);
  await opened.close();
  return reports;
}

/** The sections of a plan that name a model, in toolmount's plans and in Amplifier's. */
const modelSections = new Set(["agent", "session", "orchestrator", "context", "providers"]);

async function propose(
  tool: string,
  description: string,
  reports: readonly EvalReport[],
  { host, loader, side }: ImproveOptions,
): Promise<readonly string[]> {
  const { openHost } = await import("@toolmount/loader");
  const model = Object.entries(host.plan.written).filter(([key]) => modelSections.has(key));
  const plan: JsonObject = { tools: [], ...Object.fromEntries(model) };
  const empty = await openHost(plan, { ...loader, cwd: host.plan.folder, overlays: [] });
  try {
    const opened = await side.asking.open(empty, side);
    try {
      const prompt = promptFor(tool, description, reports, host);
      const { text } = await opened.reasoner.run(empty, { prompt, settings: opened.settings });
      return readProposals(text, description);
    } finally {
      await opened.close();
    }
  } finally {
    await empty.close();
  }
}

function promptFor(
  tool: string,
  description: string,
  reports: readonly EvalReport[],
  host: OpenedHost,
): string {
  const others = host.tools().filter(({ name }) => name !== tool);
  const wrong = reports.flatMap(({ test, runs }) =>
    [...new Set(runs.flatMap(({ problems }) => problems))].map((problem) => `- "${test.prompt}": ${problem}`),
  );
  return [
    `A model chooses tools by their descriptions. It confuses the tool ${tool} with others.`,
    `Its description: ${description}`,
    `Other tools:\n${others.map((other) => `- ${other.name}: ${other.description}`).join("\n")}`,
    `What went wrong:\n${wrong.join("\n") || "- nothing"}`,
    `Write ${proposals} better descriptions of ${tool}, of at most three sentences: what it does, when to use it, when to use another tool. Do not name the prompts above. Answer with a JSON list of texts, and nothing else.`,
  ].join("\n\n");
}

/** Reads the texts of the list in the answer. A model may write words or a fence around the list. */
function readProposals(text: string, description: string): readonly string[] {
  try {
    const list = JSON.parse(text.slice(text.indexOf("["), text.lastIndexOf("]") + 1)) as unknown;
    const texts = (Array.isArray(list) ? list : []).filter((item) => typeof item === "string");
    return [...new Set(texts)].filter((item) => item !== description).slice(0, proposals);
  } catch {
    return [];
  }
}

function usageError(problem: string): ToolmountError {
  return new ToolmountError("USAGE_INVALID", { problem });
}
