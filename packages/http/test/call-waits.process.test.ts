import { createMemoryStore, ToolInterrupt, type ToolOutcome } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken } from "@toolmount/http";
import { describe, expect, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const path = "/api/v1/hosts/default";

async function world(resume?: () => Promise<ToolOutcome>) {
  const store = createMemoryStore();
  const made = createWorld({ store });
  const host = resume === undefined ? made.host : { ...made.host, resume };
  const { server, tokens, ask } = await serve(host);
  const post = (route: string, body: object, more: { key?: string; signal?: AbortSignal } = {}) =>
    fetch(`${server.url}${path}${route}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${tokens.caller}`,
        "content-type": "application/json",
        ...(more.key !== undefined && { "idempotency-key": more.key }),
      },
      body: JSON.stringify(body),
      ...(more.signal !== undefined && { signal: more.signal }),
    });
  const call = async (body: object) =>
    (await post("/calls", { sessionId: "s", ...body }).then((answer) => answer.json())) as ToolOutcome;
  const kept = async () => (await store.work!.list({ kind: "call" })).length;
  const statuses = async () =>
    ((await ask("GET", `${path}/calls`)).body["calls"] as unknown as ToolOutcome[]).map(
      ({ status }) => status,
    );
  return { ...made, ask, post, call, kept, statuses };
}

test("an answer is JSON of a known length", async () => {
  const { post } = await world();
  const answer = await post("/calls", { tool: "echo", arguments: { text: "é" } });
  const text = await answer.text();
  expect([
    answer.status,
    ...["content-type", "content-length"].map((name) => answer.headers.get(name)),
  ]).toEqual([200, "application/json", String(Buffer.byteLength(text))]);
});

describe("a call that asks a person", () => {
  test.each([{}, { waitMs: 0 }, { waitMs: 1 }])(
    "is answered with its ticket where its client waits %j",
    async (wait) => {
      const { call } = await world();
      expect(await call({ tool: "wipe", ...wait })).toMatchObject({
        status: "pending",
        ticket: expect.stringMatching(/./),
        result: { code: "PENDING" },
      });
    },
  );

  test.each([
    [{ tool: "wipe", background: true }, 1],
    [{ tool: "wipe", background: true, waitMs: 1 }, 1],
    [{ tool: "wipe", background: false }, 0],
    [{ tool: "wipe" }, 0],
    [{ tool: "echo", background: true }, 0],
    [{ tool: "none", background: true }, 0],
  ])("and is %j leaves %i calls to the server", async (body, count) => {
    const { call, kept } = await world();
    await call(body);
    expect(await kept()).toBe(count);
  });
});

describe("a call whose client has gone", () => {
  test("is cancelled without a key, and runs on with one", async () => {
    const { post, started, statuses, release } = await world();
    for (const more of [{}, { key: "k" }]) {
      const client = new AbortController();
      const gone = post("/calls", { tool: "wait" }, { ...more, signal: client.signal }).catch(() => "gone");
      await expect.poll(() => started.length).toBe("key" in more ? 2 : 1);
      client.abort();
      expect(await gone).toBe("gone");
      if (!("key" in more)) await expect.poll(statuses).toEqual(["cancelled"]);
    }
    expect(await statuses()).toEqual(["running", "cancelled"]);
    const again = post("/calls", { tool: "wait" }, { key: "k" });
    release();
    const answer = await again;
    expect(await answer.json()).toMatchObject({ status: "ok", result: { data: "released" } });
    expect(started).toEqual(["wait", "wait"]);
  });
});

describe("a call that is resumed", () => {
  test("runs each time that it is asked for, also with a key", async () => {
    let count = 0;
    const outcome = { status: "ok", result: {}, runId: "r", callId: "c" } as unknown as ToolOutcome;
    const { post } = await world(async () => ({ ...outcome, durationMs: (count += 1) }));
    for (const durationMs of [1, 2]) {
      const answer = await post("/resume", { ticket: "t" }, { key: "k" });
      expect(await answer.json()).toEqual({ ...outcome, durationMs });
    }
  });

  test("and stops its run to ask in its own program cannot do so here", async () => {
    const { post } = await world(() => Promise.reject(new ToolInterrupt({ question: "?" })));
    const answer = await post("/resume", { ticket: "t" });
    expect(await answer.json()).toMatchObject({ code: "INTERRUPTED", details: { tool: "the call" } });
  });
});

test("a token of some hosts uses those only", async () => {
  const token = createToken();
  const authenticate = createTokenCheck([
    { name: "t", sha256: hashToken(token), roles: ["call"], hosts: ["one"] },
  ]);
  const hosts = { one: { host: createWorld().host }, two: { host: createWorld().host } };
  const { server } = await serve(hosts, { authenticate });
  const statuses = [];
  for (const name of ["one", "two", "three"]) {
    const answer = await fetch(`${server.url}/api/v1/hosts/${name}/tools`, {
      headers: { authorization: `Bearer ${token}` },
    });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([200, 404, 404]);
});
