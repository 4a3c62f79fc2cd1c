import { createMemoryStore, type ToolOutcome } from "@toolmount/core";
import {
  createOidcCheck,
  createToken,
  createTokenCheck,
  hashToken,
  parseListenAddress,
  isLoopback,
  serveHosts,
} from "@toolmount/http";
import { exportJWK, generateKeyPair, SignJWT, createLocalJWKSet } from "jose";
import { expect, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const calls = "/api/v1/hosts/default/calls";

test("a call answers with its outcome, and names its user and its session", async () => {
  const { ask } = await serve(createWorld().host);

  const { status, body } = await ask("POST", calls, {
    body: { tool: "echo", sessionId: "s1", userId: "bob" },
  });

  expect(status).toBe(200);
  expect(body).toMatchObject({ status: "ok", result: { data: { userId: "bob", sessionId: "bob:s1" } } });
});

test("a token of a user calls for that user, and sees that user's calls only", async () => {
  const { ask } = await serve(createWorld().host);
  await ask("POST", calls, { body: { tool: "echo", userId: "bob" } });
  const own = await ask("POST", calls, { as: "ana", body: { tool: "echo" } });

  expect(own.body).toMatchObject({ result: { data: { userId: "ana" } } });
  const { calls: seen } = (await ask("GET", calls, { as: "ana" })).body as unknown as {
    calls: ToolOutcome[];
  };
  expect(seen.map(({ userId }) => userId)).toEqual(["ana"]);
});

test("with Accept: text/event-stream, a call reports its progress before its outcome", async () => {
  const { server, tokens } = await serve(createWorld().host);
  const response = await fetch(`${server.url}${calls}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tokens.caller}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    },
    body: '{"tool":"count"}',
  });

  const events = [...(await response.text()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
  expect(events).toEqual(["progress", "progress", "progress", "outcome"]);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("x-accel-buffering")).toBe("no");
});

test("a pending call is decided by another token, and resumes once by its ticket", async () => {
  const { ask } = await serve(createWorld().host);
  const pending = (await ask("POST", calls, { as: "caller", body: { tool: "wipe", sessionId: "s" } })).body;
  const { waiting } = (await ask("GET", "/api/v1/hosts/default/approvals")).body as unknown as {
    waiting: { id: string }[];
  };
  const path = `/api/v1/hosts/default/approvals/${waiting[0]!.id}/decision`;

  expect((await ask("POST", path, { body: { decision: "approve" } })).status).toBe(200);
  expect(await ask("POST", path, { body: { decision: "deny" } })).toMatchObject({
    status: 409,
    body: { code: "APPROVAL_DECIDED" },
  });
  const resume = { as: "caller", body: { ticket: pending["ticket"], sessionId: "s" } } as const;
  expect((await ask("POST", "/api/v1/hosts/default/resume", resume)).body).toMatchObject({ status: "ok" });
  expect(JSON.stringify(pending)).not.toContain(waiting[0]!.id);
});

test("of two people who decide together one is first, and both see who it was", async () => {
  const { host } = createWorld();
  const tokens = { caller: createToken(), operator: createToken(), ana: createToken() };
  const people = (["operator", "ana"] as const).map((name) => ({
    name,
    sha256: hashToken(tokens[name]),
    roles: ["approve" as const],
  }));
  const { ask } = await serve(host, { authenticate: createTokenCheck(people) }, tokens);
  await host.call({ name: "wipe" }, { sessionId: "s" });
  const approvals = "/api/v1/hosts/default/approvals";
  const { waiting } = (await ask("GET", approvals)).body as unknown as { waiting: { id: string }[] };
  const path = `${approvals}/${waiting[0]!.id}`;
  const decide = (as: "operator" | "ana", decision: string) =>
    ask("POST", `${path}/decision`, { as, body: { decision } });

  const answers = await Promise.all([decide("operator", "approve"), decide("ana", "deny")]);

  const statuses = answers.map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409]);
  const first = statuses[0] === 200 ? "operator" : "ana";
  for (const as of ["operator", "ana"] as const)
    expect((await ask("GET", path, { as })).body).toMatchObject({ decision: { by: first } });
});

test("each host of a server has its own tools, and a name that is not there is NOT_FOUND", async () => {
  const [one, two] = [createWorld(), createWorld()];
  const { ask } = await serve({ one: { host: one.host }, two: { host: two.host } });

  await ask("POST", "/api/v1/hosts/two/calls", { body: { tool: "echo" } });

  expect([one.started, two.started]).toEqual([[], ["echo"]]);
  expect(await ask("GET", "/api/v1/hosts/three/tools")).toMatchObject({
    status: 404,
    body: { code: "NOT_FOUND" },
  });
});

test("the list of calls hides what names a secret, also in arguments that are not JSON", async () => {
  const { ask } = await serve(createWorld().host);
  const given = '{"text":"a","password":"hunter-2",}';
  const { body } = await ask("POST", calls, { body: { tool: "echo", arguments: given } });

  expect(body).toMatchObject({ status: "invalid" });
  const shown = await ask("GET", `${calls}/${String(body["runId"])}`);
  expect(shown.body).toMatchObject({ arguments: { value: '{"text":"a","password":"[masked]",}' } });
});

test("a client that goes cancels its call, whose end is in the list of calls", async () => {
  const { host, started } = createWorld();
  const { ask } = await serve(host);
  const controller = new AbortController();
  const ended = new Promise<void>((resolve) => {
    host.coordinator.hooks.observe("tool:error", () => resolve());
  });
  const began = new Promise<void>((resolve) => {
    host.coordinator.hooks.observe("tool:pre", () => resolve());
  });
  const call = ask("POST", calls, { body: { tool: "wait", id: "c1" }, signal: controller.signal });
  await began;
  controller.abort();

  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  await ended;
  const { calls: seen } = (await ask("GET", `${calls}?callId=c1`)).body as unknown as {
    calls: ToolOutcome[];
  };
  expect(seen).toMatchObject([{ status: "cancelled" }]);
  expect(started).toEqual(["wait"]);
});

test("when the server ends, running calls are cancelled after the grace, and every one is answered", async () => {
  const { host } = createWorld();
  const { server, ask } = await serve(host);
  let begun = 0;
  const all = new Promise<void>((resolve) => {
    host.coordinator.hooks.observe("tool:pre", () => {
      if ((begun += 1) === 10) resolve();
    });
  });
  const running = Array.from({ length: 10 }, () => ask("POST", calls, { body: { tool: "wait" } }));
  await all;

  await server.close({ graceMs: 1 });

  const outcomes = await Promise.all(running);
  expect(outcomes.map(({ body }) => body["status"])).toEqual(Array.from({ length: 10 }, () => "cancelled"));
});

test.each([
  { text: "127.0.0.1:8080", loopback: true },
  { text: "localhost:8080", loopback: true },
  { text: "8080", loopback: true },
  { text: ":8080", loopback: true },
  { text: "[::1]:8080", loopback: true },
  { text: "[::ffff:127.0.0.1]:80", loopback: true },
  { text: "0.0.0.0:80", loopback: false },
  { text: "[::]:80", loopback: false },
  { text: "::", loopback: false },
  { text: "[::ffff:0.0.0.0]:80", loopback: false },
  { text: "[0:0:0:0:0:0:0:0]:80", loopback: false },
  { text: "192.168.1.4", loopback: false },
  { text: "example.com:80", loopback: false },
  { text: "127.0.0.1.nip.io:80", loopback: null },
  { text: "0:80", loopback: null },
  { text: "00.0.0.0:80", loopback: null },
  { text: "0x0:80", loopback: null },
  { text: "*:80", loopback: null },
  { text: "127.1:80", loopback: null },
  { text: "2130706433:80", loopback: null },
  { text: "localhost:99999", loopback: null },
])("the address $text is on loopback: $loopback", async ({ text, loopback }) => {
  const address = parseListenAddress(text);

  expect(address === null ? null : isLoopback(address.host)).toBe(loopback);
  if (address === null || loopback === true) return;
  const refused = serveHosts({ hosts: {}, authenticate: () => null, listen: address });
  await expect(refused).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

test("a signed token of an OpenID provider has the roles of its claim; any other token is refused", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: "ES256" }] });
  const check = createOidcCheck({ issuer: "https://id.test", audience: "toolmount", keys });
  const sign = (claims: Record<string, unknown>, audience = "toolmount", expires = "5m") =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256" })
      .setIssuer("https://id.test")
      .setAudience(audience)
      .setSubject("ana")
      .setExpirationTime(expires)
      .sign(privateKey);

  expect(await check(await sign({ roles: ["call", "root"] }))).toEqual({
    name: "ana",
    user: "ana",
    roles: new Set(["call"]),
    hosts: null,
  });
  expect(await check(await sign({ roles: ["call"] }, "another server"))).toBe(null);
  expect(await check(await sign({ roles: ["call"] }, "toolmount", "-1m"))).toBe(null);
  expect(await check(await sign({}))).toMatchObject({ name: "ana", roles: new Set() });
  expect(await check("tm_not_signed")).toBe(null);
});

test("decisions of one token are limited in rate", async () => {
  const { ask } = await serve(createWorld({ store: createMemoryStore() }).host, {
    limits: { decisions: "2/min" },
  });
  const statuses: number[] = [];
  for (let at = 0; at < 3; at++)
    statuses.push(
      (await ask("POST", "/api/v1/hosts/default/approvals/guess/decision", { body: { decision: "approve" } }))
        .status,
    );

  expect(statuses).toEqual([404, 404, 429]);
});
