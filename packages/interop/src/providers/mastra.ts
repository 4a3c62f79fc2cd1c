import { randomUUID } from "node:crypto";
import type { ToolInfo } from "@toolmount/core";
import { outcomeText } from "../schema/definition.ts";
import { AgentCalls, type AgentHost } from "./agent-calls.ts";
import {
  AiSdkToolFailure,
  outputOf,
  partsOf,
  schemaOf,
  type AiSdkContext,
  type AiSdkOutput,
} from "./ai-sdk.ts";

/** The run to which a call belongs. */
interface MastraRun {
  readonly toolCallId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly resumeData?: unknown;
  readonly suspend?: ((payload: object) => Promise<unknown>) | undefined;
}

/** Data that Mastra passes to a tool in addition to its input: the run, in `agent` or at the top. */
export interface MastraCallContext extends MastraRun {
  readonly abortSignal?: AbortSignal | undefined;
  readonly agent?: MastraRun | undefined;
}

/** A tool for an agent of Mastra, for its `tools`. */
export interface MastraTool {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: ReturnType<typeof schemaOf>;
  readonly execute: (input: unknown, context?: MastraCallContext) => Promise<unknown>;
  /** Returns what the model reads of a result: its data, images and files. */
  readonly toModelOutput: (output: unknown) => AiSdkOutput;
}

/**
 * Returns tools of a host for Mastra's agents, by name. The thread of a call is its session, unless the context names one. If
 * the host asks a person about a call, the run is suspended. The question is answered in the host or, with `answersAs`, by the
 * data with which the run is resumed: `true`, `false`, or `{ decision, reason }`.
 */
export function toMastraTools(
  host: AgentHost,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  { media = true, ...context }: AiSdkContext = {},
): Record<string, MastraTool> {
  const calls = new AgentCalls(host, context);
  return Object.fromEntries(
    infos.map(({ name, description, inputSchema }) => [
      name,
      {
        id: name,
        description,
        inputSchema: schemaOf(inputSchema),
        execute: async (input, { abortSignal, agent, ...top } = {}) => {
          const { toolCallId = randomUUID(), threadId, resumeData, suspend } = agent ?? top;
          const given = { abortSignal, ...(threadId !== undefined && { sessionId: threadId }) };
          if (resumeData !== undefined) await calls.questions.answer(toolCallId, resumeData, given);
          const outcome = await calls.run({ id: toolCallId, name, arguments: textOf(input) }, given);
          if (outcome.status === "pending" && suspend !== undefined)
            return suspend(await calls.questions.questionOf(toolCallId, given));
          if (outcome.result.error !== undefined)
            throw new AiSdkToolFailure(outcomeText(outcome), outcome.result.code);
          const parts = partsOf(outcome.result.content, media);
          return parts.length === 0 ? outcome.result.data : new WithParts(outcome.result.data, parts);
        },
        toModelOutput: (output) =>
          output instanceof WithParts ? outputOf(output.data, output.parts) : outputOf(output, []),
      } satisfies MastraTool,
    ]),
  );
}

/** Returns the arguments as JSON, as Mastra gives them. The host refuses members that the tool does not know. */
function textOf(input: unknown): string {
  return JSON.stringify(input ?? {});
}

/** A result with images or files, which Mastra passes to `toModelOutput` unchanged. */
class WithParts {
  readonly data: unknown;
  readonly parts: ReturnType<typeof partsOf>;

  constructor(data: unknown, parts: ReturnType<typeof partsOf>) {
    this.data = data;
    this.parts = parts;
  }
}
