import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool } from "ai";
import type { AssistantModelMessage, ModelMessage, ToolModelMessage, ToolSet } from "ai";
import { z } from "zod";
import type { Answer, HostAdapter, Question, Turn } from "host-trial";
import { versionOf } from "./version.ts";

/** The conversation is the program's, as the AI SDK has it: a file of messages for each thread. */
export const adapter: HostAdapter = {
  name: "AI SDK",
  version: versionOf("ai"),
  can: ["resume", "cancel"],
  async start({ folder, tools, modelUrl }) {
    const model = createOpenAICompatible({ name: "m", apiKey: "k", baseURL: modelUrl })("m");
    const own: ToolSet = {};
    for (const { name, description, parameters, asks, run } of tools)
      own[name] = tool({
        description,
        inputSchema: z.fromJSONSchema(parameters),
        needsApproval: asks,
        execute: async (args: unknown) => (await run(args)) as string,
      });
    const file = (thread: string) => join(folder, `${thread}.json`);
    const read = (thread: string): ModelMessage[] =>
      existsSync(file(thread)) ? (JSON.parse(readFileSync(file(thread), "utf8")) as ModelMessage[]) : [];
    const running = new Map<string, AbortController>();
    const turn = async (thread: string, messages: ModelMessage[]): Promise<Turn> => {
      const controller = new AbortController();
      running.set(thread, controller);
      const { signal: abortSignal } = controller;
      const stopWhen = stepCountIs(10);
      const result = await generateText({ model, tools: own, messages, stopWhen, abortSignal });
      messages.push(...result.responseMessages);
      writeFileSync(file(thread), JSON.stringify(messages));
      const questions = questionsOf(messages);
      return { status: questions.length > 0 ? "waits" : "done", questions, text: result.text };
    };
    return {
      open: async (thread) => questionsOf(read(thread)),
      cancel: async (thread) => running.get(thread)?.abort(),
      say: (thread, content) => turn(thread, [...read(thread), { role: "user", content }]),
      answer: (thread, answers) =>
        turn(thread, [...read(thread), { role: "tool", content: answers.map(responseOf) }]),
    };
  },
};

function responseOf({ question, approve }: Answer) {
  return { type: "tool-approval-response" as const, approvalId: question, approved: approve };
}

type Part = Exclude<(AssistantModelMessage | ToolModelMessage)["content"], string>[number];

/** The requests of the last answer that no response names. */
function questionsOf(messages: readonly ModelMessage[]): Question[] {
  const parts = messages.flatMap(({ content }): readonly Part[] =>
    typeof content === "string" ? [] : (content as readonly Part[]),
  );
  const answered = new Set(
    parts.flatMap((part) => (part.type === "tool-approval-response" ? [part.approvalId] : [])),
  );
  const calls = parts.filter((part) => part.type === "tool-call");
  return parts.flatMap((part) => {
    if (part.type !== "tool-approval-request" || answered.has(part.approvalId)) return [];
    const call = calls.findLast(({ toolCallId }) => toolCallId === part.toolCallId);
    return call === undefined ? [] : [{ id: part.approvalId, tool: call.toolName, arguments: call.input }];
  });
}
