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

/** A host whose `look` answers with what `read` gives, and whose `send` is guarded. */
function hostWith(read, isGuarded) {
  const host = createHost();
  const look = { name: "look", description: "Looks. Use it.", category: "read", schema: z.strictObject({}) };
  const send = { name: "send", description: "Sends. Use it.", category: "side_effect", control: ["to"] };
  const schema = z.strictObject({ to: z.string(), body: z.string().optional() });
  host.coordinator.mount("tools", defineTool({ ...common, ...look, execute: () => data(read()) }));
  host.coordinator.mount(
    "tools",
    defineTool({ ...common, ...send, content: ["body"], schema, execute: () => data(null) }),
  );
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

const to = "new@nowhere.example";
const known = "ada@example.com";

/** A session that has seen 1 MB of results, in ten calls. */
async function seen(make = textOf) {
  const texts = Array.from({ length: 10 }, () => make(100_000));
  let at = 0;
  const host = hostWith(() => texts[at++], true);
  for (const _ of texts) await host.call({ name: "look" }, context);
  return { host, all: texts.join("\n") };
}

/** A control value that no result has, in 1 MB of results. */
async function search() {
  const { host, all } = await seen();
  return {
    floor: () => void all.indexOf(to),
    row: () => host.call({ name: "send", arguments: { to } }, context),
  };
}

/** The first search in a result of 100 KB normalises it, and decodes what is encoded in it. */
async function normalize() {
  const text = textOf(100_000);
  const host = hostWith(() => text, true);
  let session = 0;
  return {
    // The passes that the work needs at least: one that normalises, and one that looks for encoded words.
    floor: () =>
      void (text.normalize("NFKC").toLowerCase().length + text.match(/[A-Za-z0-9+/_-]{8,}/g).length),
    row: async () => {
      const sessionId = `s${session++}`;
      await host.call({ name: "look" }, { ...context, sessionId });
      const began = process.hrtime.bigint();
      await host.call({ name: "send", arguments: { to: known } }, { ...context, sessionId });
      await host.call({ name: "send", arguments: { to } }, { ...context, sessionId });
      return Number(process.hrtime.bigint() - began);
    },
  };
}

/** Words of six letters in an order that does not repeat. */
const drawnWords = (length) => {
  let state = length;
  const word = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648).toString(36).padStart(6, "z");
  return Array.from({ length: Math.ceil(length / 7) }, word).join(" ");
};

/** Content of 25 KB, of which no five words in a row are in 1 MB of results, beside a set of all words of both. */
async function content() {
  const { host, all } = await seen(drawnWords);
  const taken = all.split(/\s/).slice(0, 3_600);
  const body = taken.map((word, at) => (at % 4 === 3 ? `${word}x` : word)).join(" ");
  return {
    floor: () => {
      const set = new Set(all.split(/\s/));
      return void body.split(" ").filter((word) => set.has(word));
    },
    row: () => host.call({ name: "send", arguments: { to: known, body } }, context),
  };
}

/** Calls of a tool without control arguments. */
async function unguarded() {
  const run = (host) => async () => {
    for (let at = 0; at < calls; at++) await host.call({ name: "look" });
  };
  const read = () => "short";
  return { floor: run(hostWith(read, false)), row: run(hostWith(read, true)) };
}

export const flowRows = {
  "flows.search": {
    title: "a control value in 1 MB of results, beside indexOf",
    make: search,
    goal: 2.5,
    gate: 6,
  },
  "flows.normalize": {
    title: "a new result of 100 KB, read and searched",
    make: normalize,
    goal: 2.5,
    gate: 6,
  },
  "flows.content": {
    title: "content of 25 KB in 1 MB of results, beside a set",
    make: content,
    goal: 1,
    gate: 3,
  },
  "flows.unguarded": {
    title: "a tool that no flow is about, beside a plan without flows",
    make: unguarded,
    goal: 1.1,
    gate: 1.4,
  },
};
