import { createMemoryStore, data, defineTool, systemClock, ToolmountError, type Json } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FirstAnswers } from "../src/work/first-answers.ts";
import { scriptedTurns } from "./support/turns.ts";
import { createWorld, serve, type Tokens } from "./support/world.ts";

const path = "/api/v1/hosts/default";
const unknown = new ToolmountError("OUTCOME_UNKNOWN", { tool: "echo" }).message;

/** A server, and servers before it that were killed in the middle of the work of a key. */
async function world() {
  let count = 0;
  const problems: Error[] = [];
  const store = createMemoryStore();
  const { host, started } = createWorld({ store });
  for (const [name, category, idempotent] of [
    ["look", "read", undefined],
    ["set", "side_effect", true],
    ["drop", "side_effect", true],
  ] as const)
    host.coordinator.mount(
      "tools",
      defineTool({
        name,
        description: "Does something. Use in tests.",
        schema: z.strictObject({}),
        category,
        ...(idempotent !== undefined && { idempotent }),
        consequenceLevel: "low",
        requiresConfirmation: name === "drop",
        execute: async () => {
          started.push(name);
          return data(name);
        },
      }),
    );
  const { turns, begun } = scriptedTurns(({ kind, begins, fails }) => {
    const problem = problems.shift();
    if (problem === undefined) begins(kind === "run" ? `t${(count += 1)}` : "resumed");
    else void fails(problem);
  });
  const show = async () => ({ status: "open", items: [{ role: "user", content: "Go." }] });
  const { server, tokens } = await serve({ default: { host, turns: { ...turns, show } } });
  const send = async (route: string, body: object, key = "k", as: keyof Tokens = "caller") => {
    const answer = await fetch(`${server.url}${path}${route}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${tokens[as]}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify(body),
    });
    const replayed = answer.headers.get("idempotent-replayed");
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, replayed };
  };
  /** A server before this one was killed while it did the work of the key. `kept` is what it had stored for the next one. */
  const killed = async (request: Json, kept: Json = null, owner = "caller\n") => {
    const before = new FirstAnswers(host, systemClock, "default", 15_000);
    const run = async (keep: (note: Json) => Promise<void>): Promise<Json> => {
      if (kept !== null) await keep(kept);
      throw new Error("it was killed");
    };
    await before.once({ key: "k", owner, request }, { run, recover: (_, keep) => run(keep) }).catch(() => {});
  };
  /** A server that finds the key after the lease of those before it. */
  const clock = { ...systemClock, now: () => Date.now() + 20_000 };
  const laterServer = new FirstAnswers(host, clock, "default", 15_000);
  return { host, store, started, begun, problems, send, killed, laterServer };
}

describe("a turn with a key", () => {
  test("is started once, in a session of its key, and the answer has the turn as it is now", async () => {
    const { send, begun } = await world();
    const first = await send("/turns", { prompt: "Go." });
    expect(first).toMatchObject({ status: 202, body: { id: "t1" } });
    expect(first.body["sessionId"]).toMatch(/^turn-[\da-f]{32}$/);
    await begun[0]!.ends({ status: "done" });
    expect(await send("/turns", { prompt: "Go." })).toMatchObject({ status: 200, body: { id: "t1" } });
    expect(begun).toHaveLength(1);
    const sessions = [];
    for (const [key, as] of [
      ["k2", "caller"],
      ["k", "ana"],
    ] as const)
      sessions.push((await send("/turns", { prompt: "Go." }, key, as)).body["sessionId"]);
    expect(new Set([first.body["sessionId"], ...sessions]).size).toBe(3);
    expect((await send("/turns", { prompt: "Go.", sessionId: "s" }, "k3")).body["sessionId"]).toBe("s");
  });

  test.each([
    ["prompt", { prompt: "Stop." }],
    ["session", { prompt: "Go.", sessionId: "s" }],
  ])("is refused with another %s", async (_, body) => {
    const { send, begun } = await world();
    await send("/turns", { prompt: "Go." });
    expect(await send("/turns", body)).toMatchObject({
      status: 422,
      body: { code: "IDEMPOTENCY_KEY_REUSED" },
    });
    expect(begun).toHaveLength(1);
  });

  test("that a killed server had stored is found", async () => {
    const { send, begun, killed } = await world();
    const prompt = "a".repeat(2_001);
    await killed(["turn", prompt, "s"]);
    await send("/turns", { prompt, sessionId: "s" }, "other");
    expect(await send("/turns", { prompt, sessionId: "s" })).toMatchObject({ body: { id: "t1" } });
    expect(begun).toHaveLength(1);
  });

  test.each(["Before.", "Go."])(
    "that a killed server had not stored begins, also where its session had a turn: %s",
    async (earlier) => {
      const { send, begun, killed } = await world();
      await send("/turns", { prompt: earlier, sessionId: "s" }, "other");
      await begun[0]!.ends({ status: "done" });
      await killed(["turn", "Go.", "s"]);
      expect(await send("/turns", { prompt: "Go.", sessionId: "s" })).toMatchObject({ body: { id: "t2" } });
      expect(begun.map(({ request }) => [request.prompt, request.sessionId])).toEqual([
        [earlier, "s"],
        ["Go.", "s"],
      ]);
    },
  );

  test.each([undefined, "s"])(
    "that a killed server had begun and not stored is resumed, in the session %s",
    async (sessionId) => {
      const { send, begun, killed, problems } = await world();
      await killed(["turn", "Go.", sessionId ?? null]);
      problems.push(new ToolmountError("SESSION_CONFLICT", { session: "s", problem: "it has an open turn" }));
      const { body } = await send("/turns", { prompt: "Go.", sessionId });
      expect(body).toMatchObject({ id: "resumed", prompt: "", by: "caller" });
      const session = body["sessionId"];
      expect(begun.map(({ kind, request }) => [kind, request.sessionId])).toEqual([
        ["run", session],
        ["resume", session],
      ]);
    },
  );

  test.each([
    [new Error("no such model"), undefined],
    [new ToolmountError("SESSION_NOT_FOUND", { session: "s" }), undefined],
  ])("is not resumed where it did not begin because of %s", async (problem, sessionId) => {
    const { send, begun, killed, problems } = await world();
    await killed(["turn", "Go.", sessionId ?? null]);
    problems.push(problem);
    const { status } = await send("/turns", { prompt: "Go.", sessionId });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(begun.map(({ kind }) => kind)).toEqual(["run"]);
  });

  test.each([
    ["another turn is open", "Go.", true],
    ["the open turn began with other words", "Stop.", false],
  ])("is not resumed where in its session %s", async (_, prompt, hasOther) => {
    const { send, begun, killed, problems } = await world();
    if (hasOther) await send("/turns", { prompt: "Before.", sessionId: "s" }, "other");
    await killed(["turn", prompt, "s"]);
    problems.push(new ToolmountError("SESSION_CONFLICT", { session: "s", problem: "it has an open turn" }));
    expect(await send("/turns", { prompt, sessionId: "s" })).toMatchObject({ status: 409 });
    expect(begun.map(({ kind }) => kind)).not.toContain("resume");
  });
});

describe("a call with a key that a killed server had begun", () => {
  test.each(["look", "set"])("runs again where its tool may run twice: %s", async (tool) => {
    const { send, started, killed } = await world();
    await killed(["call", { tool }]);
    const answer = await send("/calls", { tool });
    expect(answer).toMatchObject({ body: { status: "ok" }, replayed: null });
    expect(await send("/calls", { tool })).toEqual({ ...answer, replayed: "true" });
    expect(started).toEqual([tool]);
  });

  test("ends where its tool is not there any more", async () => {
    const { send, killed } = await world();
    await killed(["call", { tool: "gone" }]);
    const { body } = await send("/calls", { tool: "gone" });
    expect(body["result"]).toMatchObject({ code: "TOOL_NOT_FOUND" });
  });

  test.each([
    ["caller\nbo", { id: "c1", sessionId: "bo:s", userId: "bo" }],
    ["caller\n", {}],
  ])("may have run, and does not run again: of %j", async (owner, facts: { readonly id?: string }) => {
    const { send, started, killed } = await world();
    await killed(["call", { tool: "echo", ...facts }], null, owner);
    const { body } = await send("/calls", { tool: "echo", ...facts });
    const { id = body["runId"], ...rest } = facts;
    expect(body).toEqual({
      callId: id,
      runId: expect.stringMatching(/^[\da-f-]{36}$/),
      tool: "echo",
      status: "unknown",
      result: { tool: "echo", fetchedAt: "", error: unknown, code: "OUTCOME_UNKNOWN" },
      durationMs: 0,
      ...rest,
    });
    expect(started).toEqual([]);
  });

  test("and that had asked resumes with its ticket", async () => {
    const { host, send, started, killed } = await world();
    const call = { tool: "wipe", arguments: { text: "all" }, sessionId: "s" };
    const { ticket } = await host.call({ name: "wipe", arguments: { text: "all" } }, { sessionId: "s" });
    await killed(["call", call], ticket);
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, "approve", "olga");
    expect((await send("/calls", call)).body).toMatchObject({
      status: "ok",
      callId: question!.info.callId,
      result: { data: "wiped all" },
    });
    expect(started).toEqual(["wipe"]);
  });

  test("and that runs in another process is asked for again a second later", async () => {
    const { host, send, killed } = await world();
    await killed(["call", { tool: "echo" }], "ticket");
    const resumed: unknown[] = [];
    const answers = ["run", "approval"].map((waitsFor) => ({
      status: "pending",
      callId: "c",
      runId: "r",
      tool: "echo",
      durationMs: 0,
      result: { code: "PENDING", details: { waitsFor } },
    }));
    host.resume = async (ticket) => (resumed.push(ticket), answers[resumed.length - 1] as never);
    expect(await send("/calls", { tool: "echo" })).toMatchObject({
      status: 409,
      body: { code: "IDEMPOTENCY_KEY_BUSY", details: { seconds: 1 } },
    });
    expect(await send("/calls", { tool: "echo" })).toMatchObject({ status: 200, body: answers[1]! });
    expect(resumed).toEqual(["ticket", "ticket"]);
  });

  test.each([
    ["wipe", false],
    ["drop", true],
  ])("stores its ticket while a person is asked, for the next server: %s", async (tool, isAgain) => {
    const { host, store, send, killed, laterServer, started } = await world();
    const call = { tool, sessionId: "s", waitMs: 600_000 };
    if (isAgain) await killed(["call", call]);
    const waits = send("/calls", call);
    const hasNote = async () => typeof (await store.work!.list({ kind: "key" }))[0]?.body["note"];
    await expect.poll(hasNote).toBe("string");
    const notes: Json[] = [];
    const seeNote = async (note: Json) => (notes.push(note), note);
    const request = { key: "k", owner: "caller\n", request: ["call", call] };
    await laterServer.once(request, { run: () => seeNote(null), recover: seeNote });
    expect(notes).toEqual([expect.stringMatching(/./)]);
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, "approve", "olga");
    expect((await waits).body).toMatchObject({ status: "ok" });
    expect(started).toEqual([tool]);
  });
});
