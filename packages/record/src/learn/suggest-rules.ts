import type { JsonObject, ToolInfo } from "@toolmount/core";
import { createListPolicy } from "@toolmount/policy";
import type { Judge } from "./judge-host.ts";
import { exactly, findPatterns } from "./patterns.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** A line for the policy's lists, with the calls that support it. */
interface SuggestedLine {
  readonly list: "allow" | "ask";
  readonly line: string;
  /** Number of answered calls that support the line. */
  readonly calls: number;
  /** Some of these calls. */
  readonly examples: readonly { readonly id: string; readonly arguments: string }[];
  /** Set if the line allows a whole tool because flows ask about what people denied. Without `flows`, it would allow too much. */
  readonly needsFlows?: true;
}

/** What the answers of people say about a policy. */
export interface Suggestion {
  readonly lines: readonly SuggestedLine[];
  /** Number of calls that a person answered. */
  readonly answered: number;
  /** Number of questions of the plan that the lines would have avoided. */
  readonly spared: number;
  /** Numbers of questions that remain, by the reason. */
  readonly remaining: Readonly<Record<string, number>>;
  /** The smallest budget that would have allowed every session; null if too few sessions are known. */
  readonly budget: { readonly sessions: number; readonly calls: number } | null;
}

/** Minimum number of approvals that support a line. */
const leastCalls = 2;

/** Minimum number of sessions that support a budget, and maximum number that are counted. */
const [leastSessions, maxSessions] = [5, 100_000];

/** Maximum number of distinct calls of a tool that are kept. No short list of patterns would match more of them. */
const maxDistinct = 5_000;

interface Answered {
  readonly id: string;
  readonly arguments: JsonObject;
  readonly isAllowed: boolean;
  /** Whether flows ask about the call; undefined if flows are not known. */
  readonly asksOfFlows: boolean | undefined;
  count: number;
}

/**
 * Finds the narrowest lines that would have allowed what people allowed, and would still have asked about what they denied.
 *
 * A line is about a whole tool only if the tool is declared to change nothing of consequence and none of its calls was denied.
 * Otherwise it is a pattern of the argument that decides, see {@link decisiveArgument}. No line removes a question of a rule, a
 * list or a hook. If flows ask about every denied call of a tool with control arguments, a line is about the whole tool,
 * because the flows decide.
 */
export async function suggestRules(calls: AsyncIterable<RecordedCall>, judge: Judge): Promise<Suggestion> {
  const sessions = new Map<string, number>();
  const byTool = await collect(calls, sessions);
  const tools = new Map(judge.host.tools({ includeDeprecated: true }).map((tool) => [tool.name, tool]));
  const lines: SuggestedLine[] = [];
  const remaining: Record<string, number> = {};
  const leave = (why: string, count: number) => void (remaining[why] = (remaining[why] ?? 0) + count);
  let [answered, spared] = [0, 0];
  for (const [name, seen] of byTool) {
    const tool = tools.get(name);
    answered += countOf(seen);
    if (tool === undefined) {
      leave(`${name}: the plan has no such tool`, countOf(seen));
      continue;
    }
    const { open, wronglyAllowed } = await judgeAll(tool, seen, judge, leave);
    lines.push(...linesToAsk(tool, wronglyAllowed));
    const denied = seen.filter(({ isAllowed }) => !isAllowed);
    const found = linesToAllow(tool, open, denied);
    lines.push(...found);
    const covered = open.filter((call) => found.some(({ line }) => fits("allow", line, tool, call)));
    const asked = covered.filter(({ asksOfFlows }) => asksOfFlows === true);
    spared += countOf(covered) - countOf(asked);
    leave(`${name}: asked by flows`, countOf(asked));
    leave(`${name}: too few approvals that are alike`, countOf(open) - countOf(covered));
  }
  const left = Object.fromEntries(Object.entries(remaining).filter(([, count]) => count > 0));
  const most = [...sessions.values()].reduce((before, count) => Math.max(before, count), 0);
  return {
    lines: lines.toSorted((a, b) => b.calls - a.calls),
    answered,
    spared,
    remaining: left,
    budget: sessions.size < leastSessions ? null : { sessions: sessions.size, calls: most },
  };
}

async function collect(
  calls: AsyncIterable<RecordedCall>,
  sessions: Map<string, number>,
): Promise<Map<string, Answered[]>> {
  const byTool = new Map<string, Map<string, Answered>>();
  for await (const { tool, arguments: given, person, id, session, asksOfFlows } of calls) {
    if (session !== undefined && (sessions.has(session) || sessions.size < maxSessions))
      sessions.set(session, (sessions.get(session) ?? 0) + 1);
    if (person === null || given === null) continue;
    const seen = byTool.get(tool) ?? new Map<string, Answered>();
    byTool.set(tool, seen);
    const key = `${person} ${asksOfFlows} ${JSON.stringify(given)}`;
    const known = seen.get(key);
    if (known !== undefined) known.count++;
    else if (seen.size < maxDistinct)
      seen.set(key, { id, arguments: given, isAllowed: person === "allowed", asksOfFlows, count: 1 });
  }
  return new Map([...byTool].map(([tool, seen]) => [tool, [...seen.values()]]));
}

/** Selects allowed calls about which the level or the tool asks now, and denied calls that the plan allows now. */
async function judgeAll(
  { name }: ToolInfo,
  seen: readonly Answered[],
  judge: Judge,
  leave: (why: string, count: number) => void,
) {
  const open: Answered[] = [];
  const wronglyAllowed: Answered[] = [];
  for (const call of seen) {
    const now = await judge.judge({ tool: name, arguments: call.arguments, user: undefined });
    if (!call.isAllowed && now.answer === "allow" && call.asksOfFlows !== true) wronglyAllowed.push(call);
    if (!call.isAllowed || now.answer !== "ask") continue;
    if (now.isLiftable) open.push(call);
    else leave(`${name}: asked by ${now.rules[0]}, which no line removes`, call.count);
  }
  return { open, wronglyAllowed };
}

function linesToAllow(
  tool: ToolInfo,
  open: readonly Answered[],
  denied: readonly Answered[],
): SuggestedLine[] {
  const isHarmless = tool.category === "read" || tool.consequenceLevel === "low";
  if (isHarmless && denied.length === 0 && countOf(open) >= leastCalls)
    return [lineOf("allow", tool.name, open)];
  const passed = open.filter(({ asksOfFlows }) => asksOfFlows === false);
  if (
    isGuarded(tool) &&
    denied.every(({ asksOfFlows }) => asksOfFlows === true) &&
    countOf(passed) >= leastCalls
  )
    return [{ ...lineOf("allow", tool.name, passed), needsFlows: true }];
  const argument = decisiveArgument(tool);
  if (argument === null) return [];
  const textsOf = (calls: readonly Answered[]) => calls.flatMap((call) => readTexts(call, argument));
  const patterns = isCommand(tool, argument)
    ? exactly(textsOf(open))
    : findPatterns(textsOf(open), textsOf(denied));
  return patterns.flatMap(({ glob, values }) => {
    const line = toLine(tool, argument, glob);
    const behind = open.filter((call) => readTexts(call, argument).some((text) => values.has(text)));
    const refuses = denied.every((call) => !fits("allow", line, tool, call));
    return refuses && countOf(behind) >= leastCalls ? [lineOf("allow", line, behind)] : [];
  });
}

function isGuarded({ control = [] }: ToolInfo): boolean {
  return control.length > 0;
}

/** Returns lines that ask again about calls that a person denied but that the plan allows now. */
function linesToAsk(tool: ToolInfo, denied: readonly Answered[]): SuggestedLine[] {
  if (denied.length === 0) return [];
  const argument = decisiveArgument(tool);
  const texts = argument === null ? [] : denied.flatMap((call) => readTexts(call, argument));
  if (argument === null || texts.length < denied.length) return [lineOf("ask", tool.name, denied)];
  const patterns = isCommand(tool, argument) ? exactly(texts) : findPatterns(texts, []);
  return patterns.map(({ glob, values }) =>
    lineOf(
      "ask",
      toLine(tool, argument, glob),
      denied.filter((call) => readTexts(call, argument).some((text) => values.has(text))),
    ),
  );
}

function toLine({ name, inputSchema }: ToolInfo, argument: string, glob: string): string {
  return argument === firstArgument(inputSchema) ? `${name}(${glob})` : `${name}(${argument}: ${glob})`;
}

function lineOf(list: SuggestedLine["list"], line: string, behind: readonly Answered[]): SuggestedLine {
  const examples = behind
    .slice(0, 3)
    .map(({ id, arguments: given }) => ({ id, arguments: JSON.stringify(given).slice(0, 300) }));
  return { list, line, calls: countOf(behind), examples };
}

function fits(list: SuggestedLine["list"], line: string, tool: ToolInfo, call: Answered): boolean {
  const judge = createListPolicy(list, line).prepare(tool);
  return judge !== null && judge({ arguments: call.arguments } as never) !== null;
}

/**
 * Returns the argument for a pattern: the argument that decides where an effect goes, or else the first required one. Null if
 * several arguments decide, because a line cannot be about all of them.
 */
function decisiveArgument({ control, inputSchema }: ToolInfo): string | null {
  if (control !== undefined && control.length > 0) return control.length === 1 ? control[0]! : null;
  return firstArgument(inputSchema);
}

function firstArgument(inputSchema: ToolInfo["inputSchema"]): string | null {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: object;
    readonly required?: readonly string[];
  };
  return required[0] ?? Object.keys(properties)[0] ?? null;
}

/** Whether an argument is something that is run, judged by the tool's tag or by words in the argument's name. */
function isCommand({ tags }: ToolInfo, argument: string): boolean {
  return tags.includes("shell") || commandWords.test(argument);
}

const commandWords = /command|cmd|script|shell|exec|program|argv|args|code|eval|expression|query|sql/i;

/** Returns the texts of an argument that a pattern can match. Texts of several lines or of unusual length are left out. */
function readTexts({ arguments: given }: Answered, argument: string): string[] {
  const value = given[argument];
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((item) => {
    const text = typeof item === "number" || typeof item === "boolean" ? String(item) : item;
    const isPlain = typeof text === "string" && text.trim() !== "" && text.length <= 200;
    return isPlain && !/[\n\r]|^[A-Za-z_][\w-]*: /.test(text) ? [text] : [];
  });
}

function countOf(calls: readonly Answered[]): number {
  return calls.reduce((sum, { count }) => sum + count, 0);
}
