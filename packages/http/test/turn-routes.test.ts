import { createMemoryStore } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { clockOfLooks } from "./support/clock.ts";
import { scriptedTurns, settle } from "./support/turns.ts";
import { createWorld, serve, type Tokens } from "./support/world.ts";

const path = "/api/v1/hosts/default";
const now = 1_800_000_000_000;

/** A served reasoner: work that is asked for begins at once, and ends when the test says so. */
async function world() {
  let count = 0;
  let time = now;
  const looks = clockOfLooks(15_000);
  const { host } = createWorld({ store: createMemoryStore() });
  const { turns, begun, messages } = scriptedTurns(({ kind, begins }) =>
    begins(kind === "run" ? `t${(count += 1)}` : "t1"),
  );
  const clock = { ...looks, now: () => time };
  const { server, tokens, ask } = await serve({ default: { host, turns }, bare: { host } }, { clock });
  const start = (body: object = {}, as: keyof Tokens = "caller") =>
    ask("POST", `${path}/turns`, { as, body: { prompt: "Go.", ...body } });
  const send = (method: string, route: string, headers: object = {}, body?: object) =>
    fetch(`${server.url}${path}${route}`, {
      method,
      headers: { authorization: `Bearer ${tokens.caller}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const at = (ms: number) => void (time = now + ms);
  return { turns, begun, messages, server, ask, start, send, at, look: () => looks.look() };
}

/** A turn as the API shows it when it has just begun. */
const shown = (more: object = {}) => ({
  id: "t1",
  sessionId: "s1",
  userId: null,
  by: "caller",
  prompt: "Go.",
  status: "running",
  startedAt: now,
  updatedAt: now,
  endedAt: null,
  waiting: [],
  result: null,
  problem: null,
  ...more,
});

const refused = (status: number, code: string, detail: string) => ({
  status,
  body: expect.objectContaining({ code, detail }),
});

/** The events of a stream that has ended. */
function eventsIn(text: string) {
  return text
    .trimEnd()
    .split("\n\n")
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      return { event: field("event"), data: JSON.parse(field("data")!) as never, id: field("id") };
    });
}

describe("a turn is started", () => {
  test("and answered while it runs, with its address", async () => {
    const { send, begun } = await world();
    const answer = await send("POST", "/turns", {}, { prompt: "Go.", userId: "bo", sessionId: "s7" });
    expect([answer.status, answer.headers.get("location")]).toEqual([202, `${path}/turns/t1`]);
    expect(await answer.json()).toEqual(shown({ sessionId: "s7", userId: "bo" }));
    const { abortSignal: _, onEvent: _on, ...request } = begun[0]!.request;
    expect(request).toEqual({ prompt: "Go.", sessionId: "s7", userId: "bo" });
  });

  test("and answered when it has ended, where the request waits for that", async () => {
    const { start, begun, at } = await world();
    const answer = start({ waitMs: 60_000 });
    await expect.poll(() => begun.length).toBe(1);
    await settle();
    at(5);
    await begun[0]!.ends({ status: "done", text: "Gone." });
    const ended = { updatedAt: now + 5, endedAt: now + 5, result: { status: "done", text: "Gone." } };
    expect(await answer).toEqual({ status: 200, body: shown({ status: "done", ...ended }) });
  });

  test("and answered while it runs, where the time to wait is over", async () => {
    const { start } = await world();
    expect(await start({ waitMs: 20 })).toEqual({ status: 202, body: shown() });
  });

  test("on behalf of the user of a token", async () => {
    const { start, begun } = await world();
    expect(await start({}, "ana")).toEqual({ status: 202, body: shown({ by: "ana", userId: "ana" }) });
    expect(await start({ userId: "bo" }, "ana")).toEqual(
      refused(403, "FORBIDDEN", "this token may not do that: ana acts for the user ana only"),
    );
    expect(begun).toHaveLength(1);
  });

  test.each([
    ["an empty prompt", { prompt: "" }],
    ["a time that is longer than ten minutes", { waitMs: 600_001 }],
    ["a time below zero", { waitMs: -1 }],
    ["a field that it does not know", { model: "m" }],
  ])("never with %s", async (_, body) => {
    const { start, begun } = await world();
    expect(await start(body)).toMatchObject({ status: 400, body: { code: "REQUEST_INVALID" } });
    expect(begun).toEqual([]);
  });

  test("never for a host without a model, nor for one that is not there", async () => {
    const { ask } = await world();
    const body = { prompt: "Go." };
    const none = "this host has no model: its plan has no session.orchestrator";
    for (const [method, route] of [
      ["POST", "turns"],
      ["GET", "turns"],
      ["GET", "turns/t1"],
      ["GET", "turns/t1/events"],
    ] as const)
      expect(
        await ask(method, `/api/v1/hosts/bare/${route}`, method === "POST" ? { body } : {}),
        route,
      ).toEqual(refused(501, "NOT_SERVED", none));
    expect(await ask("POST", "/api/v1/hosts/other/turns", { body })).toEqual(
      refused(404, "NOT_FOUND", 'there is no host "other"; GET /api/v1/openapi.json lists the paths'),
    );
  });
});

describe("turns", () => {
  test("are listed in pages, those that began last first, by status and by session", async () => {
    const { start, begun, ask, at } = await world();
    for (const n of [1, 2, 3]) {
      at(n);
      await start({ sessionId: `s${n}` });
    }
    await begun[1]!.ends({ status: "done" });
    const ids = async (query: string) => {
      const { turns, next } = (await ask("GET", `${path}/turns${query}`)).body as never as {
        turns: { id: string }[];
        next: string | null;
      };
      return { ids: turns.map(({ id }) => id), next };
    };
    expect(await ids("")).toEqual({ ids: ["t3", "t2", "t1"], next: null });
    const first = await ids("?limit=2");
    expect(first).toEqual({ ids: ["t3", "t2"], next: expect.any(String) });
    expect(await ids(`?limit=2&cursor=${first.next}`)).toEqual({ ids: ["t1"], next: null });
    expect(await ids("?status=done")).toEqual({ ids: ["t2"], next: null });
    expect(await ids("?session=s3")).toEqual({ ids: ["t3"], next: null });
  });

  test.each(["x", "W10", Buffer.from('["a","b"]').toString("base64url")])(
    "are not listed after %s",
    async (cursor) => {
      const { ask } = await world();
      expect(await ask("GET", `${path}/turns?cursor=${cursor}`)).toEqual(
        refused(400, "REQUEST_INVALID", "the request is not valid: cursor is not one of this list"),
      );
    },
  );

  test("of other users do not exist for a token of a user", async () => {
    const { start, ask } = await world();
    await start({ sessionId: "s1" });
    await start({ sessionId: "s2" }, "ana");
    const asAna = { as: "ana" } as const;
    expect((await ask("GET", `${path}/turns`, asAna)).body).toEqual({
      turns: [shown({ id: "t2", sessionId: "s2", userId: "ana", by: "ana" })],
      next: null,
    });
    expect((await ask("GET", `${path}/turns/t2`, asAna)).status).toBe(200);
    const none = refused(404, "NOT_FOUND", 'there is no turn "t1"; GET /api/v1/openapi.json lists the paths');
    expect(await ask("GET", `${path}/turns/t1`, asAna)).toEqual(none);
    expect(await ask("GET", `${path}/turns/t1/events`, asAna)).toEqual(none);
    expect(await ask("POST", `${path}/turns/t1/cancel`, asAna)).toEqual(none);
    const body = { text: "Stop." };
    expect(await ask("POST", `${path}/turns/t1/messages`, { ...asAna, body })).toEqual(none);
    expect(await ask("GET", `${path}/turns/t1`)).toEqual({ status: 200, body: shown() });
    expect((await ask("GET", `${path}/turns/t9`)).status).toBe(404);
  });

  test("take messages, and are cancelled", async () => {
    const { start, ask, messages, begun } = await world();
    await start();
    const body = { text: "And more." };
    const answer = await ask("POST", `${path}/turns/t1/messages`, { as: "caller", body });
    expect(answer).toEqual({ status: 200, body: shown() });
    expect(messages).toEqual([["s1", "And more.", expect.any(String)]]);
    const cancelling = ask("POST", `${path}/turns/t1/cancel`, { as: "caller" });
    await expect.poll(() => begun[0]!.request.abortSignal.aborted).toBe(true);
    await begun[0]!.ends({ status: "cancelled" });
    const ended = { status: "cancelled", endedAt: now, result: { status: "cancelled" } };
    expect(await cancelling).toEqual({ status: 200, body: shown(ended) });
    expect(await ask("POST", `${path}/turns/t1/messages`, { body })).toMatchObject({
      status: 409,
      body: { code: "SESSION_CONFLICT" },
    });
  });

  test("that wait for the client resume with its results", async () => {
    const { start, ask, begun, send } = await world();
    await start();
    const waiting = [{ callId: "c1", tool: "pick", waitsFor: "client", arguments: { a: 1 } }];
    await begun[0]!.ends({ status: "paused", waiting });
    const seen = await ask("GET", `${path}/turns/t1`);
    expect(seen.body).toMatchObject({
      status: "waiting",
      waiting: [{ callId: "c1", tool: "pick", waitsFor: "client", sessionId: "s1", arguments: { a: 1 } }],
    });
    const clientResults = [{ callId: "c1", result: 1 }];
    const answer = await send("POST", "/sessions/s1/resume", {}, { clientResults, userId: "ana" });
    expect([answer.status, answer.headers.get("location")]).toEqual([202, `${path}/turns/t1`]);
    const { abortSignal: _, onEvent: _on, ...request } = begun[1]!.request;
    expect(request).toEqual({ sessionId: "s1", clientResults, userId: "ana", cancel: undefined });
    await begun[1]!.ends({ status: "done" });
    expect((await ask("GET", `${path}/turns/t1`)).body).toMatchObject({ status: "done", waiting: [] });
  });
});

describe("the events of a turn", () => {
  test("are what happened, and then what happens to its end", async () => {
    const { start, send, begun, look } = await world();
    await start();
    begun[0]!.request.onEvent({ type: "text", text: "Hi." });
    const watching = await send("GET", "/turns/t1/events");
    expect(watching.headers.get("content-type")).toBe("text/event-stream");
    look();
    begun[0]!.request.onEvent({ type: "text", text: "Bye." });
    await begun[0]!.ends({ status: "done" });
    const events = eventsIn(await watching.text());
    const ended = shown({ status: "done", endedAt: now, result: { status: "done" } });
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ["turn", shown()],
      ["step", { type: "begin", turnId: "t1", sessionId: "s1" }],
      ["step", { type: "text", text: "Hi." }],
      ["alive", {}],
      ["step", { type: "text", text: "Bye." }],
      ["turn", ended],
      ["bye", {}],
    ]);
    const again = async (id: string) =>
      eventsIn(await (await send("GET", "/turns/t1/events", { "last-event-id": id })).text()).map(
        ({ event, data }) => [event, data],
      );
    expect(await again(events[4]!.id!)).toEqual([
      ["turn", ended],
      ["bye", {}],
    ]);
    // A reader that has read all of it gets the turn as it is.
    expect(await again(events[5]!.id!)).toEqual([
      ["turn", ended],
      ["bye", {}],
    ]);
    expect(await again("other.1")).toEqual([
      ["reset", {}],
      ["turn", ended],
      ["bye", {}],
    ]);
  });

  test("end with the server", async () => {
    const { start, send, server, begun } = await world();
    await start();
    const watching = await send("GET", "/turns/t1/events");
    const closed = server.close({ graceMs: 0 });
    expect(eventsIn(await watching.text()).at(-1)).toEqual({ event: "bye", data: {}, id: undefined });
    await closed;
    expect(begun).toHaveLength(1);
  });
});
