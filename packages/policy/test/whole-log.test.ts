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

/** A session, and one that it began. */
const contexts = {
  parent: { sessionId: "s", prompts: ["Do it."] },
  child: { sessionId: "c", prompts: ["Do it."], parentSessionIds: ["s"] },
} as const;
type Session = keyof typeof contexts;

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
      name: "outer",
      description: "Looks by a call of its own. Use it.",
      category: "read",
      schema: z.strictObject({}),
      execute: async (_, { call }) => {
        await call({ name: "look" });
        return data(null);
      },
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
  return {
    close: () => host.close(),
    look: async (value: Json, tool: "look" | "outer", session: Session) => {
      answer = value;
      await host.call({ name: tool }, contexts[session]);
    },
    send: async (to: string, session: Session) => {
      await host.call({ name: "send", arguments: { to } }, contexts[session]);
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

/** One result: which host reads it, in a call of its own or inside another, in which session, and whether hosts restart. */
const step = fc.record({
  value,
  host: fc.constantFrom(0, 1),
  tool: fc.constantFrom("look", "outer"),
  session: fc.constantFrom("parent", "child"),
  restarts: fc.boolean(),
});

test("a value is found where a plain search of the whole log finds it first, in whichever host and session it was read", async () => {
  const steps = fc.array(step, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(...words, "nowhere"), async (all, word) => {
      const store = createMemoryStore();
      const hosts = [hostOver(store), hostOver(store)];
      const logs: Record<Session, Json[]> = { parent: [], child: [] };
      for (const { value: read, host, tool, session, restarts } of all) {
        await hosts[host]!.look(read, tool, session);
        // The outer call ends after the inner one, with nothing.
        logs[session].push(...(tool === "outer" ? [read, null] : [read]));
        if (restarts) await hosts.splice(host, 1, hostOver(store))[0]!.close();
      }
      for (const session of ["parent", "child"] as const) {
        const inParent = plainSearch(logs.parent, word);
        const plain = inParent ?? (session === "child" ? plainSearch(logs.child, word) : undefined);
        for (const host of hosts) {
          const { origin, from } = (await host.send(word, session))!;
          expect(from && { call: from.call, path: from.path }).toEqual(plain);
          expect(origin).toBe(plain === undefined ? "composed" : "untrusted");
        }
      }
      await Promise.all(hosts.map((host) => host.close()));
    }),
  );
});
