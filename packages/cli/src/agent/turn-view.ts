import type { TurnEvent, TurnResult, WaitingCall } from "@toolmount/reasoner";
import { countOf } from "../screen/count.ts";
import { outcomeHeadline } from "../render/outcome.ts";
import { printable, printableLines } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { exitCodes, type ExitCode } from "../process/exit-codes.ts";

/** Shows a turn while it runs: the model's text as it comes, a card for each call, what goes wrong. */
export function createTurnView(screen: Screen): (event: TurnEvent) => void {
  let isOpen = false;
  let wasStreamed = false;
  let isThinking = false;
  const endLine = () => {
    if (isOpen) screen.line();
    isOpen = false;
    isThinking = false;
  };
  const line = (text: string) => {
    endLine();
    screen.line(text);
  };
  return (event) => {
    switch (event.type) {
      case "text_delta":
        if (isThinking) endLine();
        screen.write(printableLines(event.text));
        isOpen = true;
        wasStreamed = true;
        return;
      case "text":
        if (!wasStreamed) line(printableLines(event.text));
        wasStreamed = false;
        return endLine();
      case "tool_call":
      case "tool_result":
      case "tool_warning":
        return callLines(screen, event).forEach(line);
      case "agent":
        return agentLines(screen, event).forEach(line);
      case "message":
        return line(screen.paint("dim", `  added: ${printable(event.text)}`));
      case "compaction":
        return line(screen.paint("dim", compactionText(event)));
      case "retry":
        wasStreamed = false;
        return line(screen.paint("dim", `asking again in ${Math.round(event.afterMs)} ms (${event.kind})`));
      case "hitl":
        return event.waiting.flatMap(waitingCallsOf).forEach((call) => line(waitingLine(screen, call)));
      case "error":
        return line(`${screen.paint("red", event.code)} ${printableLines(event.message)}`);
      case "thinking_delta":
        if (!isThinking) endLine();
        screen.write(screen.paint("dim", printableLines(event.text)));
        isOpen = true;
        isThinking = true;
        return;
      case "begin":
        return;
      case "done":
      default:
        return endLine();
    }
  };
}

/** Shows a turn on `screen` while it runs, and at its end the model's last text alone on `answers`. */
export function createAnswerView(answers: Screen, screen: Screen): (event: TurnEvent) => void {
  const view = createTurnView(screen);
  let text = "";
  return (event) => {
    if (event.type === "text_delta") text += event.text;
    else if (event.type === "text") text = event.text;
    else if (event.type === "done") {
      view(event);
      if (text !== "") answers.line(printableLines(text));
    } else {
      // What the model wrote before it made calls is no answer yet.
      if (text !== "") view({ type: "text", text });
      text = "";
      view(event);
    }
  };
}

/** How a conversation became shorter. */
function compactionText({
  by,
  beforeTokens,
  afterTokens,
  dropped,
}: TurnEvent & { type: "compaction" }): string {
  const how = {
    cleared: "results of older calls are cleared",
    summary: `a summary replaces ${countOf(dropped, "older item")}`,
    turns: `${countOf(dropped, "older item")} are left out`,
    hook: "a hook chose what stays",
  }[by];
  return `  the conversation is shortened: ${how} (about ${beforeTokens} → ${afterTokens} tokens)`;
}

type CallEvent = TurnEvent & { type: "tool_call" | "tool_result" | "tool_warning" };

/** A call, its end, or a warning. */
function callLines(screen: Screen, event: CallEvent): string[] {
  if (event.type === "tool_call") return [callLine(screen, event)];
  if (event.type === "tool_result") return resultLines(screen, event);
  return [screen.paint("yellow", `  warning: ${printable(`${event.tool} ${event.message}`.trim())}`)];
}

type AgentEvent = TurnEvent & { type: "agent" };

const agentIndent = 4;

/** What a sub-agent does, indented below the call that runs it. Its answer is the result of that call. */
function agentLines(screen: Screen, event: AgentEvent): string[] {
  const columns = screen.columns === undefined ? undefined : screen.columns - agentIndent;
  return linesOfAgent({ ...screen, columns }, event).map((line) => " ".repeat(agentIndent) + line);
}

function linesOfAgent(screen: Screen, { event, agent }: AgentEvent): string[] {
  switch (event.type) {
    case "begin":
      return [`${screen.paint("dim", "agent")} ${screen.paint("cyan", printable(agent))}`];
    case "tool_call":
    case "tool_result":
    case "tool_warning":
      return callLines(screen, event);
    case "agent":
      return agentLines(screen, event);
    case "error":
      return [`${screen.paint("red", event.code)} ${printable(event.message)}`];
    case "text":
    case "text_delta":
    case "thinking_delta":
    case "retry":
    case "compaction":
    case "message":
    case "hitl":
    case "done":
    default:
      return [];
  }
}

function callLine(screen: Screen, event: TurnEvent & { type: "tool_call" }): string {
  const room = Math.max(20, (screen.columns ?? 120) - event.tool.length - 6);
  const given = printable(event.arguments);
  const shown = given.length > room ? `${given.slice(0, room - 1)}…` : given;
  return `  ${screen.paint("dim", "→")} ${screen.paint("bold", printable(event.tool))} ${screen.paint("dim", shown)}`;
}

function resultLines(
  screen: Screen,
  { outcome, tool, status, text }: TurnEvent & { type: "tool_result" },
): string[] {
  const headline =
    outcome === undefined
      ? `${screen.paint("yellow", `■ ${status}`)} ${screen.paint("bold", printable(tool))}`
      : outcomeHeadline(screen, outcome);
  // What was cancelled has nothing more to say.
  if (status === "ok" || status === "cancelled") return [`  ${headline}`];
  const lines = printableLines(text).trimEnd().split("\n");
  const more = lines.length - maxLines;
  return [
    `  ${headline}`,
    ...lines.slice(0, maxLines).map((line) => `      ${line}`),
    ...(more > 0 ? [screen.paint("dim", `      … ${countOf(more, "more line")}`)] : []),
  ];
}

/** Most lines of what went wrong; the whole is in `toolmount sessions show`. */
const maxLines = 8;

/** A call of a sub-agent that waits is shown in place of the delegation. */
function waitingCallsOf(call: WaitingCall): readonly WaitingCall[] {
  if (call.waitsFor !== "agent") return [call];
  const { waiting = [] } = (call.arguments ?? {}) as { readonly waiting?: readonly WaitingCall[] };
  return waiting.length === 0 ? [call] : waiting.flatMap(waitingCallsOf);
}

function waitingLine(screen: Screen, { tool, waitsFor, callId, arguments: given }: WaitingCall): string {
  const what =
    waitsFor === "client"
      ? `waits for the client: ${callId} ${JSON.stringify(given ?? {})}`
      : waitsFor === "run"
        ? "waits for another process that has it"
        : "waits for a person: toolmount approvals list";
  return `  ${screen.paint("yellow", "…")} ${screen.paint("bold", printable(tool))} ${printable(what)}`;
}

/** The session, cost and counts of a turn, and the command that resumes it. */
export function turnFooter(
  screen: Screen,
  { sessionId, status, incomplete, usage, cost, iterations, calls }: TurnResult,
  plan?: string,
): string[] {
  const facts = [
    `session ${printable(sessionId)}`,
    countOf(iterations, "request"),
    countOf(calls, "call"),
    `${usage.inputTokens} + ${usage.outputTokens} tokens`,
    ...(cost === null ? [] : [`${cost.amount.toFixed(4)} ${cost.currency}`]),
  ];
  const lines = [screen.paint("dim", facts.join(" · "))];
  if (status === "paused")
    lines.push(
      `resume with: ${screen.paint("cyan", `toolmount sessions resume ${printable([sessionId, plan].filter(Boolean).join(" "))}`)}`,
    );
  if (incomplete !== undefined)
    lines.push(screen.paint("yellow", `the turn is incomplete (${printable(incomplete)})`));
  if (status === "cancelled")
    lines.push(screen.paint("yellow", "the turn was cancelled; every call it made is answered"));
  return lines;
}

/** The exit code of a command whose work is one turn. */
export function exitCodeOfTurn({ status }: TurnResult): ExitCode {
  if (status === "done") return exitCodes.done;
  return status === "paused" ? exitCodes.pending : exitCodes.failed;
}
