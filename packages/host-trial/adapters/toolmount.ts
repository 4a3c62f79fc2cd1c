import { createHost, type Host, type JsonObject } from "@toolmount/core";
import { createReasoner, settingsSchema, type TurnResult } from "@toolmount/reasoner";
import { openStore } from "@toolmount/store";
import type { HostAdapter, Question, TrialTool, Turn } from "host-trial";
import { versionOf } from "./version.ts";

export const adapter: HostAdapter = {
  name: "toolmount",
  version: versionOf("@toolmount/reasoner"),
  can: ["resume", "edit", "crash"],
  async start({ folder, tools, modelUrl }) {
    const store = await openStore("sqlite:./state.db", { folder });
    const host = createHost({ store });
    const { coordinator } = host;
    coordinator.mount("session-store", store.sessions);
    coordinator.registerCapability("host.import_package", (name: string) => import(name) as Promise<object>);
    await mountTools(host, tools);
    const settings = settingsSchema.parse({
      model: "openai-compatible:m",
      baseUrl: modelUrl,
      apiKey: "k",
      stream: false,
    });
    const reasoner = createReasoner(coordinator, { settings });
    const open = async (sessionId: string): Promise<Question[]> => {
      const list = await host.approvals.list({ sessionId });
      return list.map(({ id, tool, arguments: args }) => ({ id, tool, arguments: args }));
    };
    const turnOf = async (sessionId: string, { status, text, error }: TurnResult): Promise<Turn> => ({
      status: status === "done" ? "done" : status === "paused" ? "waits" : "refused",
      questions: await open(sessionId),
      text: error?.message ?? text,
    });
    return {
      open,
      say: async (sessionId, prompt) => turnOf(sessionId, await reasoner.run(host, { sessionId, prompt })),
      resume: async (sessionId) => turnOf(sessionId, await reasoner.resume(host, { sessionId })),
      async answer(sessionId, answers) {
        for (const { question, approve, arguments: edited } of answers)
          await host.approvals.decide(
            question,
            approve ? { decision: "approve", arguments: edited as JsonObject | undefined } : "deny",
            "ann",
          );
        return turnOf(sessionId, await reasoner.resume(host, { sessionId }));
      },
    };
  },
};

async function mountTools(host: Host, tools: readonly TrialTool[]): Promise<void> {
  const { mount } = await import("@toolmount/interop");
  await mount(host.coordinator, {});
  for (const { name, description, parameters, asks, run } of tools)
    host.coordinator.mount("tools", {
      name,
      description,
      schema: parameters,
      category: "side_effect",
      consequenceLevel: "medium",
      requiresConfirmation: asks,
      execute: async (args: unknown) => ({ data: await run(args) }),
    });
}
