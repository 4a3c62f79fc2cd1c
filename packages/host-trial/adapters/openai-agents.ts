import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, OpenAIProvider, Runner, RunState, tool, type AgentInputItem } from "@openai/agents";
import { z } from "zod";
import type { HostAdapter, Question, Turn } from "host-trial";
import { versionOf } from "./version.ts";

/** The state of a run is kept as a file for each thread, as the guide of human in the loop says. */
export const adapter: HostAdapter = {
  name: "OpenAI Agents",
  version: versionOf("@openai/agents"),
  can: ["resume", "cancel", "limit", "agents"],
  delegation: { tool: "helper", task: "input" },
  async start({ folder, tools, modelUrl, mostRequests: maxTurns }) {
    const modelProvider = new OpenAIProvider({ apiKey: "k", baseURL: modelUrl, useResponses: false });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const own = tools.map(({ name, description, parameters, asks, run }) =>
      tool({
        name,
        description,
        parameters: z.fromJSONSchema(parameters) as z.ZodObject,
        needsApproval: asks,
        execute: async (args: unknown) => (await run(args)) as string,
      }),
    );
    const helper = new Agent({ name: "helper", model: "m", tools: own });
    const asTool = helper.asTool({ toolName: "helper", toolDescription: "Helps." });
    const agent = new Agent({ name: "trial", model: "m", tools: [...own, asTool] });
    const running = new Map<string, AbortController>();
    type State = RunState<unknown, typeof agent>;
    const path = (thread: string, what: string) => join(folder, `${thread}.${what}.json`);
    const history = (thread: string): AgentInputItem[] =>
      existsSync(path(thread, "history"))
        ? (JSON.parse(readFileSync(path(thread, "history"), "utf8")) as AgentInputItem[])
        : [];
    const state = async (thread: string): Promise<State | null> => {
      const file = path(thread, "state");
      return existsSync(file)
        ? await RunState.fromString<unknown, typeof agent>(agent, readFileSync(file, "utf8"))
        : null;
    };
    const turn = async (thread: string, input: AgentInputItem[] | State): Promise<Turn> => {
      const controller = new AbortController();
      running.set(thread, controller);
      const result = await runner.run(agent, input, { maxTurns, signal: controller.signal });
      writeFileSync(path(thread, "state"), result.state.toString());
      writeFileSync(path(thread, "history"), JSON.stringify(result.history));
      const questions = questionsOf(result.state);
      return { status: questions.length > 0 ? "waits" : "done", questions, text: result.finalOutput ?? "" };
    };
    const questionsOf = (kept: State): Question[] =>
      kept.getInterruptions().map(({ rawItem }) => {
        const call = rawItem as { callId: string; name: string; arguments: string };
        return { id: call.callId, tool: call.name, arguments: call.arguments };
      });
    return {
      open: async (thread) => {
        const kept = await state(thread);
        return kept === null ? [] : questionsOf(kept);
      },
      cancel: async (thread) => running.get(thread)?.abort(),
      say: (thread, content) => turn(thread, [...history(thread), { role: "user", content }]),
      async answer(thread, answers) {
        const kept = (await state(thread))!;
        for (const { question, approve } of answers) {
          const item = kept
            .getInterruptions()
            .find(({ rawItem }) => (rawItem as { callId: string }).callId === question);
          if (item === undefined) throw new Error(`no interruption is about ${question}`);
          if (approve) kept.approve(item);
          else kept.reject(item);
        }
        return turn(thread, kept);
      },
    };
  },
};
