import type { ToolInfo, ToolOutcome } from "@toolmount/core";
import { readText } from "../schema/guards.ts";
import { AgentCalls, type AgentContext, type AgentHost } from "./agent-calls.ts";
import { sentSchema } from "../schema/definition.ts";
import { seenOf } from "./seen-content.ts";
import { openAINames } from "./openai.ts";
import { createNameMap } from "./tool-names.ts";

/** A function tool for OpenAI's Agents SDK, for an agent's `tools`. */
export interface OpenAIAgentsTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: OpenAIAgentsSchema;
  readonly strict: boolean;
  readonly invoke: (
    runContext: unknown,
    input: string,
    details?: { readonly toolCall?: { readonly callId: string }; readonly signal?: AbortSignal },
  ) => Promise<string | OpenAIAgentsOutput[]>;
  /** Whether a person has to be asked. The host has then stored the question, which becomes an interruption of the run. */
  readonly needsApproval: (runContext: unknown, input: unknown, callId?: string) => Promise<boolean>;
  readonly isEnabled: () => Promise<boolean>;
}

/** The schema of a tool's arguments. The host checks them with the original schema. */
type OpenAIAgentsSchema = {
  type: "object";
  properties: Record<string, object>;
  required: string[];
  additionalProperties: true;
};

/** A part of a result with images or files. */
export type OpenAIAgentsOutput =
  | { type: "text"; text: string }
  | { type: "image"; image: { data: string; mediaType: string } }
  | { type: "file"; file: { data: string; mediaType: string; filename: string } };

/**
 * Returns tools of a host for OpenAI's Agents SDK. A failed call is a text for the model. If the host asks a person about a
 * call, that is an interruption of the run: one question, answered in the host ({@link answerInterruptions}) or, with
 * `answersAs`, also by `state.approve`.
 */
export function toOpenAIAgentsTools(
  host: AgentHost,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  context: AgentContext = {},
): OpenAIAgentsTool[] {
  const calls = new AgentCalls(host, context);
  const names = createNameMap(
    infos.map(({ name }) => name),
    openAINames,
  );
  return infos.map(({ name, description, inputSchema }) => ({
    type: "function",
    name: names.toProvider(name),
    description,
    parameters: schemaOf(inputSchema),
    strict: false,
    invoke: async (_run, input, { toolCall, signal } = {}) =>
      outputOf(
        await calls.run(
          { id: toolCall?.callId ?? "", name, arguments: input },
          { abortSignal: signal },
          true,
        ),
      ),
    needsApproval: (_run, input, callId = "") =>
      calls.waits({ id: callId, name, arguments: typeof input === "string" ? input : JSON.stringify(input) }),
    isEnabled: async () => true,
  }));
}

/** Returns a schema with the members that the SDK's type requires; the host's schema may have more. */
function schemaOf(inputSchema: ToolInfo["inputSchema"]): OpenAIAgentsSchema {
  const { properties = {}, required = [], ...rest } = sentSchema(inputSchema);
  const members = { properties, required } as Pick<OpenAIAgentsSchema, "properties" | "required">;
  return { ...members, additionalProperties: true, ...rest, type: "object" };
}

function outputOf(outcome: ToolOutcome): string | OpenAIAgentsOutput[] {
  const { text, images, files } = seenOf(outcome);
  const shown: OpenAIAgentsOutput[] = [
    ...images.map(({ data, mimeType }) => ({ type: "image" as const, image: { data, mediaType: mimeType } })),
    ...files.map(({ data, mimeType, name }) => ({
      type: "file" as const,
      file: { data, mediaType: mimeType, filename: name },
    })),
  ];
  return shown.length === 0 ? text : [{ type: "text", text }, ...shown];
}

/** Those members of the SDK's `RunState` that are used here. */
export interface InterruptedRun<Interruption extends { readonly rawItem: object }> {
  getInterruptions(): readonly Interruption[];
  approve(interruption: Interruption): void;
  reject(interruption: Interruption, options?: { readonly message?: string }): void;
}

/**
 * Passes the decisions of the host's approvers to the interruptions of a run. Resolves to the number of open questions. If it
 * is 0, run the agent with this state again.
 */
export async function answerInterruptions<Interruption extends { readonly rawItem: object }>(
  host: AgentHost,
  state: InterruptedRun<Interruption>,
  context: AgentContext = {},
): Promise<number> {
  const calls = new AgentCalls(host, context);
  let open = 0;
  for (const interruption of state.getInterruptions()) {
    const callId = readText((interruption.rawItem as Readonly<Record<string, unknown>>)["callId"]);
    const decision = await calls.questions.decisionOf(callId);
    if (decision === null) open++;
    else if (decision.decision === "approve") state.approve(interruption);
    else {
      await calls.endDenied(callId);
      state.reject(interruption, { message: `not approved: ${decision.reason ?? "the approver denied it"}` });
    }
  }
  return open;
}
