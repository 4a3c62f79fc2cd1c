import { createMemoryStore } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { createWorld, serve, type Tokens } from "./support/world.ts";

const path = "/api/v1/hosts/default";
const refused = (status: number, code: string, detail: string) => ({
  status,
  body: expect.objectContaining({ code, detail }),
});

/** A server whose exports are the lines that the test gives; what they are asked for is noted. */
async function world(lines?: () => AsyncIterable<string>) {
  const asked: unknown[][] = [];
  const { host } = createWorld({ store: createMemoryStore() });
  const exportCalls = lines && ((...words: unknown[]) => (asked.push(words), lines()));
  const { server, tokens, ask } = await serve({ default: { host, exportCalls } });
  const get = (route: string, as: keyof Tokens = "operator") => ask("GET", `${path}${route}`, { as });
  const send = (route: string, as: keyof Tokens = "operator") =>
    fetch(`${server.url}${path}${route}`, { headers: { authorization: `Bearer ${tokens[as]}` } });
  return { host, asked, ask, get, send };
}

describe("the list of calls", () => {
  test("has those that changed since a number, without further pages", async () => {
    const { host, get } = await world();
    const change = async () => {
      const { calls } = (await get("/calls")).body as never as { calls: { change: number }[] };
      return calls[0]!.change;
    };
    await host.call({ id: "a", name: "echo" });
    const since = await change();
    for (const id of ["b", "c"]) await host.call({ id, name: "echo" });
    const listed = async (query: string) => {
      const { status, body } = await get(`/calls${query}`);
      const { calls, next } = body as never as { calls: { callId: string }[]; next: string | null };
      return [status, calls.map(({ callId }) => callId), next];
    };
    expect(await listed(`?since=${since}`)).toEqual([200, ["c", "b"], null]);
    expect(await listed(`?since=${since}&limit=1`)).toEqual([200, ["c"], null]);
    expect(await listed("?since=0")).toEqual([200, ["c", "b", "a"], null]);
    const [status, ids, next] = await listed("?limit=2");
    expect([status, ids, next]).toEqual([200, ["c", "b"], expect.stringMatching(/^\d+\..+$/)]);
    expect(await listed(`?limit=2&after=${next as string}`)).toEqual([200, ["a"], null]);
    expect(await listed("?limit=3")).toEqual([200, ["c", "b", "a"], null]);
  });

  test.each(["x", "1", "1.", ".r", "1234567890123456.r"])("does not continue after %s", async (after) => {
    const { get } = await world();
    expect(await get(`/calls?after=${after}`)).toEqual(
      refused(400, "REQUEST_INVALID", "the request is not valid: after: it is no `next` of a page"),
    );
  });

  test("of another user is refused for a token of a user", async () => {
    const { get } = await world();
    const problem = "this token may not do that: the calls of other users are not shown to this token";
    expect(await get("/calls?user=bo", "ana")).toEqual(refused(403, "FORBIDDEN", problem));
    expect((await get("/calls?user=ana", "ana")).status).toBe(200);
  });
});

describe("one call", () => {
  test("is shown to its user, and to who runs the server", async () => {
    const { host, get } = await world();
    const { runId } = await host.call({ id: "c1", name: "echo" }, { userId: "bo" });
    expect(await get(`/calls/${runId}`)).toMatchObject({ status: 200, body: { callId: "c1", runId } });
    const none = refused(
      404,
      "NOT_FOUND",
      `there is no call "${runId}"; GET /api/v1/openapi.json lists the paths`,
    );
    expect(await get(`/calls/${runId}`, "ana")).toEqual(none);
    expect(await get(`/calls/${runId}/program`, "ana")).toEqual(none);
    expect((await get("/calls/none")).status).toBe(404);
  });

  test("that ran no program has none to show", async () => {
    const { host, get } = await world();
    const { runId } = await host.call({ name: "echo" });
    expect(await get(`/calls/${runId}/program`)).toEqual(
      refused(
        404,
        "NOT_FOUND",
        `there is no program of call "${runId}"; GET /api/v1/openapi.json lists the paths`,
      ),
    );
  });
});

describe("an export of calls", () => {
  async function* two() {
    yield "one";
    yield "two";
  }

  test.each([
    ["", "jsonl", "application/jsonl; charset=utf-8"],
    ["?format=csv", "csv", "text/csv; charset=utf-8"],
    ["?format=ocsf", "ocsf", "application/jsonl; charset=utf-8"],
  ])("is a stream of lines: %s", async (query, format, type) => {
    const { send, asked } = await world(two);
    const answer = await send(`/calls/export${query}`);
    expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
      200,
      type,
      "one\ntwo\n",
    ]);
    expect(asked).toEqual([[format, {}]]);
  });

  test("has the calls that the request chooses, and of a user's token those of that user", async () => {
    const { send, asked } = await world(two);
    await (await send("/calls/export?tool=echo&session=s&user=bo&from=1&to=2")).text();
    await (await send("/calls/export?status=ok", "ana")).text();
    expect(asked).toEqual([
      ["jsonl", { tool: "echo", sessionId: "s", userId: "bo", since: 1, until: 2 }],
      ["jsonl", { status: "ok", userId: "ana" }],
    ]);
  });

  test("ends when its reader has gone", async () => {
    let isOver = false;
    async function* endless() {
      try {
        for (;;) {
          await new Promise(setImmediate);
          yield "x".repeat(10_000);
        }
      } finally {
        isOver = true;
      }
    }
    const { send } = await world(endless);
    const answer = await send("/calls/export");
    const reader = answer.body!.getReader();
    await reader.read();
    await reader.cancel();
    await expect.poll(() => isOver).toBe(true);
  });

  test("lets other requests in after each fifty lines", async () => {
    let [since, most, isOver] = [0, 0, false];
    const turn = () => {
      since = 0;
      if (!isOver) setImmediate(turn);
    };
    async function* many() {
      setImmediate(turn);
      for (let at = 0; at < 1_000; at++) {
        most = Math.max(most, ++since);
        yield "x";
      }
      isOver = true;
    }
    const { send } = await world(many);
    expect(await (await send("/calls/export")).text()).toBe("x\n".repeat(1_000));
    expect(most).toBeLessThanOrEqual(50);
  });

  test("is refused where the host has none", async () => {
    const { get } = await world();
    expect(await get("/calls/export")).toEqual(
      refused(501, "NOT_SERVED", "this host has no exports of calls"),
    );
  });
});

describe("the calls that an approval of a scope would have answered", () => {
  test("are those of the same tool and user whose arguments fit", async () => {
    const { host, ask } = await world();
    const wipe = (text: string, more: object = {}) =>
      host.call({ name: "wipe", arguments: { text } }, { sessionId: "s", userId: "ana", ...more });
    await wipe("a");
    await wipe("ab");
    await wipe("a", { sessionId: "other" });
    await wipe("a", { userId: "bo" });
    await wipe("a", { userId: undefined });
    await host.call({ name: "echo", arguments: { text: "a" } }, { sessionId: "s", userId: "ana" });
    const { callId } = await wipe("a");
    const [question] = await host.approvals.list({ callId });
    const matched = async (remember: object) => {
      const route = `${path}/approvals/${question!.id}/matches`;
      const { status, body } = await ask("POST", route, { body: { remember } });
      expect([status, body["compared"]]).toEqual([200, 7]);
      return body["matched"];
    };
    expect(await matched({ scope: "session" })).toBe(2);
    expect(await matched({ scope: "arguments" })).toBe(3);
    expect(await matched({ scope: "rule", arguments: { text: "a*" } })).toBe(4);
    expect(await matched({ scope: "rule", arguments: { text: "b" } })).toBe(0);
  });

  test("are not counted for a question that is not there", async () => {
    const { ask } = await world();
    const body = { remember: { scope: "session" } };
    expect(await ask("POST", `${path}/approvals/none/matches`, { body })).toMatchObject({
      status: 404,
      body: { code: "APPROVAL_NOT_FOUND" },
    });
  });
});
