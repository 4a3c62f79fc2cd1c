import type { TurnEvent, WaitingCall } from "@toolmount/reasoner";
import { countOf } from "../screen/count.ts";
import { outcomeHeadline } from "../render/outcome.ts";
import { printable, printableLines } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { createMarkdownWriter } from "../screen/markdown.ts";

/**
 * Shows a turn while it runs: the model's text as it arrives, a line for each call, and errors. Renders Markdown on a terminal,
 * except on one that cannot redraw lines (`isPlain`).
 */
export function createTurnView(screen: Screen, isPlain: boolean): (event: TurnEvent) => void {
  let wasStreamed = false;
  const prose = createProse(screen, isPlain);
  const resultsOf = createResultLines(screen);
  const line = (text: string) => {
    prose.end();
    screen.line(text);
  };
  return (event) => {
    switch (event.type) {
      case "text_delta":
        wasStreamed = true;
        return prose.text(event.text);
      case "text":
        if (!wasStreamed) prose.text(event.text);
        wasStreamed = false;
        return prose.end();
      case "tool_call":
      case "tool_result":
        return resultsOf(event).forEach(line);
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
        return prose.thought(event.text);
      case "begin":
        return;
      case "done":
      default:
        return prose.end();
    }
  };
}

/** Creates the lines of calls and of their results. If calls run together, a result repeats the arguments of its call. */
function createResultLines(screen: Screen) {
  const calls = new Map<string, string>();
  let areSeveral = false;
  return (event: TurnEvent & { type: "tool_call" | "tool_result" }): string[] => {
    if (event.type === "tool_call") {
      calls.set(event.callId, event.arguments);
      return [callLine(screen, event)];
    }
    const given = calls.get(event.callId);
    areSeveral ||= calls.size > 1;
    calls.delete(event.callId);
    const lines = resultLines(screen, event, areSeveral ? given : undefined);
    areSeveral &&= calls.size > 0;
    return lines;
  };
}

/** Shows a turn on `screen` while it runs. At its end it writes only the model's last text to `answers`. */
export function createAnswerView(
  answers: Screen,
  screen: Screen,
  isPlain: boolean,
): (event: TurnEvent) => void {
  const view = createTurnView(screen, isPlain);
  let text = "";
  return (event) => {
    if (event.type === "text_delta") text += event.text;
    else if (event.type === "text") text = event.text;
    else if (event.type === "done") {
      view(event);
      if (text !== "") answers.line(printableLines(text));
    } else {
      // The text was not the answer, because a call or another event follows it.
      if (text !== "") view({ type: "text", text });
      text = "";
      view(event);
    }
  };
}

/** Returns the line that says how a conversation was shortened. */
function compactionText({
  by,
  beforeTokens,
  afterTokens,
  dropped,
}: TurnEvent & { type: "compaction" }): string {
  const how = {
    cleared: "results of older calls are cleared",
    summary: `a summary replaces ${countOf(dropped, "older item")}`,
    turns: `left out: ${countOf(dropped, "older item")}`,
    hook: "a hook chose what stays",
  }[by];
  return `  the conversation is shortened: ${how} (about ${beforeTokens} → ${afterTokens} tokens)`;
}

/** Returns the lines for a call, for its result, or for a warning. */
function callLines(
  screen: Screen,
  event: TurnEvent & { type: "tool_call" | "tool_result" | "tool_warning" },
): string[] {
  if (event.type === "tool_call") return [callLine(screen, event)];
  if (event.type === "tool_result") return resultLines(screen, event);
  return [screen.paint("yellow", `  warning: ${printable(`${event.tool} ${event.message}`.trim())}`)];
}

type AgentEvent = TurnEvent & { type: "agent" };

const agentIndent = 4;

/** Returns the lines of a sub-agent, indented below the call that runs it. Its answer is the result of that call. */
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
  const given = shortArguments(screen, event.arguments, event.tool.length + 6);
  return `  ${screen.paint("dim", "→")} ${screen.paint("bold", printable(event.tool))} ${given}`;
}

/** Shortens the text of arguments to the columns that remain after `before` columns. */
function shortArguments(screen: Screen, text: string, before: number): string {
  const room = Math.max(20, (screen.columns ?? 120) - before);
  const given = printable(text);
  return screen.paint("dim", given.length > room ? `${given.slice(0, room - 1)}…` : given);
}

function resultLines(
  screen: Screen,
  { outcome, tool, status, text }: TurnEvent & { type: "tool_result" },
  given?: string,
): string[] {
  const which = given === undefined ? "" : ` ${shortArguments(screen, given, tool.length + 24)}`;
  const end =
    outcome === undefined
      ? `${screen.paint("yellow", `■ ${status}`)} ${screen.paint("bold", printable(tool))}`
      : outcomeHeadline(screen, outcome);
  const headline = `${end}${which}`;
  // The headline of a successful or cancelled call says everything.
  if (status === "ok" || status === "cancelled") return [`  ${headline}`];
  const lines = printableLines(text).trimEnd().split("\n");
  const more = lines.length - maxLines;
  return [
    `  ${headline}`,
    ...lines.slice(0, maxLines).map((line) => `      ${line}`),
    ...(more > 0 ? [screen.paint("dim", `      … ${countOf(more, "more line")}`)] : []),
  ];
}

/** Maximum number of lines that are shown of an error. `toolmount sessions show` has the whole text. */
const maxLines = 8;

/** Returns the waiting call itself or, if it waits for a sub-agent, the waiting calls of that sub-agent. */
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

/** Shows the model's text and thoughts while they arrive. */
interface Prose {
  text(piece: string): void;
  thought(piece: string): void;
  /** Ends the current line and its Markdown, so that other output can follow. */
  end(): void;
}

/** Renders Markdown on a terminal, except on one that cannot redraw lines (`isPlain`). */
function createProse(screen: Screen, isPlain: boolean): Prose {
  let open: "text" | "thought" | null = null;
  const markdown = isPlain || screen.columns === undefined ? undefined : createMarkdownWriter(screen);
  const end = () => {
    if (open === "text" && markdown !== undefined) markdown.end();
    else if (open !== null) screen.line();
    open = null;
  };
  const begin = (kind: "text" | "thought") => {
    if (open !== kind) end();
    open = kind;
  };
  return {
    end,
    text(piece) {
      begin("text");
      if (markdown === undefined) screen.write(printableLines(piece));
      else markdown.write(printableLines(piece));
    },
    thought(piece) {
      begin("thought");
      screen.write(screen.paint("dim", printableLines(piece)));
    },
  };
}
