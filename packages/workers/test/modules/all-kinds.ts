// A module that registers something of each kind that its plan may allow behind a border.
import { data, defineTool, failure, type Coordinator } from "@toolmount/core";
import { z } from "zod";

export const config = z.strictObject({
  root: z.string(),
  limits: z.strictObject({ lines: z.int().default(5) }).prefault({}),
});

const look = defineTool({
  name: "look",
  description: "Looks. Use it in tests. Not for anything else.",
  schema: z.strictObject({ at: z.string().default("here") }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: ({ at }) => data({ at }),
});

const broken = {
  ...look,
  name: "broken",
  failures: {
    name: "kinds",
    describe: (thrown: unknown) => failure(`described: ${(thrown as Error).message}`),
  },
  execute: () => {
    throw new TypeError("no paper");
  },
};

export function mount(coordinator: Coordinator, settings: z.output<typeof config>): void {
  coordinator.mount("tools", look);
  coordinator.mount("tools", broken);
  const gate = () => ({ action: "continue" }) as const;
  coordinator.hooks.gate("tool:pre", gate, { name: "kinds", priority: 3, timeoutMs: 50 });
  coordinator.hooks.observe("tool:post", () => {});
  coordinator.registerCapability("kinds.settings", {
    ...settings,
    folder: coordinator.getCapability("session.working_dir"),
  });
  coordinator.registerContributor("observability.events", "kinds", () => ["kinds:changed"]);
}
