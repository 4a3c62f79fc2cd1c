import { defineTool, ToolInterrupt, type ToolOutcome } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createWorld, serve } from "./support/world.ts";

const path = "/api/v1/hosts/default";
const modelText = (outcome: ToolOutcome, denier: string) => `${outcome.status} ${denier}`;

async function served(more: object = {}) {
  const made = createWorld();
  const tool = (name: string, category: "read" | "side_effect", execute: () => never) =>
    made.host.coordinator.mount(
      "tools",
      defineTool({
        name,
        description: "Does something. Use in tests.",
        schema: z.strictObject({}),
        category,
        consequenceLevel: "low",
        requiresConfirmation: false,
        execute,
      }),
    );
  tool("asks", "read", () => {
    throw new ToolInterrupt({ question: "?" });
  });
  const { server, tokens, ask } = await serve({ default: { host: made.host, ...more } });
  /** A request with more headers than those of a token. */
  const send = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}/calls`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.caller}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return { ...made, ask, send };
}

test("the outcome of a call has what the request says of it", async () => {
  const { ask } = await served();
  const facts = { sessionId: "s", conversationId: "c", turnId: "t", userId: "ana" };
  const body = { tool: "echo", id: "c1", arguments: { text: "hi" }, ...facts };
  const answer = await ask("POST", `${path}/calls`, { as: "caller", body });
  expect(answer).toEqual({
    status: 200,
    body: {
      callId: "c1",
      runId: expect.any(String),
      tool: "echo",
      status: "ok",
      durationMs: expect.any(Number),
      ...facts,
      sessionId: "ana:s",
      result: {
        tool: "echo",
        fetchedAt: expect.any(String),
        data: { text: "hi", userId: "ana", sessionId: "ana:s" },
      },
    },
  });
});

describe("the text for a model", () => {
  test("is refused before the call where the host has none", async () => {
    const { ask, started } = await served();
    const answer = await ask("POST", `${path}/calls`, { body: { tool: "echo", modelText: true } });
    const detail = "this host has no text for a model";
    expect(answer).toMatchObject({ status: 501, body: { code: "NOT_SERVED", detail } });
    expect(started).toEqual([]);
  });

  test("is beside the outcome where it is asked for, and says who denied the call", async () => {
    const { ask, host } = await served({ modelText });
    const call = async (more: object) =>
      (await ask("POST", `${path}/calls`, { body: { tool: "echo", ...more } })).body["modelText"];
    expect([await call({}), await call({ modelText: false })]).toEqual([undefined, undefined]);
    expect(await call({ modelText: true })).toBe("ok hook");
    const { body } = await ask("POST", `${path}/calls`, { body: { tool: "wipe", sessionId: "s" } });
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, "deny", "olga");
    const again = { ticket: body["ticket"], sessionId: "s", modelText: true };
    expect((await ask("POST", `${path}/resume`, { body: again })).body["modelText"]).toBe("denied person");
    host.coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "no" }));
    expect(await call({ modelText: true })).toBe("denied hook");
  });
});

test("a call as a stream reports its progress, and its outcome last", async () => {
  const { send } = await served();
  const answer = await send({ tool: "count" }, { accept: "text/event-stream" });
  expect(answer.headers.get("content-type")).toMatch(/^text\/event-stream/);
  const events = (await answer.text()).trim().split("\n\n");
  expect(events.slice(0, -1)).toEqual(
    [1, 2, 3].map((progress) => `event: progress\ndata: {"progress":${progress},"total":3}`),
  );
  const last = events.at(-1)!.split("\ndata: ");
  expect([last[0], JSON.parse(last[1]!)]).toEqual([
    "event: outcome",
    expect.objectContaining({ status: "ok", result: expect.objectContaining({ data: "counted" }) }),
  ]);
});

test("a tool that stops the run to ask is an error that names it", async () => {
  const { ask } = await served();
  const answer = await ask("POST", `${path}/calls`, { body: { tool: "asks" } });
  expect(answer.body).toMatchObject({ code: "INTERRUPTED", details: { tool: "asks" } });
  expect(answer.status).toBeGreaterThanOrEqual(400);
});

test("a call with a key runs once, and says when its answer is that of before", async () => {
  const { send, started } = await served();
  const key = { "idempotency-key": "k1" };
  const [first, again] = [await send({ tool: "echo" }, key), await send({ tool: "echo" }, key)];
  expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([
    null,
    "true",
  ]);
  expect(await again.json()).toEqual(await first.json());
  expect(started).toEqual(["echo"]);
  const other = await send({ tool: "echo", arguments: { text: "b" } }, key);
  expect(await other.json()).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  await send({ tool: "echo" }, { "idempotency-key": "k2" });
  expect(started).toEqual(["echo", "echo"]);
});

test("a token of a user calls for that user only, and one without the role calls nothing", async () => {
  const { ask } = await served();
  const own = await ask("POST", `${path}/calls`, { as: "ana", body: { tool: "echo" } });
  expect(own.body["userId"]).toBe("ana");
  const other = await ask("POST", `${path}/calls`, { as: "ana", body: { tool: "echo", userId: "bo" } });
  expect(other.status).toBe(403);
  expect((await ask("POST", `${path}/calls`, { as: null, body: { tool: "echo" } })).status).toBe(401);
});
