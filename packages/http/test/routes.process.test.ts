import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { createHost, createMemoryStore, data, defineTool } from "@toolmount/core";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { createWorld, serve } from "./support/world.ts";

const host = "/api/v1/hosts/default";

/** A served host whose audit is mounted, as a plan with `audit: durable` mounts it. */
async function serveAudited() {
  const store = createMemoryStore({ audit: "durable" });
  const audited = createHost({ store });
  audited.coordinator.mount("audit-sink", store.audit!);
  for (const name of ["read", "write"])
    audited.coordinator.mount(
      "tools",
      defineTool({
        name,
        description: "Returns its text. Use in tests.",
        category: "side_effect",
        consequenceLevel: "low",
        requiresConfirmation: false,
        schema: z.strictObject({ password: z.string().default("") }),
        execute: async () => data(name),
      }),
    );
  return { store, ...(await serve(audited)) };
}

test("the audit is queried by run and tool, newest first, and verified", async () => {
  const { ask } = await serveAudited();
  const call = async (tool: string) =>
    (await ask("POST", `${host}/calls`, { body: { tool, arguments: { password: "hunter-2" } } })).body;
  await call("read");
  const { runId } = await call("write");

  const of = async (query: string) => {
    const { body } = await ask("GET", `${host}/audit${query}`);
    return body["records"] as unknown as { entry: Record<string, unknown> }[];
  };
  const written = await of(`?run=${String(runId)}`);
  expect(written.map(({ entry }) => [entry["kind"], entry["tool"]])).toEqual([
    ["end", "write"],
    ["start", "write"],
  ]);
  expect(written[1]).toMatchObject({ entry: { arguments: { password: "[masked]" } } });
  expect((await of("?tool=read")).map(({ entry }) => entry["tool"])).toEqual(["read", "read"]);
  expect(await of("?last=1")).toHaveLength(1);
  expect((await ask("GET", `${host}/audit/verify`)).body).toEqual({ records: 4, problems: [] });
});

test("without an audit, the query says what the plan lacks", async () => {
  const { ask } = await serve(createWorld().host);

  expect(await ask("GET", `${host}/audit`)).toMatchObject({
    status: 501,
    body: { code: "NOT_SERVED" },
  });
});

test("the metrics count calls by tool and status, running calls, waiting approvals and requests", async () => {
  const { host: served } = createWorld();
  const { server, tokens, ask } = await serve(served);
  await ask("POST", `${host}/calls`, { body: { tool: "echo" } });
  await ask("POST", `${host}/calls`, { body: { tool: "wipe", sessionId: "s" } });
  await ask("POST", `${host}/calls`, { body: { tool: "made_up_by_a_model" } });

  const response = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${tokens.caller}` },
  });
  const lines = (await response.text()).split("\n");
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=/);
  expect(lines).toEqual(
    expect.arrayContaining([
      'toolmount_calls_total{host="default",tool="echo",status="ok"} 1',
      'toolmount_calls_total{host="default",tool="wipe",status="pending"} 1',
      'toolmount_calls_total{host="default",tool="_OTHER",status="not_found"} 1',
      'toolmount_call_duration_seconds_count{host="default",tool="echo"} 1',
      'toolmount_calls_running{host="default"} 0',
      'toolmount_approvals_waiting{host="default"} 1',
      'toolmount_http_requests_total{method="POST",status="200"} 3',
    ]),
  );
});

test("an admin revokes a remembered approval, and another token may not", async () => {
  const { host: served } = createWorld();
  const { ask } = await serve(served);
  await served.call({ name: "wipe" }, { sessionId: "s" });
  const [question] = await served.approvals.list();
  const body = { decision: "approve", remember: { scope: "session" } };
  await ask("POST", `${host}/approvals/${question!.id}/decision`, { body });
  const { remembered } = (await ask("GET", `${host}/approvals`)).body as unknown as {
    remembered: { id: string }[];
  };
  const path = `${host}/approvals/${remembered[0]!.id}`;

  expect((await ask("DELETE", path, { as: "caller" })).status).toBe(403);
  expect((await served.call({ name: "wipe" }, { sessionId: "s" })).status).toBe("ok");
  expect((await ask("DELETE", path)).status).toBe(200);
  expect((await served.call({ name: "wipe" }, { sessionId: "s" })).status).toBe("pending");
  expect((await ask("DELETE", path)).body).toMatchObject({ code: "APPROVAL_NOT_FOUND" });
});

test("requests without a valid token are limited in rate, and so are the requests of one token", async () => {
  const { server, ask } = await serve(createWorld().host, {
    limits: { failures: "2/min", requests: "3/min" },
  });
  const guess = () =>
    fetch(`${server.url}/api/v1/hosts`, { headers: { authorization: "Bearer tm_guessed_guessed_guessed" } });
  const guesses = [(await guess()).status, (await guess()).status];
  const refused = await guess();

  expect([...guesses, refused.status]).toEqual([401, 401, 429]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const own: number[] = [];
  for (let at = 0; at < 4; at++) own.push((await ask("GET", "/api/v1/hosts", { as: "caller" })).status);
  expect(own).toEqual([200, 200, 200, 429]);
  expect((await ask("GET", "/api/v1/hosts", { as: "ana" })).status).toBe(200);
});

/** Sends the bytes of a request, and reads what comes back until the server ends the connection. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}); // the server closes a connection whose request it does not read to its end
  socket.write(bytes);
  return text(socket).catch(() => "");
}

const head = (token: string) =>
  `POST ${host}/calls HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;

test("a body in chunks ends at the limit, though it never says its length", async () => {
  const { host: served, started } = createWorld();
  const { server, tokens } = await serve(served, { limits: { bodyBytes: 1_000 } });
  const chunk = `3e8\r\n${"x".repeat(1_000)}\r\n`;

  const answer = await exchange(
    server.port,
    `${head(tokens.caller)}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
  );

  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toContain("BODY_TOO_LARGE");
  expect(started).toEqual([]);
});

const wide = (members: number) =>
  JSON.stringify({
    tool: "echo",
    arguments: Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, 0])),
  });
const withLength = (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`;
const inChunks = (body: string) =>
  `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

test.each([
  ["a call with a length", `${host}/calls`, withLength],
  ["a call in chunks", `${host}/calls`, inChunks],
  ["a message of MCP", "/mcp", withLength],
])("%s and an object of 60,000 members is refused before it is parsed", async (_, path, send) => {
  const { host: served, started } = createWorld();
  const { server, tokens } = await serve(served);
  const begin = head(tokens.caller)
    .replace(`${host}/calls`, path)
    .replace("\r\n", "\r\nConnection: close\r\n");
  const parse = vi.spyOn(JSON, "parse");

  const answer = await exchange(server.port, begin + send(wide(60_000)));

  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain("the body has an object of more than 20000 members");
  expect(Math.max(0, ...parse.mock.calls.map(([given]) => given.length))).toBeLessThan(10_000);
  expect(started).toEqual([]);
});

test("a request that does not arrive whole in time is ended", async () => {
  const { host: served, started } = createWorld();
  const { server, tokens } = await serve(served, { limits: { requestMs: 200 } });

  const answer = await exchange(server.port, `${head(tokens.caller)}Content-Length: 100\r\n\r\n{"tool":`);

  expect(answer).toMatch(/^$|^HTTP\/1\.1 408 /);
  expect(started).toEqual([]);
});
