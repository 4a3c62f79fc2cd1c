import { createMemoryStore, ToolmountError } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { scriptedTurns, settle } from "./support/turns.ts";
import { createWorld, serve, type Tokens } from "./support/world.ts";

const path = "/api/v1/hosts/default/sessions";
const owners: Readonly<Record<string, string | null>> = { a: "ana", b: "bo", c: null };
const anas = /^ana:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const notFound = (session: string) => ({
  status: 404,
  body: expect.objectContaining({ code: "SESSION_NOT_FOUND", detail: `there is no session "${session}"` }),
});

/** A served reasoner with three sessions; what it is asked for is noted. `problem` is why no turn of them resumes. */
async function world(problem?: Error) {
  const asked: unknown[][] = [];
  const { host } = createWorld({ store: createMemoryStore() });
  const scripted = scriptedTurns(({ kind, begins, fails }) => {
    if (kind === "resume" && problem !== undefined) void fails(problem);
    else begins(kind === "run" ? "t1" : "ended");
  });
  const sessionOf = (id: string) => {
    if (owners[id] === undefined) throw new ToolmountError("SESSION_NOT_FOUND", { session: id });
    return { id, title: id };
  };
  const turns = {
    ...scripted.turns,
    list: async (filter: object) => (asked.push(["list", filter]), Object.keys(owners).map(sessionOf)),
    show: async (id: string) => ({ ...sessionOf(id), items: [] }),
    owner: async (id: string) => (sessionOf(id), owners[id]!),
    fork: async (...words: unknown[]) => (asked.push(["fork", ...words]), { id: "copy" }),
  };
  const { ask } = await serve({ default: { host, turns }, bare: { host: createWorld().host } });
  const get = (route: string, as: keyof Tokens = "operator") => ask("GET", `${path}${route}`, { as });
  const post = (route: string, as: keyof Tokens = "operator") => ask("POST", `${path}${route}`, { as });
  return { host, asked, ask, get, post, begun: scripted.begun };
}

describe("sessions", () => {
  test("are listed, a hundred where the request has no limit", async () => {
    const { get, asked } = await world();
    const sessions = Object.keys(owners).map((id) => ({ id, title: id }));
    expect(await get("")).toEqual({ status: 200, body: { sessions } });
    expect((await get("?limit=1000")).status).toBe(200);
    expect(asked).toEqual([
      ["list", { limit: 100 }],
      ["list", { limit: 1_000 }],
    ]);
    for (const limit of ["0", "1001", "1.5", "many"])
      expect(await get(`?limit=${limit}`), limit).toMatchObject({
        status: 400,
        body: { code: "REQUEST_INVALID" },
      });
  });

  test("of other users do not exist for a token of a user", async () => {
    const { get, post, asked } = await world();
    expect((await get("", "ana")).body).toEqual({ sessions: [{ id: "a", title: "a" }] });
    expect(await get("/a", "ana")).toEqual({ status: 200, body: { id: "a", title: "a", items: [] } });
    for (const id of ["b", "c", "d"]) {
      expect(await get(`/${id}`, "ana")).toEqual(notFound(id));
      expect(await post(`/${id}/fork`, "ana")).toEqual(notFound(id));
    }
    expect(asked.filter(([name]) => name === "fork")).toEqual([]);
    expect((await get("/b", "caller")).body).toEqual({ id: "b", title: "b", items: [] });
    expect(await get("/d", "caller")).toEqual(notFound("d"));
  });

  test("are copied for the user of a token", async () => {
    const { post, asked } = await world();
    expect(await post("/a/fork", "ana")).toEqual({ status: 200, body: { id: "copy" } });
    expect((await post("/b/fork", "caller")).status).toBe(200);
    expect(asked).toEqual([
      ["fork", "a", expect.stringMatching(anas), "ana"],
      ["fork", "b", undefined, undefined],
    ]);
  });

  test("of a host without a model cannot be listed", async () => {
    const { ask } = await world();
    for (const route of ["sessions", "sessions/a"])
      expect(await ask("GET", `/api/v1/hosts/bare/${route}`)).toEqual({
        status: 501,
        body: expect.objectContaining({
          code: "NOT_SERVED",
          detail: "this host has no model: its plan has no agent",
        }),
      });
  });
});

describe("a session is cancelled", () => {
  test("with the turn that runs, and with its calls here", async () => {
    const { ask, post, begun, host } = await world();
    await ask("POST", "/api/v1/hosts/default/turns", { as: "ana", body: { prompt: "Go.", sessionId: "e" } });
    const call = host.call({ name: "wait" }, { sessionId: "ana:e" });
    const other = host.call({ name: "wait" }, { sessionId: "b" });
    const cancelling = post("/e/cancel", "ana");
    await expect.poll(() => begun[0]!.request.abortSignal.aborted).toBe(true);
    await begun[0]!.ends({ status: "cancelled" });
    expect(await cancelling).toEqual({ status: 200, body: { cancelled: true } });
    expect((await call).status).toBe("cancelled");
    // A later call of the session runs.
    expect((await host.call({ name: "echo" }, { sessionId: "ana:e" })).status).toBe("ok");
    const last = post("/b/cancel");
    expect((await other).status).toBe("cancelled");
    await expect.poll(() => begun.length).toBe(2);
    await begun[1]!.ends({ status: "cancelled" });
    expect((await last).status).toBe(200);
  });

  test("by a token of a user only where it is that user's", async () => {
    const { post, begun, host } = await world();
    const other = host.call({ name: "wait" }, { sessionId: "b" });
    const cancelling = post("/b/cancel", "ana");
    await expect.poll(() => begun[0]?.request.sessionId).toBe("ana:b");
    await begun[0]!.ends({ status: "cancelled" });
    expect((await cancelling).status).toBe(200);
    await host.session("b").cancel({ immediate: true });
    expect((await other).status).toBe("cancelled");
  });

  test("with a turn that another program began and left", async () => {
    const { post, begun } = await world();
    let isAnswered = false;
    const cancelling = post("/a/cancel", "ana").finally(() => (isAnswered = true));
    await expect.poll(() => begun.length).toBe(1);
    await settle();
    expect(isAnswered).toBe(false);
    const { abortSignal: _, onEvent: _on, ...request } = begun[0]!.request;
    expect([begun[0]!.kind, request]).toEqual([
      "resume",
      { sessionId: "a", userId: "ana", cancel: true, clientResults: undefined },
    ]);
    await begun[0]!.ends({ status: "cancelled" });
    expect((await cancelling).status).toBe(200);
  });

  test.each([
    [new ToolmountError("SESSION_CONFLICT", { session: "a", problem: "it has no open turn" }), 200],
    [new ToolmountError("SESSION_NOT_FOUND", { session: "a" }), 200],
    [new ToolmountError("STORE_FAILED", {}), 503],
    [new Error("broken"), 500],
  ])("and where its turn cannot be resumed (%s), the status is %i", async (problem, status) => {
    const { post } = await world(problem);
    expect((await post("/a/cancel")).status).toBe(status);
  });

  test("also on a host without a model", async () => {
    const { ask } = await world();
    expect(await ask("POST", "/api/v1/hosts/bare/sessions/a/cancel", { as: "caller" })).toEqual({
      status: 200,
      body: { cancelled: true },
    });
  });
});
