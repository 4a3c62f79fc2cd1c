import {
  data,
  failure,
  ownSession,
  type Coordinator,
  type EventData,
  type HookResult,
  type ToolInfo,
  type ToolResult,
} from "@toolmount/core";
import { RecentMap } from "./recent-map.ts";

/** Turns whose calls are remembered. */
const kept = 10_000;

/** A tool whose calls are not counted, nor taken for a result: it changes only which tools the model is shown. */
const exempt = "activate_tools";

interface Turn {
  /** Runs of each signature. */
  readonly runs: Map<string, Set<string>>;
  hasResult: boolean;
  remaining: number;
}

/**
 * Stops a model that makes the same call over and over in one turn. Acts only once some tool of the turn has returned:
 * from the count `repeats` on a call is answered without being run, and the one before carries a warning. The agent loop reports the remaining iterations with `provider:request { session_id, turn_id,
 * iterations_remaining }`. Source: Aptix's ToolLoopGuard.
 */
export function mountLoopGuard(repeats: number, { hooks, get }: Pick<Coordinator, "hooks" | "get">): void {
  const turns = new RecentMap<Turn>(kept);
  const turnOf = (event: EventData) => {
    const { user_id: user, session_id: name, turn_id: turn } = event;
    const session = ownSession(user, name);
    if (session === undefined && turn === undefined) return null; // calls that nothing ties together
    if (event["tool_name"] === exempt) return null;
    return turns.take(JSON.stringify([session, turn]), () => ({
      runs: new Map(),
      hasResult: false,
      remaining: Number.POSITIVE_INFINITY,
    }));
  };

  const toolOf = ({ tool_name: name }: EventData): SuppressedTool => ({
    name: String(name),
    outputSchema: (get("tools", String(name)) as ToolInfo | null)?.outputSchema,
  });

  hooks.gate(
    "tool:pre",
    (_, event) => {
      const turn = turnOf(event);
      if (turn === null) return undefined;
      const count = countOf(turn, event);
      if (!turn.hasResult || count < repeats) return undefined;
      return { action: "modify", data: { tool_result: suppressed(toolOf(event), turn) } };
    },
    { name: "loop guard", priority: 90 },
  );

  hooks.gate(
    "tool:post",
    (_, event) => {
      const turn = turnOf(event);
      if (turn === null) return undefined;
      const result = event["tool_result"] as ToolResult;
      const count = turn.hasResult ? (turn.runs.get(signatureOf(event))?.size ?? 0) : 0;
      turn.hasResult = true;
      return count > 1 && count === repeats - 1 ? warned(result, count, turn) : undefined;
    },
    { name: "loop guard", priority: 90 },
  );

  hooks.observe("tool:error", (_, event) => {
    const turn = turnOf(event);
    if (turn !== null) turn.hasResult = true;
  });
  hooks.observe("provider:request", (_, event) => {
    const turn = turnOf(event);
    if (turn !== null && typeof event["iterations_remaining"] === "number")
      turn.remaining = event["iterations_remaining"];
  });
}

/** The number of equal calls of a turn, with this one. A resumed call counts once. */
function countOf(turn: Turn, event: EventData): number {
  const signature = signatureOf(event);
  const runs = turn.runs.get(signature) ?? new Set();
  turn.runs.set(signature, runs.add(String(event["run_id"])));
  return runs.size;
}

function signatureOf(event: EventData): string {
  return callSignature(String(event["tool_name"]), event["tool_input"]);
}

/**
 * The text by which equal calls are found: the name, and the arguments as JSON with sorted keys, or trimmed where they are
 * a text that is not JSON. Case makes no difference.
 */
export function callSignature(name: string, given: unknown): string {
  return `${name}\n${typeof given === "string" ? ofText(given) : (JSON.stringify(sorted(given)) ?? "")}`.toLowerCase();
}

function ofText(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return text.trim();
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fold = (key: string) => key.toLowerCase();
  const members = Object.entries(value).toSorted(([a], [b]) =>
    fold(a) < fold(b) ? -1 : fold(a) > fold(b) ? 1 : 0,
  );
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}

const finish = "This is the last step of the turn: answer now with what you have.";

interface SuppressedTool {
  readonly name: string;
  readonly outputSchema: ToolInfo["outputSchema"] | undefined;
}

/** The answer in place of a result. It is a failure where the tool promises data of another form. */
function suppressed({ name: tool, outputSchema }: SuppressedTool, { remaining }: Turn) {
  const guidance = [
    "This call was made before in this turn with the same arguments; its result is above. Use it, or call with other arguments.",
    ...(remaining <= 1 ? [finish] : []),
  ].join(" ");
  const facts = { suppressed: true, reason: "repeat_tool_call_detected", tool, guidance };
  return outputSchema === undefined
    ? data(facts)
    : failure(guidance, { code: "CALL_REPEATED", details: facts });
}

function warned(result: ToolResult, count: number, { remaining }: Turn): HookResult {
  const warning = `the same call was made ${count} times in this turn; its result will not change`;
  const warnings = [...(result.warnings ?? []), warning, ...(remaining <= 1 ? [finish] : [])];
  return { action: "modify", data: { tool_result: { ...result, warnings } } };
}
