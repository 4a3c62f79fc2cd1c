import { randomUUID } from "node:crypto";
import type { ToolInfo, ToolOutcome } from "@toolmount/core";
import { sentSchema } from "../schema/definition.ts";
import { isRecord } from "../schema/guards.ts";
import { AgentCalls, type AgentCall, type AgentContext, type AgentHost } from "./agent-calls.ts";
import { GraphSteps, type LangChainConfig } from "./graph-steps.ts";
import { openAIParts, type OpenAIPart } from "./openai.ts";
import { dataUrl, leftOut, seenOf } from "./seen-content.ts";

/** The user and session for which LangChain's agents make calls, and how results are passed on. */
export interface LangChainContext extends AgentContext {
  /** LangChain's class `ToolMessage`, with which the model gets the images of results. */
  readonly ToolMessage?: (new (fields: LangChainResult) => object) | undefined;
  /**
   * How the model gets the files of results, if `ToolMessage` is given. `standard`: in LangChain's own blocks, for Anthropic
   * and Gemini. `responses`: in parts of OpenAI's Responses API, like images. Default: a sentence says that they were left out,
   * because LangChain's other packages send them as text or in a form that servers refuse.
   */
  readonly files?: "standard" | "responses" | undefined;
}

/** The fields of LangChain's message with a result. */
export interface LangChainResult {
  readonly name: string;
  readonly tool_call_id: string;
  readonly status: "success" | "error";
  readonly content: (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
    | OpenAIPart
    | {
        readonly type: "file";
        readonly mimeType: string;
        readonly data: string;
        readonly metadata: { readonly filename: string };
      }
  )[];
}

/** A tool for LangChain and LangGraph, with the type that `createAgent`, `createReactAgent` and `ToolNode` take. */
export interface LangChainTool {
  lc_namespace: string[];
  /** Mark without which LangChain's agents do not use a tool. */
  readonly lc_runnable: true;
  lc_serializable: boolean;
  lc_id: string[];
  returnDirect: boolean;
  name: string;
  description: string;
  schema: Readonly<Record<string, unknown>>;
  getName(suffix?: string): string;
  /** Takes the arguments, or a whole tool call. Resolves to the text for the model, also after a failure. */
  invoke(input: unknown, config?: LangChainConfig): Promise<string>;
  /** The signature in LangChain's types, where the result depends on the input. */
  invoke(input: unknown, config?: unknown): Promise<never>;
  call(input: unknown, config?: unknown): Promise<never>;
  batch(inputs: unknown[], config?: unknown): Promise<never[]>;
  stream(input: unknown, config?: unknown): Promise<never>;
  transform(inputs: AsyncGenerator, config?: unknown): AsyncGenerator<never>;
}

/**
 * Those facts of a tool that are used. `category` and `idempotent` decide whether a call may run again after its process died.
 */
type LangChainInfo = Pick<ToolInfo, "name" | "description" | "inputSchema"> &
  Partial<Pick<ToolInfo, "category" | "idempotent">>;

/**
 * Returns tools of a host for LangChain. The thread of a call is its session, unless the context names one. If the host asks a
 * person about calls, they interrupt the graph with `{ questions }`, those of all calls of the step. The answers are given in
 * the host or, with `answersAs`, by `new Command({ resume })` with `{ id, decision, reason }` or a list of these. LangGraph
 * runs a step again when it resumes; the recorded outcome of a call that has ended is then returned. Outside of a graph, the
 * result of a call says that it waits. An interrupt that a tool throws reaches the graph.
 */
export function toLangChainTools(
  host: AgentHost,
  infos: readonly LangChainInfo[],
  { ToolMessage, files, ...context }: LangChainContext = {},
): LangChainTool[] {
  const steps = new GraphSteps(new AgentCalls(host, context));
  return infos.map(({ name, description, inputSchema, category, idempotent = false }) => {
    const canRepeat = idempotent || category === "read";
    const run = async (input: unknown, config: LangChainConfig = {}) => {
      const outcome = await steps.run({ name, ...readInput(input) }, canRepeat, config);
      return messageOf(outcome, { ToolMessage, files });
    };
    const made: Pick<LangChainTool, keyof LangChainTool> = {
      lc_namespace: ["toolmount", "tools"],
      lc_runnable: true,
      lc_serializable: false,
      lc_id: ["toolmount", "tools", name],
      returnDirect: false,
      name,
      description,
      schema: sentSchema(inputSchema),
      getName: (suffix = "") => name + suffix,
      ...runnableOf(run),
    };
    return made;
  });
}

/**
 * Returns the methods that LangChain calls on a tool. In its types, the result depends on the input, so ours cannot name it.
 */
function runnableOf(run: (input: unknown, config?: LangChainConfig) => Promise<unknown>) {
  const invoke = (input: unknown, config?: unknown) =>
    run(input, config as LangChainConfig) as Promise<never>;
  async function* transform(inputs: AsyncGenerator, config?: unknown): AsyncGenerator<never> {
    for await (const input of inputs) yield await invoke(input, config);
  }
  return {
    invoke,
    call: invoke,
    batch: (inputs: unknown[], config?: unknown) => Promise.all(inputs.map((input) => invoke(input, config))),
    stream: async (input: unknown, config?: unknown) =>
      ReadableStream.from([await invoke(input, config)]) as unknown as never,
    transform,
  };
}

function messageOf(
  outcome: ToolOutcome,
  { ToolMessage, files: form }: Pick<LangChainContext, "ToolMessage" | "files">,
): unknown {
  const seen = seenOf(outcome);
  const isSent = ToolMessage !== undefined && form !== undefined;
  const lost = { images: ToolMessage === undefined ? seen.images : [], files: isSent ? [] : seen.files };
  const text = [seen.text, ...leftOut(lost)].join("\n");
  const kept = { images: seen.images, files: isSent ? seen.files : [] };
  if (ToolMessage === undefined || kept.images.length + kept.files.length === 0) return text;
  return new ToolMessage({
    name: outcome.tool,
    tool_call_id: outcome.callId,
    status: outcome.status === "ok" ? "success" : "error",
    content:
      form === "responses"
        ? openAIParts({ text, ...kept })
        : [
            { type: "text", text },
            ...kept.images.map((image) => ({
              type: "image_url" as const,
              image_url: { url: dataUrl(image) },
            })),
            ...kept.files.map(({ name, mimeType, data }) => ({
              type: "file" as const,
              mimeType,
              data,
              metadata: { filename: name },
            })),
          ],
  });
}

/** Reads the arguments, and the id of a whole tool call. Any other input is the arguments. */
function readInput(input: unknown): Pick<AgentCall, "id" | "arguments"> {
  const made = { id: randomUUID() };
  if (typeof input === "string") return { ...made, arguments: input };
  if (!isRecord(input)) return { ...made, arguments: JSON.stringify(input ?? {}) };
  const { type, args, id } = input;
  if (type !== "tool_call" || !isRecord(args)) return { ...made, arguments: input };
  return { id: typeof id === "string" ? id : made.id, arguments: args };
}
