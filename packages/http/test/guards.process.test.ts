import { execFile } from "node:child_process";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createWorld, serve, type Tokens } from "./support/world.ts";

/** One request as bytes, and the status that it must get. `{HOST}`, `{PORT}`, `{TOKEN}` and `{ID}` are filled in. */
interface Row {
  readonly title: string;
  readonly status: number;
  readonly method?: string;
  readonly target?: string;
  /** Header lines; `null` leaves a default line out. */
  readonly host?: string | null;
  /** One of `Tokens` by its name, `CUT`, or a text. */
  readonly token?: string | null;
  readonly lines?: readonly string[];
  readonly body?: string | null;
  readonly code?: string;
}

const call = JSON.stringify({ tool: "echo", arguments: { text: "it ran" } });
const get = { method: "GET", body: null } as const;
const approvals = "/api/v1/hosts/default/approvals";

const rows: readonly Row[] = [
  // Host: DNS rebinding
  { title: "the address itself", status: 200 },
  { title: "localhost", host: "localhost:{PORT}", status: 200 },
  { title: "LOCALHOST in upper case", host: "LOCALHOST:{PORT}", status: 200 },
  { title: "the IPv6 loopback address", host: "[::1]:{PORT}", status: 200 },
  {
    title: "the IPv6 loopback address, as no client writes it",
    host: "[0:0:0:0:0:0:0:1]:{PORT}",
    status: 400,
  },
  { title: "an allowed name without a port", host: "localhost", status: 200 },
  { title: "another port, as behind a forwarded one", host: "127.0.0.1:9", status: 200 },
  { title: "another site", host: "evil.test", status: 403, code: "HOST_REFUSED" },
  { title: "another site with this port", host: "evil.test:{PORT}", status: 403 },
  { title: "a name that begins like an allowed one", host: "localhost.evil.test:{PORT}", status: 403 },
  { title: "a name that ends like an allowed one", host: "evil-localhost:{PORT}", status: 403 },
  { title: "an address that begins like an allowed one", host: "127.0.0.1.nip.io:{PORT}", status: 403 },
  { title: "a trailing dot", host: "localhost.:{PORT}", status: 403 },
  { title: "another address of loopback", host: "127.0.0.2:{PORT}", status: 403 },
  { title: "the wildcard address", host: "0.0.0.0:{PORT}", status: 403 },
  { title: "the IPv6 wildcard", host: "[::]:{PORT}", status: 403 },
  { title: "loopback mapped into IPv6", host: "[::ffff:127.0.0.1]:{PORT}", status: 403 },
  { title: "loopback as one number", host: "2130706433:{PORT}", status: 403 },
  { title: "loopback in hexadecimal", host: "0x7f000001:{PORT}", status: 403 },
  { title: "loopback in two parts", host: "127.1:{PORT}", status: 403 },
  { title: "user information before the name", host: "localhost@evil.test:{PORT}", status: 403 },
  { title: "an allowed name and a path", host: "localhost:{PORT}/evil", status: 403 },
  { title: "a port that is not valid", host: "localhost:0", status: 403 },
  { title: "a port that is too large", host: "localhost:65536", status: 403 },
  { title: "two names in one line", host: "localhost, evil.test", status: 403 },
  { title: "an empty Host", host: "", status: 403 },
  { title: "no Host", host: null, status: 400 },
  { title: "two Host lines", lines: ["Host: evil.test"], status: 400 },
  {
    title: "a name from X-Forwarded-Host",
    host: "evil.test",
    lines: ["X-Forwarded-Host: localhost"],
    status: 403,
  },
  // The page and health stand behind the same names
  { title: "the page under another name", ...get, target: "/", host: "evil.test", status: 403 },
  { title: "health under another name", ...get, target: "/healthz", host: "evil.test", status: 403 },
  { title: "the page", ...get, target: "/", token: null, status: 200 },
  { title: "a file of the page", ...get, target: "/assets/main.js", token: null, status: 200 },
  { title: "health", ...get, target: "/healthz", token: null, status: 200 },
  { title: "readiness", ...get, target: "/readyz", token: null, status: 200 },
  // Origin and Sec-Fetch-Site: pages of other sites
  { title: "the server's own origin", lines: ["Origin: http://{HOST}"], status: 200 },
  { title: "another origin", lines: ["Origin: http://evil.test"], status: 403, code: "ORIGIN_REFUSED" },
  { title: "an opaque origin", lines: ["Origin: null"], status: 403 },
  { title: "an origin of another port", lines: ["Origin: http://127.0.0.1:9"], status: 403 },
  { title: "an origin that begins like this one", lines: ["Origin: http://{HOST}.evil.test"], status: 403 },
  {
    title: "an origin of another name of this machine",
    lines: ["Origin: http://localhost:{PORT}"],
    status: 403,
  },
  { title: "an origin of a file", lines: ["Origin: file://{HOST}"], status: 403 },
  { title: "an extension's origin", lines: ["Origin: chrome-extension://abcdef"], status: 403 },
  { title: "an empty origin", lines: ["Origin:"], status: 403 },
  { title: "two origins", lines: ["Origin: http://{HOST}", "Origin: http://evil.test"], status: 400 },
  { title: "a request of the same site", lines: ["Sec-Fetch-Site: same-origin"], status: 200 },
  { title: "a request of another site", lines: ["Sec-Fetch-Site: cross-site"], status: 403 },
  { title: "a request of a sibling site", lines: ["Sec-Fetch-Site: same-site"], status: 403 },
  { title: "a typed address that would change something", lines: ["Sec-Fetch-Site: none"], status: 403 },
  {
    title: "a typed address that reads",
    ...get,
    target: "/",
    lines: ["Sec-Fetch-Site: none"],
    token: null,
    status: 200,
  },
  {
    title: "a request of another site for the page",
    ...get,
    target: "/",
    lines: ["Sec-Fetch-Site: cross-site"],
    token: null,
    status: 403,
  },
  {
    title: "a link of another site to the page",
    ...get,
    target: "/",
    lines: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    token: null,
    status: 200,
  },
  {
    title: "a link of a sibling site to the page",
    ...get,
    target: "/?from=chat",
    lines: ["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    token: null,
    status: 200,
  },
  {
    title: "a frame of another site with the page",
    ...get,
    target: "/",
    lines: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
    token: null,
    status: 403,
  },
  {
    title: "a request of another site that says it is a link",
    ...get,
    target: "/",
    lines: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: document"],
    token: null,
    status: 403,
  },
  {
    title: "a link of another site to the API",
    ...get,
    target: "/api/hosts",
    lines: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    token: null,
    status: 403,
  },
  {
    title: "a link of another site to a path that only begins like the page",
    ...get,
    target: "/assets/main.js",
    lines: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    token: null,
    status: 403,
  },
  {
    title: "a form of another site that is sent to the page",
    method: "POST",
    target: "/",
    lines: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    token: null,
    status: 403,
  },
  // Methods and targets
  { title: "OPTIONS", method: "OPTIONS", body: null, status: 405, code: "METHOD_REFUSED" },
  {
    title: "the question of a browser before a foreign request",
    method: "OPTIONS",
    body: null,
    lines: ["Origin: http://evil.test", "Access-Control-Request-Method: POST"],
    status: 405,
  },
  { title: "PUT", method: "PUT", status: 405 },
  { title: "TRACE", method: "TRACE", body: null, status: 405 },
  { title: "POST to the page", target: "/", status: 405 },
  { title: "a whole address as the target", ...get, target: "http://evil.test/api/v1/hosts", status: 400 },
  { title: "a target without a scheme", ...get, target: "//evil.test/api/v1/hosts", status: 400 },
  { title: "a path that is not there", ...get, target: "/api/nothing", status: 404, code: "NOT_FOUND" },
  { title: "a file outside the page", ...get, target: "/assets/../package.json", status: 404 },
  { title: "a file outside the page, encoded", ...get, target: "/assets/%2e%2e/package.json", status: 404 },
  // The token
  { title: "no token", token: null, status: 401, code: "UNAUTHENTICATED" },
  {
    title: "a token of another server",
    token: "tm_0000000000000000000000000000000000000000000",
    status: 401,
  },
  { title: "a token without its last character", token: "CUT", status: 401 },
  {
    title: "a token in the address",
    ...get,
    target: "/api/v1/hosts?token={TOKEN}&access_token={TOKEN}",
    token: null,
    status: 401,
  },
  { title: "a token in a cookie", token: null, lines: ["Cookie: token={TOKEN}"], status: 401 },
  { title: "a token in another header", token: null, lines: ["X-Api-Key: {TOKEN}"], status: 401 },
  { title: "a token of another scheme", token: null, lines: ["Authorization: Basic {TOKEN}"], status: 401 },
  { title: "two tokens", lines: ["Authorization: Bearer {TOKEN}"], status: 400 },
  { title: "an unknown path without a token", ...get, target: "/api/nothing", token: null, status: 401 },
  { title: "the metrics without a token", ...get, target: "/metrics", token: null, status: 401 },
  {
    title: "the API's document without a token",
    ...get,
    target: "/api/v1/openapi.json",
    token: null,
    status: 401,
  },
  { title: "MCP without a token", target: "/mcp", token: null, status: 401 },
  {
    title: "the events without a token",
    ...get,
    target: "/api/v1/hosts/default/events",
    token: null,
    status: 401,
  },
  // Roles
  {
    title: "a caller who looks at approvals",
    ...get,
    target: approvals,
    token: "caller",
    status: 403,
    code: "FORBIDDEN",
  },
  {
    title: "a caller who decides",
    target: `${approvals}/{ID}/decision`,
    token: "caller",
    body: '{"decision":"approve"}',
    status: 403,
  },
  {
    title: "a caller who revokes",
    method: "DELETE",
    target: `${approvals}/{ID}`,
    token: "caller",
    body: null,
    status: 403,
  },
  {
    title: "a caller who reloads",
    target: "/api/v1/hosts/default/reload",
    token: "caller",
    body: "{}",
    status: 403,
  },
  {
    title: "a user's token for another user",
    token: "ana",
    body: '{"tool":"echo","userId":"bob"}',
    status: 403,
  },
  {
    title: "a user's token at the audit",
    ...get,
    target: "/api/v1/hosts/default/audit",
    token: "ana",
    status: 403,
  },
  { title: "a user's token at the metrics", ...get, target: "/metrics", token: "ana", status: 403 },
  // Bodies
  {
    title: "a form",
    lines: ["Content-Type: application/x-www-form-urlencoded"],
    status: 415,
    code: "MEDIA_TYPE_REFUSED",
  },
  { title: "JSON sent as text", lines: ["Content-Type: text/plain"], status: 415 },
  { title: "a body without a type", lines: ["Content-Type:"], status: 415 },
  { title: "a body that is no JSON", body: "{", status: 400 },
  {
    title: "a field that is not known",
    body: '{"tool":"echo","approve":true}',
    status: 400,
    code: "REQUEST_INVALID",
  },
  { title: "a body that says it is too large", lines: ["Content-Length: 2000000"], body: "", status: 413 },
  { title: "two lengths", lines: ["Content-Length: 1", "Content-Length: 2"], status: 400 },
  { title: "a length and chunks", lines: ["Transfer-Encoding: chunked"], status: 400 },
  { title: "headers that are too large", lines: [`X-Filler: ${"x".repeat(20_000)}`], status: 431 },
];

test(`the table has at least 60 rows`, () => {
  expect(rows.length).toBeGreaterThanOrEqual(60);
});

test("each request of the table gets its status, and no refused one runs a tool or changes an approval", async () => {
  const { host, started } = createWorld();
  const { server, tokens } = await serve(host, { limits: { failures: "1000/min" } });
  await host.call({ name: "wipe" }, { sessionId: "s" });
  const [waiting] = await host.approvals.list();
  const seen: object[] = [];
  const wanted: object[] = [];
  for (const row of rows) {
    const before = started.length;
    const answer = await send(server.port, fill(row, server.port, tokens, waiting!.id));
    seen.push({
      title: row.title,
      status: answer.status,
      ran: started.length - before,
      code: row.code && answer.code,
    });
    const runs = row.status === 200 && row.method === undefined ? 1 : 0;
    wanted.push({ title: row.title, status: row.status, ran: runs, code: row.code });
    expect(answer.head.toLowerCase(), row.title).not.toContain("access-control-allow");
  }
  expect(seen).toEqual(wanted);
  expect(await host.approvals.list()).toEqual([waiting]);
});

/** The bytes of a row's request. */
function fill(row: Row, port: number, tokens: Tokens, approval: string): string {
  const {
    method = "POST",
    target = "/api/v1/hosts/default/calls",
    host = "{HOST}",
    token = "operator",
    lines = [],
  } = row;
  const body = row.body === null ? undefined : (row.body ?? call);
  const named = (name: string) => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  const own = token === "CUT" ? tokens.operator.slice(0, -1) : (tokens[token as keyof Tokens] ?? token);
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...(host === null ? [] : [`Host: ${host}`]),
    ...(token === null ? [] : [`Authorization: Bearer ${own}`]),
    ...(body === undefined || named("content-type") ? [] : ["Content-Type: application/json"]),
    ...(body === undefined || named("content-length") ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    "Connection: close",
    ...lines,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body ?? ""}`
    .replaceAll("{HOST}", `127.0.0.1:${port}`)
    .replaceAll("{PORT}", String(port))
    .replaceAll("{TOKEN}", tokens.operator)
    .replaceAll("{ID}", approval);
}

async function send(port: number, bytes: string) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}); // the server closes a connection whose request it does not read to its end
  socket.end(bytes);
  const answer = await text(socket).catch(() => "");
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  const code = /"code":"([A-Z_]+)"/.exec(body)?.[1];
  return { status, head, code };
}

/** Sends fifty bodies of 4 MB, from a process of its own, with or without their length, and prints each answer. */
const largeBodies = `
  const [url, token] = process.argv.slice(1);
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const text = "x".repeat(4_000_000);
  for (let at = 0; at < 50; at += 1) {
    const body = at % 2 === 0 ? text : new Blob([text]).stream();
    const answer = await fetch(url, { method: "POST", headers, body, duplex: "half" });
    console.log(answer.status, (await answer.json()).code);
  }`;

// A connection that is closed before everything was read is reset, and the client that still writes sees only that.
test("a client that is still sending its body reads why it was refused", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const words = ["--input-type=module", "-e", largeBodies, `${server.url}/api/v1/hosts/default/calls`];
  const { stdout } = await promisify(execFile)(process.execPath, [...words, tokens.operator]);
  expect(stdout).toBe("413 BODY_TOO_LARGE\n".repeat(50));
});

test("a client that never stops sending loses its connection", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  let answer = "";
  socket.on("data", (data: Buffer) => (answer += data.toString()));
  const head = fill(
    { title: "", status: 413, lines: ["Content-Length: 1000000000000"], body: "" },
    server.port,
    tokens,
    "",
  );
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const chunk = Buffer.alloc(65_536, "x");
  const pour = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", pour);
  socket.write(head);
  pour();
  await closed;
  expect(answer).toContain("BODY_TOO_LARGE");
});
