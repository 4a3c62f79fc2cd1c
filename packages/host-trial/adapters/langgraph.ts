import { Command, MemorySaver } from "@langchain/langgraph";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, humanInTheLoopMiddleware, type AgentMiddleware } from "langchain";
import { z } from "zod";
import type { HostAdapter, Question, Turn } from "host-trial";
import { versionOf } from "./version.ts";

interface Request {
  readonly actionRequests: readonly { readonly name: string; readonly args: unknown }[];
}

/** An agent of LangChain over LangGraph with its middleware for approvals. Its checkpoints are in memory, so another process cannot resume. */
export const adapter: HostAdapter = {
  name: "LangGraph",
  version: versionOf("@langchain/langgraph"),
  can: ["edit", "cancel"],
  async start({ tools, modelUrl }) {
    const asking = tools.filter(({ asks }) => asks).map(({ name }) => name);
    const allowedDecisions = ["approve" as const, "edit" as const, "reject" as const];
    const agent = createAgent({
      model: new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL: modelUrl } }),
      tools: tools.map(({ name, description, parameters, run }) =>
        tool(async (args: unknown) => (await run(args)) as string, {
          name,
          description,
          schema: z.fromJSONSchema(parameters) as z.ZodObject,
        }),
      ),
      middleware: [
        // Its types do not fit exactOptionalPropertyTypes.
        humanInTheLoopMiddleware({
          interruptOn: Object.fromEntries(asking.map((name) => [name, { allowedDecisions }])),
        } as never) as AgentMiddleware,
      ],
      checkpointer: new MemorySaver(),
    });
    const running = new Map<string, AbortController>();
    const configOf = (thread: string) => ({ configurable: { thread_id: thread } });
    const runOf = (thread: string) => {
      const controller = new AbortController();
      running.set(thread, controller);
      return { ...configOf(thread), signal: controller.signal };
    };
    const open = async (thread: string): Promise<Question[]> => {
      const { tasks } = await agent.graph.getState(configOf(thread));
      return tasks.flatMap(({ interrupts }) =>
        interrupts.flatMap(({ id, value }) =>
          (value as Request).actionRequests.map(({ name, args }, at) => ({
            id: `${id ?? ""}:${at}`,
            tool: name,
            arguments: args,
          })),
        ),
      );
    };
    const turnOf = async (thread: string, state: { messages: { text?: string }[] }): Promise<Turn> => {
      const questions = await open(thread);
      const text = state.messages.at(-1)?.text ?? "";
      return { status: questions.length > 0 ? "waits" : "done", questions, text };
    };
    return {
      open,
      cancel: async (thread) => running.get(thread)?.abort(),
      say: async (thread, content) =>
        turnOf(thread, await agent.invoke({ messages: [{ role: "user", content }] }, runOf(thread))),
      async answer(thread, answers) {
        const questions = await open(thread);
        // One resume answers all calls of one interrupt, in their order.
        const decisions = questions.map(({ id, tool: name }) => {
          const answer = answers.find(({ question }) => question === id);
          if (answer === undefined) throw new Error(`the decision about ${id} is missing`);
          if (!answer.approve) return { type: "reject" as const };
          return answer.arguments === undefined
            ? { type: "approve" as const }
            : { type: "edit" as const, editedAction: { name, args: answer.arguments as object } };
        });
        if (decisions.length === 0) throw new Error("nothing waits");
        return turnOf(thread, await agent.invoke(new Command({ resume: { decisions } }), runOf(thread)));
      },
    };
  },
};
