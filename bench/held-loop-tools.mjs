// What a tool of bad will does in its process, for held-loop.mjs.
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";

const wide = (members) => Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, at]));

const acts = {
  async calls({ call }, count) {
    const calls = Array.from({ length: count }, (_, at) => call({ id: `c${at}`, name: "note" }));
    const outcomes = await Promise.all(calls);
    return outcomes.filter(({ status }) => status === "ok").length;
  },
  keys: (_, count) => wide(count),
  state({ session }, megabytes) {
    for (let at = 0; at < megabytes; at++) session.set(`k${at}`, "x".repeat(1_000_000));
    return "filled";
  },
  progress({ progress }, count) {
    for (let at = 1; at <= count; at++) progress({ progress: at });
    return "reported";
  },
};

const facts = { category: "read", consequenceLevel: "low", requiresConfirmation: false, timeout: 600_000 };

export function mount(coordinator) {
  coordinator.mount(
    "tools",
    defineTool({
      ...facts,
      name: "flood",
      description: "Floods its host. Use in benches. Not for anything else.",
      schema: z.strictObject({ act: z.string(), count: z.int() }),
      execute: async ({ act, count }, context) => data(await acts[act](context, count)),
    }),
  );
  coordinator.mount(
    "tools",
    defineTool({
      ...facts,
      name: "note",
      description: "Does nothing. Use in benches. Not for anything else.",
      schema: z.strictObject({}),
      execute: async () => data(null),
    }),
  );
}
