import { createHost, type Coordinator, type Host, type JsonObject } from "@toolmount/core";
import * as reasoner from "@toolmount/reasoner";
import { openStore } from "@toolmount/store";
import * as delegate from "@toolmount/tool-delegate";
import type { HostAdapter, Question, TrialTool, Turn, TrialWorld } from "host-trial";
import { versionOf } from "./version.ts";

export const adapter: HostAdapter = {
  name: "toolmount",
  version: versionOf("@toolmount/reasoner"),
  can: ["resume", "edit", "crash", "cancel", "withdraw", "limit", "agents"],
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
    const goOn = (thread: string) => turn(thread, (options) => agent.resume(host, options));
    return {
      open,
      say: (thread, prompt) => turn(thread, (options) => agent.run(host, { ...options, prompt })),
      resume: goOn,
      cancel: async (thread) => running.get(thread)?.abort(),
      withdraw: async (sessionId) => void (await agent.resume(host, { sessionId, cancel: true })),
      async answer(thread, answers) {
        for (const { question, approve, arguments: edited } of answers)
          await host.approvals.decide(
            question,
            approve ? { decision: "approve", arguments: edited as JsonObject | undefined } : "deny",
            "ann",
          );
        return goOn(thread);
      },
    };
  },
};

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

function mountTool(coordinator: Coordinator, { name, description, parameters, asks, run }: TrialTool): void {
  coordinator.mount("tools", {
    name,
    description,
    schema: parameters,
    category: "side_effect",
    consequenceLevel: "medium",
    requiresConfirmation: asks,
    execute: async (args: unknown) => ({ data: await run(args) }),
  });
}
