import { describe, expect, test } from "vitest";
import { now, path, refused, servedTurns, shown } from "./support/served-turns.ts";
import { settle } from "./support/turns.ts";

describe("a turn is started", () => {
  test("and answered while it runs, with its address", async () => {
    const { send, begun } = await servedTurns();
    const answer = await send("POST", "/turns", {}, { prompt: "Go.", userId: "bo", sessionId: "s7" });
    expect([answer.status, answer.headers.get("location")]).toEqual([202, `${path}/turns/t1`]);
    expect(await answer.json()).toEqual(shown({ sessionId: "bo:s7", userId: "bo" }));
    const { abortSignal: _, onEvent: _on, ...request } = begun[0]!.request;
    expect(request).toEqual({ prompt: "Go.", sessionId: "bo:s7", userId: "bo" });
  });

  test("and answered when it has ended, where the request waits for that", async () => {
    const { start, begun, at } = await servedTurns();
    const answer = start({ waitMs: 60_000 });
    await expect.poll(() => begun.length).toBe(1);
    await settle();
    at(5);
    await begun[0]!.ends({ status: "done", text: "Gone." });
    const ended = { updatedAt: now + 5, endedAt: now + 5, result: { status: "done", text: "Gone." } };
    expect(await answer).toEqual({ status: 200, body: shown({ status: "done", ...ended }) });
  });

  test("and answered while it runs, where the time to wait is over", async () => {
    const { start } = await servedTurns();
    expect(await start({ waitMs: 20 })).toEqual({ status: 202, body: shown() });
  });

  test("on behalf of the user of a token", async () => {
    const { start, begun } = await servedTurns();
    expect(await start({}, "ana")).toEqual({
      status: 202,
      body: shown({ by: "ana", userId: "ana", sessionId: anas }),
    });
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
    const { start, begun } = await servedTurns();
    expect(await start(body)).toMatchObject({ status: 400, body: { code: "REQUEST_INVALID" } });
    expect(begun).toEqual([]);
  });

  test("never for a host without a model, nor for one that is not there", async () => {
    const { ask } = await servedTurns();
    const body = { prompt: "Go." };
    const none = "this host has no model: its plan has no agent";
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

/** The id of a session that the server made for ana. */
const anas = expect.stringMatching(/^ana:[\da-f-]{36}$/);

describe("turns", () => {
  test("are listed in pages, those that began last first, by status and by session", async () => {
    const { start, begun, ask, at } = await servedTurns();
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
      const { ask } = await servedTurns();
      expect(await ask("GET", `${path}/turns?cursor=${cursor}`)).toEqual(
        refused(400, "REQUEST_INVALID", "the request is not valid: cursor is not one of this list"),
      );
    },
  );

  test("of other users do not exist for a token of a user", async () => {
    const { start, ask } = await servedTurns();
    await start({ sessionId: "s1" });
    await start({ sessionId: "s2" }, "ana");
    const asAna = { as: "ana" } as const;
    expect((await ask("GET", `${path}/turns`, asAna)).body).toEqual({
      turns: [shown({ id: "t2", sessionId: "ana:s2", userId: "ana", by: "ana" })],
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
    const { start, ask, messages, begun } = await servedTurns();
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
    const { start, ask, begun, send } = await servedTurns();
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
