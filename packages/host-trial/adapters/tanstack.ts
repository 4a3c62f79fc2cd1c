import { setTimeout } from "node:timers/promises";
import { chat, maxIterations, toolDefinition } from "@tanstack/ai";
import { ChatClient, type UIMessage } from "@tanstack/ai-client";
import { openaiCompatibleText } from "@tanstack/ai-openai/compatible";
import { z } from "zod";
import type { HostAdapter, Question, Turn } from "host-trial";
import { versionOf } from "./version.ts";

/** An interrupt about an approval. The client's types know it where the names of the tools are known to the compiler. */
interface Approval {
  readonly kind: string;
  readonly id: string;
  readonly toolName: string;
  readonly originalArgs: unknown;
  resolveInterrupt(approved: boolean): void;
}

/** A chat client for each thread, over a server function in the same process. The client has the messages, so another process cannot resume. */
export const adapter: HostAdapter = {
  name: "TanStack AI",
  version: versionOf("@tanstack/ai"),
  can: ["cancel", "withdraw"],
  async start({ tools, modelUrl }) {
    const definitions = tools.map(({ name, description, parameters, asks }) =>
      toolDefinition({
        name,
        description,
        inputSchema: z.fromJSONSchema(parameters) as z.ZodObject,
        needsApproval: asks,
      }),
    );
    const own = definitions.map((definition, at) =>
      definition.server((args: unknown) => tools[at]!.run(args)),
    );
    const model = openaiCompatibleText("m", { baseURL: modelUrl, apiKey: "k" });
    const clients = new Map<string, ChatClient>();
    const clientOf = (thread: string): ChatClient => {
      const client =
        clients.get(thread) ??
        new ChatClient({
          threadId: thread,
          tools: definitions,
          fetcher: ({ messages, threadId, runId, parentRunId, resume }) =>
            chat({
              adapter: model,
              messages: messages as never,
              tools: own,
              agentLoopStrategy: maxIterations(10),
              threadId,
              runId,
              parentRunId,
              resume,
            }),
        });
      clients.set(thread, client);
      return client;
    };
    const approvalsOf = (thread: string) =>
      (clientOf(thread).getInterrupts() as readonly unknown[] as readonly Approval[]).filter(
        ({ kind }) => kind === "tool-approval",
      );
    const open = (thread: string): Question[] =>
      approvalsOf(thread).map(({ id, toolName, originalArgs }) => ({
        id,
        tool: toolName,
        arguments: originalArgs,
      }));
    const turnOf = async (thread: string): Promise<Turn> => {
      const client = clientOf(thread);
      while (client.getIsLoading() || client.getInterruptState().resuming) await setTimeout(5);
      // The client keeps its last error, also when a later turn went well.
      const failed = client.getStatus() === "error" ? client.getError() : undefined;
      const error = failed?.message ?? client.getInterruptState().interruptErrors[0]?.message;
      const questions = open(thread);
      const text = error ?? textOf(client.getMessages().at(-1));
      return { status: error ? "refused" : questions.length > 0 ? "waits" : "done", questions, text };
    };
    return {
      open: async (thread) => open(thread),
      cancel: async (thread) => clientOf(thread).stop(),
      async withdraw(thread) {
        clientOf(thread).cancelInterrupts();
        await turnOf(thread);
      },
      async say(thread, message) {
        await clientOf(thread).sendMessage(message);
        return turnOf(thread);
      },
      async answer(thread, answers) {
        const asked = approvalsOf(thread);
        for (const { question, approve } of answers) {
          const one = asked.find(({ id }) => id === question);
          if (one === undefined) throw new Error(`no interrupt is ${question}`);
          one.resolveInterrupt(approve);
        }
        return turnOf(thread);
      },
    };
  },
};

function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.content : "")).join("");
}
