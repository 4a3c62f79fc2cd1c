import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import type { HostAdapter, Question, Turn } from "host-trial";
import { versionOf } from "./version.ts";

interface Suspended {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

interface Output {
  readonly text: string;
  readonly finishReason?: string | undefined;
  readonly runId?: string | undefined;
  readonly suspendPayload?: unknown;
}

/** An agent whose tools require approval. Its snapshots are in memory, so another process cannot resume. */
export const adapter: HostAdapter = {
  name: "Mastra",
  version: versionOf("@mastra/core"),
  can: ["cancel", "agents"],
  delegation: { tool: "agent-helper", task: "prompt" },
  async start({ tools, modelUrl }) {
    const own = Object.fromEntries(
      tools.map(({ name, description, parameters, asks, run }) => [
        name,
        createTool({
          id: name,
          description,
          inputSchema: z.fromJSONSchema(parameters) as z.ZodObject,
          requireApproval: asks,
          execute: async (args: unknown) => (await run(args)) as string,
        }),
      ]),
    );
    const model = createOpenAICompatible({ name: "m", apiKey: "k", baseURL: modelUrl })("m");
    const common = { instructions: "Help.", model: model as never, tools: own };
    const helper = new Agent({ id: "helper", name: "helper", description: "Helps.", ...common });
    const agent = new Agent({ id: "trial", name: "trial", agents: { helper }, ...common });
    const mastra = new Mastra({
      agents: { trial: agent, helper },
      storage: new InMemoryStore(),
      logger: false,
    });
    const host = mastra.getAgent("trial");
    const histories = new Map<string, { role: "user" | "assistant"; content: string }[]>();
    const waiting = new Map<string, { runId: string; question: Question }>();
    const running = new Map<string, AbortController>();
    const signalOf = (thread: string) => {
      const controller = new AbortController();
      running.set(thread, controller);
      return { abortSignal: controller.signal };
    };
    const turnOf = (thread: string, output: Output): Turn => {
      waiting.delete(thread);
      if (output.finishReason !== "suspended") {
        histories.get(thread)!.push({ role: "assistant", content: output.text });
        return { status: "done", questions: [], text: output.text };
      }
      const { toolCallId, toolName, args } = output.suspendPayload as Suspended;
      const question = { id: toolCallId, tool: toolName, arguments: args };
      waiting.set(thread, { runId: output.runId!, question });
      return { status: "waits", questions: [question], text: "" };
    };
    return {
      open: async (thread) => {
        const found = waiting.get(thread);
        return found === undefined ? [] : [found.question];
      },
      cancel: async (thread) => running.get(thread)?.abort(),
      async say(thread, content) {
        const history = histories.get(thread) ?? [];
        histories.set(thread, history);
        history.push({ role: "user", content });
        return turnOf(thread, await host.generate(history as never, signalOf(thread)));
      },
      async answer(thread, answers) {
        const found = waiting.get(thread);
        if (found === undefined) throw new Error("nothing waits");
        const { question, approve } = answers[0]!;
        const call = { runId: found.runId, toolCallId: question, ...signalOf(thread) };
        const output = approve
          ? await host.approveToolCallGenerate(call)
          : await host.declineToolCallGenerate(call);
        return turnOf(thread, output);
      },
    };
  },
};
