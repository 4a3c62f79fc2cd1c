// A module that keeps state between calls, so that all of them must run in one process.
import { data, defineTool, type Coordinator } from "@toolmount/core";
import { z } from "zod";

export const keepsState = true;

export function mount(coordinator: Coordinator): void {
  let count = 0;
  coordinator.mount(
    "tools",
    defineTool({
      name: "probe",
      description: "Counts its calls. Use it in tests. Not for anything else.",
      schema: z.strictObject({ act: z.string().optional() }),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: async ({ act }, { progress }) => {
        progress({ progress: 1 });
        if (act === "block") for (;;);
        if (act === "wait") await new Promise(() => {});
        if (act === "later") await new Promise((resolve) => setTimeout(resolve, 1_000));
        if (act === "exit") process.exit(3);
        if (act === "exit after the answer") setTimeout(() => process.exit(0), 5);
        return data({ count: ++count, pid: process.pid });
      },
    }),
  );
}
