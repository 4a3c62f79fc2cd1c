import { appendFileSync } from "node:fs";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { createHost, data, defineTool, type ImportPackage, type StateStore } from "@toolmount/core";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import { z } from "zod";

/** Calls of the turn: three in its first answer, two in its second. */
export const callCount = 5;

/** Packages of providers, as a plan's folder has them installed. */
const importPackage: ImportPackage = async (name) => {
  if (name === "@ai-sdk/anthropic") return import("@ai-sdk/anthropic");
  return name === "@ai-sdk/google" ? import("@ai-sdk/google") : null;
};

/** A host whose one tool leaves a line in a file, each time it runs, and must not be run twice. */
export function createTurnWorld(
  store: StateStore,
  baseUrl: string,
  effects: string,
  mark = (_: string) => {},
  model = "m",
) {
  const host = createHost({ store });
  host.coordinator.mount("session-store", store.sessions);
  host.coordinator.registerCapability("host.import_package", importPackage);
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "act",
      description: "Leaves a line. Use in tests.",
      schema: z.strictObject({ n: z.int() }),
      category: "side_effect",
      consequenceLevel: "high",
      requiresConfirmation: false,
      async execute({ n }) {
        mark(`calling ${n}`);
        await turnOfLoop();
        appendFileSync(effects, `${n}\n`);
        mark(`acted ${n}`);
        for (let turns = 0; turns < n; turns++) await turnOfLoop(); // calls end one after the other
        mark(`called ${n}`);
        return data(`acted ${n}`);
      },
    }),
  );
  const say = (word: string) => () => {
    mark(word);
  };
  host.coordinator.hooks.gate("llm:request", say("asking"));
  host.coordinator.hooks.gate("llm:response", say("answered"));
  const settings = settingsSchema.parse({ model, stream: false, baseUrl, apiKey: "k" });
  return { host, reasoner: createReasoner(host.coordinator, { settings }) };
}
