import { createMemoryStore } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken } from "../src/index.ts";
import { expect, test, vi } from "vitest";
import { clockOfLooks } from "./support/clock.ts";
import { createWorld, serve } from "./support/world.ts";

/** Milliseconds between two looks of the server at its store. */
const pollMs = 500;

/** A server with a call that waits, and another host on the same store, as another process has it. */
async function waitingCall() {
  const store = createMemoryStore();
  const clock = clockOfLooks(pollMs);
  const [here, there] = [createWorld({ store }), createWorld({ store })];
  const list = vi.fn<typeof here.host.approvals.list>(here.host.approvals.list);
  const host = { ...here.host, approvals: { ...here.host.approvals, list } };
  const served = await serve(host, { clock });
  const body = { tool: "wipe", sessionId: "s", waitMs: 600_000 };
  const answer = served.ask("POST", "/api/v1/hosts/default/calls", { as: "caller", body });
  // The server has seen that the question is open.
  await vi.waitFor(() => expect(list.mock.settledResults.at(-1)).toMatchObject({ value: [{}] }), 600_000);
  return { ...served, clock, there, answer };
}

test("a call that is approved in another process between two looks at the store continues", async () => {
  const { clock, there, answer } = await waitingCall();
  const [question] = await there.host.approvals.list();
  await there.host.approvals.decide(question!.id, { decision: "approve" }, "Ana");

  clock.look();

  expect((await answer).body).toMatchObject({ status: "ok", result: { data: "wiped " } });
});

test("a page that read a question itself learns that it was answered in another process", async () => {
  const { clock, there, ask, server, tokens, answer } = await waitingCall();
  const events = await fetch(`${server.url}/api/v1/hosts/default/events`, {
    headers: { authorization: `Bearer ${tokens.operator}` },
  });
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  const readText = async () => (await reader.read()).value ?? expect.fail("the stream ended");
  expect(await readText()).toContain("event: hello");
  const { body } = await ask("GET", "/api/v1/hosts/default/approvals");
  expect(body).toMatchObject({ waiting: [{ tool: "wipe" }] });

  const [question] = await there.host.approvals.list();
  await there.host.approvals.decide(question!.id, { decision: "deny" }, "Ana");
  clock.look();

  let seen = "";
  while (!seen.includes('event: approvals\ndata: {"waiting":0,')) seen += await readText();
  await answer;
});

test("of more questions than are listed, the next one follows an answer, and a page learns only of what has changed", async () => {
  const clock = clockOfLooks(pollMs);
  const { host } = createWorld();
  const { ask, server, tokens } = await serve(host, { clock });
  const texts = Array.from({ length: 1_002 }, (_, at) => `file ${at}`);
  for (const text of texts) await host.call({ name: "wipe", arguments: { text } }, { sessionId: "s" });
  const path = "/api/v1/hosts/default/approvals";
  const list = async () =>
    (await ask("GET", path)).body as unknown as { waiting: { id: string }[]; hasMore: boolean };
  const before = await list();
  expect([before.waiting.length, before.hasMore]).toEqual([1_000, true]);

  const events = await fetch(`${server.url}/api/v1/hosts/default/events`, {
    headers: { authorization: `Bearer ${tokens.operator}` },
  });
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  const until = async (text: string) => {
    while (!seen.includes(text)) seen += (await reader.read()).value ?? expect.fail("the stream ended");
  };
  await until("event: hello");
  clock.look();
  await until('event: approvals\ndata: {"waiting":1000,');
  for (let at = 0; at < 3; at++) clock.look();
  await ask("POST", `${path}/${before.waiting[0]!.id}/decision`, { body: { decision: "deny" } });
  await until(`"answered":["${before.waiting[0]!.id}"]`);
  expect(seen.match(/event: approvals/g)).toHaveLength(2);
  const after = await list();
  expect(after.waiting.slice(0, -1)).toEqual(before.waiting.slice(1));
  expect([after.waiting.length, after.hasMore]).toEqual([1_000, true]);
});

test("an approver who is a user, and no admin, gets the events and the questions of other users; a caller gets their own", async () => {
  const { host } = createWorld();
  const tokens = { caller: createToken(), operator: createToken(), ana: createToken() };
  const record = (name: "caller" | "operator", role: "call" | "approve") => ({
    name,
    sha256: hashToken(tokens[name]),
    roles: [role],
    user: name,
  });
  const authenticate = createTokenCheck([record("caller", "call"), record("operator", "approve")]);
  const { server } = await serve(host, { authenticate }, tokens);
  const streams = await Promise.all(
    [tokens.operator, tokens.caller].map(async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${server.url}/api/v1/hosts/default/events`, { headers });
      return answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    }),
  );
  const [approver, caller] = streams.map((reader) => async (last: string) => {
    let seen = "";
    while (!seen.includes(last)) seen += (await reader.read()).value ?? expect.fail("the stream ended");
    return seen;
  });
  await host.call({ name: "wipe" }, { sessionId: "s", userId: "bob" });
  await host.call({ name: "echo" }, { sessionId: "c", userId: "caller" });

  await host.call({ name: "echo" }, { sessionId: "o", userId: "operator" });

  const seen = await approver!('"operator"');
  expect(seen).toContain('"bob"');
  if (!seen.includes('"asked":["')) await approver!('"asked":["');
  const own = await caller!('"caller"');
  expect(own).not.toContain("bob");
  expect(own).not.toContain("event: approvals");
});
