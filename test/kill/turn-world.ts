import { appendFileSync } from "node:fs";
import { createHost, data, defineTool, type StateStore } from "@toolmount/core";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import { z } from "zod";

/** Calls of the one answer. */
export const callCount = 5;

/** A host whose one tool leaves a line in a file, each time it runs, and must not be run twice. */
export function createTurnWorld(
  store: StateStore,
  baseUrl: string,
  effects: string,
  mark = (_: string) => {},
) {
  const host = createHost({ store });
  host.coordinator.mount("session-store", store.sessions);
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
        mark(`before ${n}`);
        appendFileSync(effects, `${n}\n`);
        mark(`after ${n}`);
        await new Promise((resolve) => setImmediate(resolve));
        return data(`acted ${n}`);
      },
    }),
  );
  const settings = settingsSchema.parse({ model: "m", stream: false, baseUrl });
  return { host, reasoner: createReasoner(host.coordinator, { settings }) };
}
