// Tools of the fleet's and the process's rows. A module of a plan.
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";

const facts = { category: "read", consequenceLevel: "low", requiresConfirmation: false };

const echo = defineTool({
  name: "echo",
  description: "Returns its text. Use it to measure calls. Not for anything else.",
  schema: z.strictObject({ text: z.string() }),
  ...facts,
  execute: async ({ text }) => data({ text }),
});

const wait = defineTool({
  name: "wait",
  description:
    "Waits. A long wait reports the time when it starts. Use it to measure workers. Not for anything else.",
  schema: z.strictObject({ ms: z.number() }),
  ...facts,
  execute: async ({ ms }, context) => {
    const { abortSignal } = context;
    if (ms > 1_000) context.progress({ progress: Date.now() });
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      abortSignal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    });
    abortSignal.throwIfAborted();
    return data({ ms });
  },
});

export function mount(coordinator) {
  for (const tool of [echo, wait]) coordinator.mount("tools", tool);
}
