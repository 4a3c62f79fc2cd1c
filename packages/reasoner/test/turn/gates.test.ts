import { createHash } from "node:crypto";
import { createHost, silentLogger, type EventData, type Injection, type Logger } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { causesOf, wordsOf } from "../../src/agents/user-words.ts";
import { Injections } from "../../src/turn/injections.ts";
import { tool } from "../support/world.ts";
import { admits, guardTurns, LiveTurns, whileAdding } from "../../src/turn/live-turns.ts";

describe("text that hooks inject", () => {
  function injectionsOf(settings: { maxInjectionBytes?: number; injectionTokens?: number } = {}) {
    const { coordinator } = createHost();
    const events: { readonly event: string; readonly data: EventData }[] = [];
    coordinator.hooks.observe("*", (event, data) => void events.push({ event, data }));
    const warned: string[] = [];
    const logger: Logger = { ...silentLogger, warn: (_, text = "") => void warned.push(text) };
    const injections = new Injections(
      { hooks: coordinator.hooks, logger },
      { maxInjectionBytes: 100, injectionTokens: 100, ...settings },
      { session_id: "s" },
    );
    return { injections, events, warned };
  }
  const injection = (fields: Partial<Injection> = {}): Injection => ({
    text: "note",
    role: "system",
    ephemeral: false,
    appendToLastToolResult: false,
    source: "a hook",
    ...fields,
  });

  test("names its source, and has the role of the developer where the hook says system", async () => {
    const { injections, events } = injectionsOf();
    const taken = await injections.take([
      injection({ text: "a\u200Bb" }),
      injection({ role: "user", ephemeral: true }),
      injection({ role: "assistant" }),
    ]);

    expect(taken).toEqual({
      kept: [
        { type: "message", role: "developer", content: "[from a hook]\na\\u{200b}b" },
        { type: "message", role: "assistant", content: "[from a hook]\nnote" },
      ],
      ephemeral: [{ type: "message", role: "user", content: "[from a hook]\nnote" }],
    });
    expect(events.map(({ event }) => event)).toEqual(Array.from({ length: 3 }, () => "context:include"));
    expect(events[1]!.data).toMatchObject({
      session_id: "s",
      source: "a hook",
      role: "user",
      ephemeral: true,
      bytes: 4,
      digest: createHash("sha256").update("note").digest("hex"),
    });
  });

  test("may have as many bytes as the plan says, and not one more", async () => {
    const { injections, events } = injectionsOf({ maxInjectionBytes: 4 });

    expect((await injections.take([injection({ text: "éé" })])).kept).toHaveLength(1);
    await expect(injections.take([injection({ text: "éé!" })])).rejects.toMatchObject({
      code: "INJECTION_TOO_LARGE",
      details: { source: "a hook", bytes: 5, maxBytes: 4 },
    });
    expect(events.at(-1)).toMatchObject({
      event: "policy:violation",
      data: { session_id: "s", rule: "injection_size", source: "a hook", bytes: 5 },
    });
  });

  test("is logged once all of it has more tokens than the plan says", async () => {
    const { injections, warned } = injectionsOf({ injectionTokens: 2 });
    await injections.take([injection({ text: "12345678" })]);
    expect(warned).toEqual([]);
    await injections.take([injection({ text: "1" })]);
    expect(warned).toEqual(["hooks injected more than 2 tokens in this turn"]);
  });

  test("of a gate is that of its answer", async () => {
    const { injections } = injectionsOf();
    const none = { kept: [], ephemeral: [] };
    const inject = { action: "inject_context", contextInjection: "hi" } as const;

    expect(await injections.ofHook({ action: "continue", contextInjection: "hi" }, "x")).toEqual(none);
    expect(await injections.ofHook({ action: "inject_context" }, "x")).toEqual(none);
    expect(await injections.ofHook({ ...inject, contextInjection: "" }, "x")).toEqual(none);
    expect(await injections.ofHook(inject, "prompt:submit")).toEqual({
      kept: [{ type: "message", role: "developer", content: "[from a hook of prompt:submit]\nhi" }],
      ephemeral: [],
    });
    expect(
      await injections.ofHook({ ...inject, contextInjectionRole: "user", ephemeral: true }, "x"),
    ).toMatchObject({
      kept: [],
      ephemeral: [{ role: "user" }],
    });
  });
});

describe("the tools that a turn may call", () => {
  test.each<[readonly (readonly string[])[], boolean]>([
    [[], true],
    [[["look"]], true],
    [[["l*"]], true],
    [[["*", "!list"]], true],
    [[["*", "!l*"]], false],
    [[["!list"]], false],
    [[["list"]], false],
    [[["*"], ["list"]], false],
    [[["*"], ["look", "list"]], true],
    [[[]], false],
  ])("lists %j admit look: %s", (lists, expected) => {
    expect(admits(lists, "look")).toBe(expected);
  });

  const ids = { session_id: "s", turn_id: "t" };
  async function guarded(allowed: readonly (readonly string[])[] = []) {
    const host = createHost({ approver: () => ({ decision: "deny" }) });
    const turns = new LiveTurns();
    guardTurns(turns, host.coordinator.hooks);
    const turn = turns.begin("s", "t", { allowed, idempotent: new Set(["look"]) });
    turn.offered = new Set(["look", "outer", "asks"]);
    host.coordinator.mount(
      "tools",
      tool("look", () => 1),
    );
    host.coordinator.mount(
      "tools",
      tool("list", () => 1),
    );
    host.coordinator.mount(
      "tools",
      tool("asks", () => 1, { requiresConfirmation: true }),
    );
    host.coordinator.mount(
      "tools",
      tool("outer", async (_, { call }) => (await call({ name: "list" })).result.error ?? "listed"),
    );
    const errorOf = async (name: string, turnId = "t") => {
      const { result } = await host.call({ name }, { sessionId: "s", turnId });
      return result.error ?? result.data;
    };
    return { turns, turn, errorOf };
  }

  test("are those that were offered, and a call that a tool makes needs no offer", async () => {
    const { errorOf } = await guarded();

    expect(await errorOf("look")).toBe(1);
    expect(await errorOf("list")).toBe(
      '"list" was not run: "list" is not offered now; use one of the offered tools',
    );
    expect(await errorOf("outer")).toBe("listed");
    expect(await errorOf("list", "u")).toBe(1);
  });

  test("are those of its agent, also for a call that a tool makes", async () => {
    const { errorOf } = await guarded([["outer"]]);

    expect(await errorOf("look")).toBe('"look" was not run: "look" is not one of the tools of this agent');
    expect(await errorOf("outer")).toBe('"list" was not run: "list" is not one of the tools of this agent');
  });

  test("are asked of a turn that runs, which knows the calls that a person denied", async () => {
    const { turns, turn, errorOf } = await guarded();
    await errorOf("list");
    expect(turn.deniedByPerson.size).toBe(0);
    await errorOf("asks");
    await errorOf("asks", "u");

    expect(turn.deniedByPerson.size).toBe(1);
    expect([turn.adding, turn.isOver, turn.idempotent.has("look")]).toEqual([0, false, true]);
    turns.end("s", "u");
    expect(turns.find(ids)).toBe(turn);
    turns.end("s", "t");
    expect(turns.find(ids)).toBeUndefined();
    expect(await errorOf("list")).toBe(1);
  });

  test("a turn does not end while a message of the user is stored", async () => {
    const { turn } = await guarded();
    let during = 0;
    await whileAdding(turn, async () => void (during = turn.adding));
    await expect(whileAdding(turn, () => Promise.reject(new Error("full")))).rejects.toThrow("full");

    expect([during, turn.adding]).toEqual([1, 0]);
  });
});

describe("the user's words in the calls of a session", () => {
  const running = (id: string, facts: object, view: object, above: unknown = null) =>
    ({
      log: {
        facts: { id, parentId: null, ...facts },
        view: { prompts: [], sources: [], turn: null, ...view },
      },
      above,
    }) as never;
  const top = running(
    "top",
    {},
    {
      prompts: ["go"],
      sources: ["old"],
      turn: {
        turnId: "t1",
        calls: [
          { child: null, call: { callId: "c0" } },
          { child: { sessionId: "mid" }, call: { callId: "c1" } },
        ],
      },
    },
  );
  const middle = running(
    "mid",
    { parentId: "top" },
    { prompts: ["by a model"], turn: { turnId: "t2", calls: [] } },
    top,
  );
  const lowest = running("low", { parentId: "mid" }, {}, middle);

  test("are what the user wrote to the session that began it", () => {
    expect(wordsOf(top)).toEqual({ prompts: ["go"], parentSessionIds: ["old"] });
    expect(wordsOf(running("s", {}, { prompts: ["go"] }))).toEqual({ prompts: ["go"] });
    expect(wordsOf(middle)).toEqual({ prompts: ["go"], parentSessionIds: ["old", "top"] });
    expect(wordsOf(lowest)).toEqual({ prompts: ["go"], parentSessionIds: ["old", "top", "mid"] });
  });

  test("are unknown where that session does not run", () => {
    const orphan = running("low", { parentId: "gone" }, { prompts: ["by a model"] });
    expect(wordsOf(orphan)).toEqual({ parentSessionIds: ["gone"] });
    expect(wordsOf(running("lower", { parentId: "low" }, {}, orphan))).toEqual({
      parentSessionIds: ["gone", "low"],
    });
  });

  test("have the calls that began it, the nearest first", () => {
    expect(causesOf(top)).toEqual({});
    expect(causesOf(middle)).toEqual({ causes: [{ sessionId: "top", turnId: "t1", callId: "c1" }] });
    expect(causesOf(lowest)).toEqual({
      causes: [
        { sessionId: "mid", turnId: "t2" },
        { sessionId: "top", turnId: "t1", callId: "c1" },
      ],
    });
    expect(causesOf(running("x", { parentId: "y" }, {}, running("y", {}, {})))).toEqual({
      causes: [{ sessionId: "y" }],
    });
  });
});
