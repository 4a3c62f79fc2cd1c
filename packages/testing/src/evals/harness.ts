import { createCallCollector, type SeenCall, type SeenEvent } from "./turn.ts";

/** The result of a turn of `@toolmount/reasoner`, as far as a report shows it. */
export interface HarnessTurn {
  readonly status: string;
  readonly text: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly iterations: number;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly reasoningTokens: number;
  };
}

/** How a harness runs the turn of one prompt: `(prompt, options) => reasoner.run(host, { prompt, ...options })`. */
export type RunPrompt = (
  prompt: string,
  options: { readonly abortSignal?: AbortSignal; readonly onEvent: (event: SeenEvent) => void },
) => Promise<HarnessTurn>;

/** JSON as the types of vitest-evals have it: its lists and objects are not readonly. */
export type HarnessJson = string | number | boolean | null | HarnessJson[] | { [name: string]: HarnessJson };

/** A step of a run, as reports of vitest-evals show it. */
export type HarnessEvent =
  | { type: "message"; role: "user" | "assistant"; content: string }
  | { type: "tool_call"; id: string; name: string; arguments: Record<string, HarnessJson> }
  | { type: "tool_result"; toolCallId: string; name: string; content: string }
  | { type: "tool_result"; toolCallId: string; name: string; error: { message: string; type: string } };

/** A run in the form of vitest-evals. */
export interface HarnessRun {
  output: string;
  session: { events: HarnessEvent[] };
  usage: {
    inputTokens: number;
    outputTokens: number;
    reasoningTokens: number;
    totalTokens: number;
    toolCalls: number;
  };
  errors: { code: string; message: string }[];
}

/** A harness of vitest-evals (0.16): `describeEval("shop", { harness }, …)`. */
export interface EvalHarness {
  readonly name: string;
  run(prompt: string, context?: { readonly signal?: AbortSignal }): Promise<HarnessRun>;
}

/** Makes a harness of vitest-evals that runs prompts over a host, so that its judges and reports see calls and results. */
export function createEvalHarness(name: string, runPrompt: RunPrompt): EvalHarness {
  return {
    name,
    async run(prompt, { signal } = {}) {
      const { onEvent, calls } = createCallCollector();
      const turn = await runPrompt(prompt, { ...(signal !== undefined && { abortSignal: signal }), onEvent });
      return toRun(prompt, turn, calls());
    },
  };
}

function toRun(prompt: string, turn: HarnessTurn, calls: readonly SeenCall[]): HarnessRun {
  const { inputTokens, outputTokens, reasoningTokens } = turn.usage;
  return {
    output: turn.text,
    session: {
      events: [
        { type: "message", role: "user", content: prompt },
        ...calls.flatMap(eventsOf),
        { type: "message", role: "assistant", content: turn.text },
      ],
    },
    usage: {
      inputTokens,
      outputTokens,
      reasoningTokens,
      totalTokens: inputTokens + outputTokens,
      toolCalls: calls.length,
    },
    errors: turn.error === undefined ? [] : [{ code: turn.error.code, message: turn.error.message }],
  };
}

function eventsOf(call: SeenCall, at: number): HarnessEvent[] {
  const { tool: name, status, text = "" } = call;
  const id = `call_${at + 1}`;
  const made: HarnessEvent = { type: "tool_call", id, name, arguments: readArguments(call.arguments) };
  if (status === undefined) return [made];
  return [
    made,
    status === "ok"
      ? { type: "tool_result", toolCallId: id, name, content: text }
      : { type: "tool_result", toolCallId: id, name, error: { message: text, type: status } },
  ];
}

/** Reads arguments as an object. Arguments that are not a JSON object are shown as the text that the model wrote. */
function readArguments(text: string): Record<string, HarnessJson> {
  try {
    const value = JSON.parse(text) as HarnessJson;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The text is returned below.
  }
  return { text };
}
