import {
  createHost,
  type Coordinator,
  type Host,
  type Json,
  type JsonObject,
  type ToolContext,
  type UndoRequest,
} from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import * as reasoner from "@toolmount/reasoner";
import { openStore } from "@toolmount/store";
import * as delegate from "@toolmount/tool-delegate";
import type { Answer, HostAdapter, Question, TrialTool, Turn, TrialWorld } from "host-trial";
import { versionOf } from "./version.ts";

export const adapter: HostAdapter = {
  name: "toolmount",
  version: versionOf("@toolmount/reasoner"),
  can: ["resume", "edit", "crash", "cancel", "withdraw", "limit", "undo", "lists", "people", "agents"],
  delegation: { tool: "delegate", task: "instruction", arguments: { agent: "helper" } },
  async start(world) {
    const store = await openStore("sqlite:./state.db", { folder: world.folder });
    const host = createHost({ store });
    host.coordinator.mount("session-store", store.sessions);
    const agent = await mountAll(host, world);
    const running = new Map<string, AbortController>();
    const open = async (sessionId: string): Promise<Question[]> => {
      const { children } = await agent.show(sessionId).catch(() => ({ children: [] }));
      const lists = await Promise.all(
        [sessionId, ...children].map((id) => host.approvals.list({ sessionId: id })),
      );
      return lists.flat().map(({ id, tool, arguments: args }) => ({ id, tool, arguments: args }));
    };
    const turn = async (
      sessionId: string,
      begin: (options: { sessionId: string; abortSignal: AbortSignal }) => Promise<reasoner.TurnResult>,
    ): Promise<Turn> => {
      const controller = new AbortController();
      running.set(sessionId, controller);
      const { status, text, error } = await begin({ sessionId, abortSignal: controller.signal });
      return {
        status: status === "done" ? "done" : status === "paused" ? "waits" : "refused",
        questions: await open(sessionId),
        text: error?.message ?? text,
      };
    };
    /** What resumes the lists that wait, by their questions. */
    const tickets = new Map<string, string>();
    const decide = async ({ question, approve, arguments: edited, by }: Answer) => {
      if (by === "stranger") return approveAsStranger(host, question);
      const answer = approve
        ? ({ decision: "approve", arguments: edited as JsonObject | undefined } as const)
        : "deny";
      return host.approvals.decide(question, answer, "ann");
    };
    const goOn = (thread: string) => turn(thread, (options) => agent.resume(host, options));
    return {
      open,
      say: (thread, prompt) => turn(thread, (options) => agent.run(host, { ...options, prompt })),
      resume: goOn,
      cancel: async (thread) => running.get(thread)?.abort(),
      withdraw: async (sessionId) => void (await agent.resume(host, { sessionId, cancel: true })),
      undo: async (thread) => void (await host.session(thread).undo()),
      async list(thread, calls) {
        const rehearsal = host.session(thread).rehearse();
        for (const { tool: name, arguments: args } of calls) await rehearsal.call({ name, arguments: args });
        const { ticket } = await rehearsal.make({ digest: rehearsal.digest });
        const question = (await open(thread)).at(-1)!;
        tickets.set(question.id, ticket!);
        return question;
      },
      async answer(thread, answers) {
        for (const answer of answers) await decide(answer);
        const ticket = tickets.get(answers[0]!.question);
        if (ticket === undefined) return goOn(thread);
        const { result } = await host.resume(ticket, { sessionId: thread });
        return { status: "done", questions: [], text: String(result.error ?? "") };
      },
    };
  },
};

/** Approves over HTTP, with a token that may call and not approve. Rejects when the server refuses it. */
async function approveAsStranger(host: Host, question: string): Promise<void> {
  const token = createToken();
  const server = await serveHosts({
    hosts: { default: { host } },
    authenticate: createTokenCheck([{ name: "stranger", sha256: hashToken(token), roles: ["call"] }]),
    listen: { host: "127.0.0.1", port: 0 },
  });
  const { ok, status } = await fetch(`${server.url}/api/v1/hosts/default/approvals/${question}/decision`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ decision: "approve" }),
  });
  await server.close();
  if (!ok) throw new Error(`refused: ${status}`);
}

/** Mounts what a plan would: the tools, the model's turns, one sub-agent and the tool that hands it tasks. */
async function mountAll(
  host: Host,
  { tools, modelUrl, mostRequests }: TrialWorld,
): Promise<reasoner.Reasoner> {
  const { coordinator } = host;
  coordinator.registerCapability("host.import_package", (name: string) => import(name) as Promise<object>);
  await (await import("@toolmount/interop")).mount(coordinator, {});
  for (const tool of tools) mountTool(coordinator, tool);
  const config = reasoner.config.parse({
    model: "openai-compatible:m",
    baseUrl: modelUrl,
    apiKey: "k",
    stream: false,
    maxIterations: mostRequests,
    agents: { helper: { description: "Helps.", tools: tools.map(({ name }) => name) } },
  });
  await reasoner.mount(coordinator, config);
  await delegate.mount(coordinator, delegate.config.parse({}));
  return coordinator.get("orchestrator") as reasoner.Reasoner;
}

function mountTool(coordinator: Coordinator, tool: TrialTool): void {
  const { name, description, parameters, asks, run, undo } = tool;
  coordinator.mount("tools", {
    name,
    description,
    schema: parameters,
    category: "side_effect",
    consequenceLevel: "medium",
    requiresConfirmation: asks,
    execute: async (args: unknown, context: ToolContext) => {
      if (undo !== undefined) await context.undoable?.(args as Json);
      return { data: await run(args) };
    },
    ...(undo !== undefined && {
      undo: async ({ data }: UndoRequest) => ({ data: (await undo(data)) ?? "undone" }),
    }),
  });
}
