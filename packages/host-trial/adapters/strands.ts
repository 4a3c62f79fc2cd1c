import { Agent, InterruptResponseContent, SessionManager, tool } from "@strands-agents/sdk";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";
import { LocalFileStorage } from "@strands-agents/sdk/storage";
import { HumanInTheLoop } from "@strands-agents/sdk/vended-interventions/hitl";
import { z } from "zod";
import type { HostAdapter, Question, Turn } from "host-trial";
import { versionOf } from "./version.ts";

/** What a session's snapshot keeps of a question: the text that a person reads. */
interface Asked {
  readonly id: string;
  readonly reason?: string;
  readonly response?: unknown;
}

/** An agent is made for each request from its session, as its guide of people in the loop says of stateless deployments. */
export const adapter: HostAdapter = {
  name: "Strands Agents",
  version: versionOf("@strands-agents/sdk"),
  can: ["resume", "cancel"],
  async start({ folder, tools, modelUrl }) {
    const allowedTools = tools.filter(({ asks }) => !asks).map(({ name }) => name);
    const own = tools.map(({ name, description, parameters, run }) =>
      tool({
        name,
        description,
        inputSchema: z.fromJSONSchema(parameters) as z.ZodObject,
        callback: async (args: unknown) => (await run(args)) as string,
      }),
    );
    const running = new Map<string, Agent>();
    const agentOf = async (sessionId: string): Promise<Agent> => {
      const clientConfig = { baseURL: modelUrl };
      const agent = new Agent({
        model: new OpenAIModel({ api: "chat", modelId: "m", apiKey: "k", clientConfig }),
        tools: own,
        interventions: [new HumanInTheLoop({ allowedTools })],
        sessionManager: new SessionManager({ sessionId, storage: new LocalFileStorage(folder) }),
        printer: false,
      });
      await agent.initialize();
      running.set(sessionId, agent);
      return agent;
    };
    const turn = async (agent: Agent, input: string | InterruptResponseContent[]): Promise<Turn> => {
      const result = await agent.invoke(input);
      const questions = questionsOf(agent);
      return { status: questions.length > 0 ? "waits" : "done", questions, text: result.toString() };
    };
    return {
      open: async (thread) => questionsOf(await agentOf(thread)),
      cancel: async (thread) => running.get(thread)?.cancel(),
      say: async (thread, message) => turn(await agentOf(thread), message),
      answer: async (thread, answers) =>
        turn(
          await agentOf(thread),
          answers.map(
            ({ question, approve }) =>
              new InterruptResponseContent({ interruptId: question, response: approve ? "yes" : "no" }),
          ),
        ),
    };
  },
};

/** The interrupts of the session that have no response. */
function questionsOf(agent: Agent): Question[] {
  const { data } = agent.takeSnapshot({ include: ["interrupts"] });
  const { interrupts = {} } = data["interrupts"] as { interrupts?: Record<string, Asked> };
  return Object.values(interrupts).flatMap(({ id, reason = "", response }) => {
    const [, name = "", args = reason] = /^Approve "(.*)"\?\n {2}Input: (.*)$/s.exec(reason) ?? [];
    return response === undefined ? [{ id, tool: name, arguments: args }] : [];
  });
}
