import { isToolmountError, type JsonObject, type ToolInfo } from "@toolmount/core";
import type { OpenHostOptions, OpenedHost, Problem } from "@toolmount/loader";
import type { Answer, PlanTest } from "./read.ts";
import { createTestBench, type TestBench } from "./run.ts";

/** A call that is judged but not run. Without arguments, the judge makes up arguments that fit the tool's schema. */
interface JudgedCall {
  readonly tool: string;
  readonly arguments: ((tool: ToolInfo) => JsonObject | undefined) | JsonObject | undefined;
  readonly mode: string | undefined;
  readonly user: string | undefined;
  readonly session: string | undefined;
  /** What the user wrote before the call. */
  readonly prompts?: readonly string[] | undefined;
}

/** What would happen to a call. `depends`: no arguments were given, and none that fit the schema could be made up. */
export interface Verdict {
  readonly answer: Answer | "depends";
  readonly reason: string;
  /** The lines of the plan that ask. */
  readonly rules: readonly string[];
  /** The arguments that were made up for the call; null if they were given. */
  readonly madeUp: JsonObject | null;
}

/** What a host of the plan says about a call. */
interface Judgement {
  /** The tools that the plan offers; undefined if the plan cannot be opened. */
  readonly tools: readonly ToolInfo[] | undefined;
  /** The verdicts by the offered names of the tools. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** Why the plan cannot be opened. */
  readonly problems: readonly Problem[];
}

/**
 * Opens a plan, calls each tool with that offered or declared name, and reports how far the call gets through gates, policies,
 * modes, budgets and the confirmation of the tool itself. No tool runs, nothing is stored, and no person is asked.
 */
export async function judgeCalls(
  call: JudgedCall,
  plan: string | undefined,
  options: OpenHostOptions,
): Promise<Judgement> {
  const { openHost } = await import("@toolmount/loader");
  const bench = createTestBench();
  let host: OpenedHost;
  try {
    host = await openHost(plan, { ...options, ...bench.options });
  } catch (error) {
    return { tools: undefined, verdicts: new Map(), problems: problemsOf(error) };
  }
  try {
    const tools = host.tools({ includeDeprecated: true });
    const named = tools.filter((tool) => [tool.name, tool.declaredName].includes(call.tool));
    const verdicts = new Map<string, Verdict>();
    for (const tool of named) {
      const given = typeof call.arguments === "function" ? call.arguments(tool) : call.arguments;
      verdicts.set(tool.name, await judge(tool, { ...call, arguments: given }, host, bench));
    }
    return { tools, verdicts, problems: [] };
  } finally {
    await host.close();
  }
}

/** Returns the problems of a plan that cannot be opened. Throws other errors again. */
function problemsOf(error: unknown): readonly Problem[] {
  if (!isToolmountError(error) || error.code !== "PLAN_INVALID") throw error;
  return error.details.problems as readonly Problem[];
}

/** A judged call whose arguments, if it has any, are known. */
type ReadyCall = Omit<JudgedCall, "arguments"> & { readonly arguments: JsonObject | undefined };

async function judge(tool: ToolInfo, call: ReadyCall, host: OpenedHost, bench: TestBench): Promise<Verdict> {
  const { mode, session } = call;
  if (mode !== undefined) {
    const offer = await host.offer({ mode, sessionId: session });
    const isOffered = offer.tools.some(({ name }) => name === tool.name);
    if (!isOffered)
      return { answer: "not_found", reason: `mode ${mode} has no such tool`, rules: [], madeUp: null };
  }
  if (call.arguments !== undefined) return { ...(await judgeOnce(tool, call, host, bench)), madeUp: null };
  for (const madeUp of await makeArguments(tool)) {
    const verdict = await judgeOnce(tool, { ...call, arguments: madeUp }, host, bench);
    if (verdict.answer !== "invalid") return { ...verdict, madeUp };
  }
  return { answer: "depends", reason: "", rules: [], madeUp: null };
}

/** Returns arguments that the schema of a tool may accept, the simplest first. */
async function makeArguments({ inputSchema }: ToolInfo): Promise<readonly JsonObject[]> {
  const { sampleArguments } = await import("@toolmount/testing");
  return [{}, sampleArguments(inputSchema)];
}

async function judgeOnce(
  tool: ToolInfo,
  call: ReadyCall,
  host: OpenedHost,
  bench: TestBench,
): Promise<Omit<Verdict, "madeUp">> {
  const { answer, reason, rules } = await bench.run(host, testOf(tool, call));
  // A call that runs has no reason: an error could only come from the made-up result.
  return { answer, reason: answer === "allow" ? "" : reason, rules };
}

function testOf(
  { name }: ToolInfo,
  { arguments: given = {}, mode, user, session, prompts }: ReadyCall,
): PlanTest {
  return {
    path: ["tests", 0],
    tool: name,
    arguments: given,
    user,
    mode,
    session,
    prompts,
    given: { data: null },
    approve: false,
    expect: {},
  };
}
