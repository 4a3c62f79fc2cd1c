import fc from "fast-check";
import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  type Json,
  type StateStore,
  type ValueOrigin,
} from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { config, createFlows } from "../src/index.ts";

const common = { consequenceLevel: "low", requiresConfirmation: false } as const;

/** A host whose tool answers with what it is asked for, and whose other tool sends to an address that is asked about. */
function hostOver(store: StateStore) {
  const asked: (readonly ValueOrigin[] | undefined)[] = [];
  let answer: Json = null;
  const host = createHost({
    store,
    approver: ({ reasons }) => (asked.push(reasons[0]!.origins), { decision: "deny" }),
  });
  host.coordinator.mount("session-store", store.sessions);
  host.coordinator.mount(
    "tools",
    defineTool({
      ...common,
      name: "look",
      description: "Looks. Use it.",
      category: "read",
      schema: z.strictObject({}),
      execute: () => data(answer),
    }),
  );
  host.coordinator.mount(
    "tools",
    defineTool({
      ...common,
      name: "send",
      description: "Sends. Use it.",
      category: "side_effect",
      schema: z.strictObject({ to: z.string() }),
      control: ["to"],
      execute: () => data(null),
    }),
  );
  host.coordinator.mount("policies", createFlows(config.parse({ flows: "on" }).flows!));
  const context = { sessionId: "s", prompts: ["Do it."] };
  return {
    close: () => host.close(),
    look: async (value: Json) => {
      answer = value;
      await host.call({ name: "look" }, context);
    },
    send: async (to: string) => {
      await host.call({ name: "send", arguments: { to } }, context);
      return asked.pop()?.[0];
    },
  };
}

const words = ["alpha", "beta", "gamma", "delta", "omega", "Sigma", "RHO1", "tau_2"];
const text = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(" ", "  ", "\n", ", ", ". ", " (")), {
    maxLength: 6,
  })
  .map((parts) => parts.flat().join(""));
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.boolean(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

/** The first text of the log that has the word, found the plain way. */
function plainSearch(log: readonly Json[], word: string): { call: number; path: string } | undefined {
  for (const [at, result] of log.entries()) {
    const path = pathOf(result, word.toLowerCase());
    if (path !== undefined) return { call: at + 1, path };
  }
  return undefined;
}

function pathOf(one: Json, word: string): string | undefined {
  if (typeof one === "string")
    return one
      .toLowerCase()
      .split(/[\s,.(]+/)
      .includes(word)
      ? ""
      : undefined;
  if (typeof one !== "object" || one === null) return undefined;
  for (const [key, member] of Object.entries(one)) {
    const below = pathOf(member, word);
    if (below !== undefined) return `.${key}${below}`;
  }
  return undefined;
}

test("a value is found in the log of a session where a plain search of the whole log finds it first", async () => {
  const log = fc.array(value, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(log, fc.constantFrom(...words, "nowhere"), fc.nat(8), async (results, word, cut) => {
      const store = createMemoryStore();
      const [first, second] = [hostOver(store), hostOver(store)];
      for (const [at, result] of results.entries()) await (at < cut ? first : second).look(result);
      const plain = plainSearch(results, word);
      for (const host of [first, second]) {
        const { origin, from } = (await host.send(word))!;
        expect(from && { call: from.call, path: from.path }).toEqual(plain);
        expect(origin).toBe(plain === undefined ? "composed" : "untrusted");
      }
      await Promise.all([first.close(), second.close()]);
    }),
  );
});
