// What flows cost: a search beside `indexOf` over the same texts, and calls that no flow is about.
import { createHost, data, defineTool } from "@toolmount/core";
import { config, createFlows } from "@toolmount/policy";
import { z } from "zod";

const common = { consequenceLevel: "low", requiresConfirmation: false };
const flows = config.parse({
  flows: { into: [{ match: { tool: "send" }, from: ["user"], else: "allow" }] },
}).flows;
const context = { sessionId: "s", prompts: ["Send it to ada@example.com."] };
const calls = 2_000;

function hostWith(text, isGuarded) {
  const host = createHost();
  const look = { name: "look", description: "Looks. Use it.", category: "read", schema: z.strictObject({}) };
  const send = { name: "send", description: "Sends. Use it.", category: "side_effect", control: ["to"] };
  const to = z.strictObject({ to: z.string() });
  host.coordinator.mount("tools", defineTool({ ...common, ...look, execute: () => data(text) }));
  host.coordinator.mount("tools", defineTool({ ...common, ...send, schema: to, execute: () => data(null) }));
  if (isGuarded) host.coordinator.mount("policies", createFlows(flows));
  return host;
}

const words = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt".split(
  " ",
);
const textOf = (length) => {
  const parts = [];
  for (let size = 0, at = 0; size < length; at = (at * 31 + 7) % 1009)
    size += parts[parts.push(words[at % words.length]) - 1].length + 1;
  return parts.join(" ").slice(0, length);
};

/** A control value that no result has, in 1 MB of results. */
async function search() {
  const texts = Array.from({ length: 10 }, () => textOf(100_000));
  const host = hostWith(null, true);
  for (const text of texts) {
    host.coordinator.unmount("tools", "look");
    const look = {
      name: "look",
      description: "Looks. Use it.",
      category: "read",
      schema: z.strictObject({}),
    };
    host.coordinator.mount("tools", defineTool({ ...common, ...look, execute: () => data(text) }));
    await host.call({ name: "look" }, context);
  }
  const to = "new@nowhere.example";
  const all = texts.join("\n");
  return {
    floor: () => void all.indexOf(to),
    row: () => host.call({ name: "send", arguments: { to } }, context),
  };
}

/** Calls of a tool without control arguments. */
async function unguarded() {
  const run = (host) => async () => {
    for (let at = 0; at < calls; at++) await host.call({ name: "look" });
  };
  return { floor: run(hostWith("short", false)), row: run(hostWith("short", true)) };
}

export const flowRows = {
  "flows.search": {
    title: "a control value in 1 MB of results, beside indexOf",
    make: search,
    goal: 2.5,
    gate: 6,
  },
  "flows.unguarded": {
    title: "a tool that no flow is about, beside a plan without flows",
    make: unguarded,
    goal: 1.1,
    gate: 1.4,
  },
};
