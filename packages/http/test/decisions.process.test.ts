import { createMemoryStore } from "@toolmount/core";
import { expect, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const path = "/api/v1/hosts/default/approvals";

/** A server with one question that waits. */
async function world(options: object = {}) {
  const { host } = createWorld({ store: createMemoryStore() });
  const { ticket } = await host.call({ name: "wipe" }, { sessionId: "s" });
  const [question] = await host.approvals.list();
  const made = await serve(host, options);
  const send = (method: string, route: string) =>
    fetch(`${made.server.url}${path}${route}`, {
      method,
      headers: { authorization: `Bearer ${made.tokens.operator}` },
    });
  return { host, ticket: ticket!, id: question!.id, send, ...made };
}

test("a question is listed and shown, and decided by a token, or by a person whom it names", async () => {
  const { ask, id, host } = await world();
  const { status, body } = await ask("GET", path);
  expect([
    status,
    { ...body, waiting: (body["waiting"] as unknown as { id: string }[]).map((one) => one.id) },
  ]).toEqual([200, { waiting: [id], hasMore: false, answered: [], remembered: [] }]);
  expect(await ask("GET", `${path}/${id}`)).toMatchObject({ status: 200, body: { id, state: "pending" } });
  const decision = { decision: "deny", reason: "no" };
  const denied = await ask("POST", `${path}/${id}/decision`, { body: decision });
  expect(denied).toMatchObject({
    status: 200,
    body: { id, state: "denied", decision: { by: "operator", reason: "no" } },
  });
  const { callId } = await host.call({ name: "wipe" }, { sessionId: "s" });
  const [next] = await host.approvals.list({ callId });
  expect((await ask("GET", `${path}/${next!.id}`)).status).toBe(200);
  const byOlga = { decision: "approve", person: "Olga" };
  expect((await ask("POST", `${path}/${next!.id}/decision`, { body: byOlga })).body).toMatchObject({
    decision: { by: "Olga (operator)" },
  });
  const { answered } = (await ask("GET", path)).body as unknown as { answered: { id: string }[] };
  expect(answered.map((one) => one.id)).toEqual([next!.id, id]);
});

test("what is not there is neither shown nor decided nor revoked", async () => {
  const { ask } = await world();
  const none = { status: 404, body: expect.objectContaining({ code: "APPROVAL_NOT_FOUND" }) };
  expect(await ask("GET", `${path}/none`)).toEqual(none);
  expect(await ask("POST", `${path}/none/decision`, { body: { decision: "deny" } })).toEqual(none);
  expect(await ask("DELETE", `${path}/none`)).toEqual(none);
});

test("an approval that is remembered is revoked once", async () => {
  const { ask, id } = await world();
  const body = { decision: "approve", remember: { scope: "session" } };
  await ask("POST", `${path}/${id}/decision`, { body });
  const { remembered } = (await ask("GET", path)).body as unknown as {
    remembered: { id: string; pattern: unknown; tool: string }[];
  };
  expect(remembered).toEqual([expect.objectContaining({ tool: "wipe", pattern: null })]);
  const one = `${path}/${remembered[0]!.id}`;
  expect(await ask("DELETE", one)).toEqual({ status: 200, body: { revoked: remembered[0]!.id } });
  expect((await ask("DELETE", one)).status).toBe(404);
});

test("decisions and revocations of one token are limited together", async () => {
  const { ask, id } = await world({ limits: { decisions: "2/min" } });
  const statuses = [];
  for (const [method, route] of [
    ["DELETE", "none"],
    ["POST", `${id}/decision`],
    ["DELETE", "none"],
    ["POST", `${id}/decision`],
  ] as const)
    statuses.push(
      (await ask(method, `${path}/${route}`, method === "POST" ? { body: { decision: "deny" } } : {})).status,
    );
  expect(statuses).toEqual([404, 200, 429, 429]);
});

test("who only looks may ask for the head of an answer", async () => {
  const { host } = createWorld({ store: createMemoryStore() });
  const { createToken, createTokenCheck, hashToken } = await import("@toolmount/http");
  const token = createToken();
  const authenticate = createTokenCheck([{ name: "vera", sha256: hashToken(token), roles: ["view"] }]);
  const { server } = await serve(host, { authenticate });
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    expect([method, answer.status]).toEqual([method, 200]);
  }
});
