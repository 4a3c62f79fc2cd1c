import { describe, expect, test } from "vitest";
import { createMemoryStore, failure, type EventData } from "../../src/index.ts";
import { tool, world, type World } from "../world.ts";

type Options = NonNullable<Parameters<typeof world>[1]>;

interface Case {
  readonly phase: string;
  readonly when: string;
  readonly options?: Options;
  readonly given?: ReturnType<typeof tool>;
  readonly request?: { readonly name: string; readonly arguments?: string };
  readonly prepare?: (host: World["host"], stop: AbortController) => void;
}

const deny = { approver: () => ({ decision: "deny" as const }) };

const cases: readonly Case[] = [
  { phase: "find", when: "there is no such tool", request: { name: "missing" } },
  { phase: "parse", when: "the arguments are not JSON", request: { name: "probe", arguments: "[" } },
  {
    phase: "parse",
    when: "the arguments are too large to be read",
    options: { limits: { argumentBytes: 10 } },
    request: { name: "probe", arguments: `{"a":"${"x".repeat(20)}"}` },
  },
  {
    phase: "decide",
    when: "a gate denies",
    prepare: ({ coordinator }) =>
      coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "no" })),
  },
  {
    phase: "decide",
    when: "its caller stops it while a gate decides",
    prepare: ({ coordinator }, stop) => coordinator.hooks.gate("tool:pre", () => stop.abort()),
  },
  {
    phase: "decide",
    when: "its caller has stopped before it began",
    prepare: (_, stop) => stop.abort(),
  },
  {
    phase: "approve",
    when: "a person denies",
    options: deny,
    given: tool(() => failure("no"), { requiresConfirmation: true }),
  },
  {
    phase: "execute",
    when: "the tool throws",
    given: tool(() => {
      throw new Error("no");
    }),
  },
  { phase: "shape", when: "the tool returns a failure", given: tool(() => failure("no")) },
  { phase: "shape", when: "the tool returns no result", given: tool(() => "text") },
];

describe("the hop in which a call stopped, in its event and in the audit", () => {
  test.each(cases)(
    "$phase, when $when",
    async ({ phase, options, given, request = { name: "probe" }, prepare }) => {
      const store = createMemoryStore({ audit: "durable" });
      const { host } = world([given ?? tool(() => failure("no"))], { ...options, store });
      const stop = new AbortController();
      const ended: EventData[] = [];
      host.coordinator.hooks.observe("tool:error", (_event, data) => void ended.push(data));
      prepare?.(host, stop);

      await host.call(request, { abortSignal: stop.signal });

      expect(ended).toMatchObject([{ phase }]);
      const entries = (await store.audit!.read()).map(({ entry }) => entry);
      expect(entries.filter(({ kind }) => kind === "end")).toMatchObject([{ phase }]);
    },
  );
});
