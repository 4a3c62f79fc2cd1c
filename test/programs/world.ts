import { appendFileSync } from "node:fs";
import { createHost, data, defineTool, type StateStore } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-program";
import { z } from "zod";

/** Where a process dies: when a call is to be decided, before its effect, after it, or when it has ended. */
export const places = ["decided", "before", "after", "ended"] as const;
export type Place = (typeof places)[number];

/** A host with programs over two tools: `note` leaves a line in a file and must not run twice, `look` reads. */
export async function createWorld(
  store: StateStore,
  effects: string,
  at: (place: Place, call: string) => void = () => {},
) {
  const host = createHost({ store });
  const common = { consequenceLevel: "low", requiresConfirmation: false } as const;
  const note = defineTool({
    ...common,
    name: "note",
    description: "Leaves a line. Use in tests.",
    category: "side_effect",
    schema: z.strictObject({ n: z.int() }),
    async execute({ n }) {
      at("before", `note ${n}`);
      appendFileSync(effects, `${n}\n`);
      at("after", `note ${n}`);
      for (let turns = 0; turns < n % 5; turns++) await new Promise(setImmediate);
      return data({ noted: n });
    },
  });
  const look = defineTool({
    ...common,
    name: "look",
    description: "Reads a number. Use in tests.",
    category: "read",
    schema: z.strictObject({ n: z.int() }),
    async execute({ n }) {
      at("before", `look ${n}`);
      for (let turns = 0; turns < n % 7; turns++) await new Promise(setImmediate);
      at("after", `look ${n}`);
      return data({ seen: n * n });
    },
  });
  for (const tool of [note, look]) host.coordinator.mount("tools", tool);
  const watch = (place: Place) => (_: string, event: Readonly<Record<string, unknown>>) => {
    const { tool_name: name, tool_input: given } = event as { tool_name: string; tool_input: { n?: number } };
    if (given.n !== undefined) at(place, `${name} ${given.n}`);
  };
  host.coordinator.hooks.gate("tool:pre", watch("decided"));
  host.coordinator.hooks.observe("tool:post", watch("ended"));
  await mount(host.coordinator, config.parse({ parallel: 4 }));
  return host;
}

/** The call that is made again after each death. */
export function runProgram(host: Awaited<ReturnType<typeof createWorld>>, source: string) {
  return host.call({ id: "p1", name: "run_program", arguments: { source } }, { sessionId: "s" });
}
