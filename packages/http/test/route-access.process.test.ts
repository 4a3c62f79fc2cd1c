import { createMemoryStore, ToolmountError } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, type Role } from "@toolmount/http";
import { describe, expect, test } from "vitest";
import { scriptedTurns } from "./support/turns.ts";
import { createWorld, serve } from "./support/world.ts";

const roles: readonly Role[] = ["view", "call", "approve", "admin"];

/** A route, what is sent to it, the roles that may use it (the others are refused), and whether it begins work. */
type Row = readonly [route: string, body: object | null, allowed: readonly Role[], begins: boolean];

const rows: readonly Row[] = [
  ["POST /calls", { tool: "echo" }, ["call"], true],
  ["POST /resume", { ticket: "t" }, ["call"], true],
  ["POST /rehearsals", { sessionId: "s", calls: [{ tool: "echo" }] }, ["call"], true],
  ["POST /turns", { prompt: "Go." }, ["call"], true],
  ["POST /turns/none/messages", { text: "Go." }, ["call"], true],
  ["POST /turns/none/cancel", null, ["call"], true],
  ["POST /sessions/s/resume", {}, ["call"], true],
  ["POST /sessions/s/undo", {}, ["call"], true],
  ["POST /sessions/s/cancel", null, ["call"], false],
  ["POST /sessions/s/fork", null, ["call"], false],
  ["POST /plan/compare", { policy: "", last: 1 }, ["admin"], true],
  ["POST /plan/suggest", { last: 1 }, ["admin"], true],
  ["POST /reload", null, ["admin"], true],
  ["POST /approvals/none/decision", { decision: "deny" }, ["approve"], false],
  ["POST /approvals/none/run", {}, ["approve"], true],
  ["POST /approvals/none/matches", { remember: { scope: "session" } }, ["approve"], false],
  ["GET /approvals", null, ["approve", "view"], false],
  ["GET /approvals/none", null, ["approve", "view"], false],
  ["DELETE /approvals/none", null, [], false],
  ["GET /status", null, roles, false],
  ["GET /plan", null, roles, false],
  ["POST /why", { tool: "echo" }, roles, false],
  ["GET /audit", null, roles, false],
  ["GET /calls", null, roles, false],
  ["GET /turns", null, roles, false],
  ["GET /sessions", null, roles, false],
  ["GET /tools", null, roles, false],
];

/** A server with a token for each role, whose tokens are checked when the test says so. */
async function world() {
  let asked = 0;
  let gate = Promise.resolve();
  const { host, started } = createWorld({ store: createMemoryStore() });
  const none = new ToolmountError("SESSION_NOT_FOUND", { session: "s" });
  const { turns, begun } = scriptedTurns(({ kind, begins, fails }) => {
    if (kind === "run") begins();
    else void fails(none);
  });
  const done = async () => ({});
  const plan = {
    status: () => ({}),
    digest: () => "",
    effective: done,
    why: done,
    reload: done,
    compare: done,
    suggest: done,
  };
  const sessions = { list: async () => [], owner: async () => null, fork: done };
  const tokens = new Map([...roles, "all", "ana"].map((name) => [name, createToken()]));
  const check = createTokenCheck(
    [...tokens].map(([name, token]) => ({
      name,
      sha256: hashToken(token),
      ...(name === "ana" && { user: "ana" }),
      roles: name === "all" ? roles : name === "ana" ? ["call"] : [name as Role],
    })) as never,
  );
  const { server } = await serve(
    { default: { host, plan, turns: { ...turns, ...sessions } } },
    { authenticate: async (token) => ((asked += 1), await gate, check(token)) },
  );
  const send = async ([route, body]: Row, as: string) => {
    const [method, path] = route.split(" ");
    const answer = await fetch(`${server.url}/api/v1/hosts/default${path}`, {
      method: method!,
      headers: {
        authorization: `Bearer ${tokens.get(as)}`,
        ...(body !== null && { "content-type": "application/json" }),
      },
      ...(body !== null && { body: JSON.stringify(body) }),
    });
    const { code, detail } = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status, code, detail };
  };
  return {
    server,
    send,
    started,
    begun,
    asked: () => asked,
    hold: (until: Promise<void>) => void (gate = until),
  };
}

describe("a token with one role", () => {
  test.each(rows)("is refused by %s with %j unless it is one of %j", async (...row) => {
    const { send } = await world();
    const codes = await Promise.all(roles.map(async (role) => (await send(row, role)).code));
    const refused = roles.filter((_, at) => codes[at] === "FORBIDDEN");
    expect(refused).toEqual(roles.filter((role) => !row[2].includes(role)));
  });

  test.each([
    ["POST /calls", "view", "it needs the role call, which view lacks"],
    ["GET /approvals", "call", "it needs the role approve or view, which call lacks"],
    ["POST /approvals/none/decision", "view", "it needs the role approve, which view lacks"],
    ["DELETE /approvals/none", "approve", "it needs the role admin, which approve lacks"],
    ["POST /reload", "approve", "it needs the role admin, which approve lacks"],
  ])("reads in the answer of %s, as %s, which one it needs", async (route, role, problem) => {
    const { send } = await world();
    const row = rows.find(([name]) => name === route)!;
    expect(await send(row, role)).toEqual({
      status: 403,
      code: "FORBIDDEN",
      detail: `this token may not do that: ${problem}`,
    });
  });
});

test.each([
  ["GET /status", "the plan is for people who run the server"],
  ["GET /plan", "the plan is for people who run the server"],
  ["POST /why", "the plan is for people who run the server"],
  ["GET /audit", "the audit holds what every user did"],
])("a token of a user may not use %s", async (route, problem) => {
  const { send } = await world();
  expect(
    await send(
      rows.find(([name]) => name === route)!,
      "ana",
    ),
  ).toEqual({
    status: 403,
    code: "FORBIDDEN",
    detail: `this token may not do that: ${problem}`,
  });
});

test("a server that ends begins no work, and answers what only looks", async () => {
  const { server, send, started, begun, asked, hold } = await world();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(promise);
  const answers = Promise.all(rows.map((row) => send(row, "all")));
  // Each connection has to be there before the server takes no more.
  await expect.poll(asked).toBe(rows.length);
  const closed = server.close({ graceMs: 10_000 });
  resolve();
  const found = await answers;
  for (const [at, [route, , , begins]] of rows.entries()) {
    const { code, detail } = found[at]!;
    expect([route, code === "DRAINING"]).toEqual([route, begins]);
    if (begins) expect(detail).toBe("the server is ending and starts no new work; try again when it is back");
  }
  // To cancel a session is not to begin work.
  expect([started, begun.map(({ kind, request }) => [kind, request.cancel])]).toEqual([
    [],
    [["resume", true]],
  ]);
  await closed;
});
