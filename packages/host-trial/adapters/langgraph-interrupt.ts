import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import type { HostAdapter, Question, TrialTool, Turn } from "host-trial";
import { versionOf } from "./version.ts";

interface Asked {
  readonly tool: string;
  readonly arguments: unknown;
}

interface Decision {
  readonly approve: boolean;
  readonly arguments?: unknown;
}

/** LangGraph's own loop, with tools that call `interrupt()` before they act, as its guide of interrupts shows. */
export const adapter: HostAdapter = {
  name: "LangGraph, interrupt()",
  version: versionOf("@langchain/langgraph"),
  can: ["edit", "cancel"],
  async start({ tools, modelUrl }) {
    const graph = createReactAgent({
      llm: new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL: modelUrl } }),
      tools: tools.map(asking),
      checkpointSaver: new MemorySaver(),
    });
    const running = new Map<string, AbortController>();
    const configOf = (thread: string) => ({ configurable: { thread_id: thread } });
    const runOf = (thread: string) => {
      const controller = new AbortController();
      running.set(thread, controller);
      return { ...configOf(thread), signal: controller.signal };
    };
    const open = async (thread: string): Promise<Question[]> => {
      const { tasks } = await graph.getState(configOf(thread));
      return tasks.flatMap(({ interrupts }) =>
        interrupts.map(({ id = "", value }) => ({ id, ...(value as Asked) })),
      );
    };
    const turnOf = async (thread: string, messages: readonly { readonly text: string }[]): Promise<Turn> => {
      const questions = await open(thread);
      return {
        status: questions.length > 0 ? "waits" : "done",
        questions,
        text: messages.at(-1)?.text ?? "",
      };
    };
    return {
      open,
      cancel: async (thread) => running.get(thread)?.abort(),
      async say(thread, content) {
        const { messages } = await graph.invoke({ messages: [{ role: "user", content }] }, runOf(thread));
        return turnOf(thread, messages);
      },
      async answer(thread, answers) {
        const known = new Set((await open(thread)).map(({ id }) => id));
        const unknown = answers.find(({ question }) => !known.has(question));
        if (unknown !== undefined) throw new Error(`no interrupt is ${unknown.question}`);
        const resume = Object.fromEntries(answers.map(({ question, ...decision }) => [question, decision]));
        const { messages } = await graph.invoke(new Command({ resume }), runOf(thread));
        return turnOf(thread, messages);
      },
    };
  },
};

function asking({ name, description, parameters, asks, run }: TrialTool) {
  const act = async (args: unknown) => {
    if (!asks) return (await run(args)) as string;
    const decision = interrupt<Asked, Decision>({ tool: name, arguments: args });
    return decision.approve ? ((await run(decision.arguments ?? args)) as string) : "denied";
  };
  return tool(act, { name, description, schema: z.fromJSONSchema(parameters) as z.ZodObject });
}
