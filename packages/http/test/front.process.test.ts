import { get } from "node:http";
import { systemClock } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken } from "@toolmount/http";
import { expect, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const security = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

async function world() {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const ask = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, init);
  return { server, tokens, ask };
}

test("the state of a server needs no token, and is read only", async () => {
  const { ask } = await world();
  for (const path of ["/healthz", "/readyz"]) {
    const answer = await ask(path);
    expect([answer.status, await answer.json(), answer.headers.get("content-type")]).toEqual([
      200,
      { status: "ok" },
      "application/json",
    ]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({ ...security, "cache-control": "no-store" });
  }
  expect((await ask("/healthz", { method: "HEAD" })).status).toBe(200);
  const refused = await ask("/healthz", { method: "POST" });
  expect([refused.status, refused.headers.get("allow"), refused.headers.get("connection")]).toEqual([
    405,
    "GET, HEAD, POST, DELETE",
    "close",
  ]);
  expect(await refused.json()).toMatchObject({ code: "METHOD_REFUSED" });
});

test("a server that is about to end is not ready, and serves until then; then it takes no connection", async () => {
  const { host } = createWorld();
  let end = () => {};
  const clock = {
    ...systemClock,
    setTimer: (work: () => void, ms: number) => {
      if (ms !== 60_000_000) return systemClock.setTimer(work, ms);
      end = work;
      return { cancel: () => {}, keepAlive: () => {} };
    },
  };
  const { server, tokens } = await serve(host, { clock });
  const ask = (path: string) =>
    fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${tokens.caller}` } });

  expect((await ask("/readyz")).status).toBe(200);
  const closed = server.close({ graceMs: 240_000_000 });
  const unready = await ask("/readyz");
  expect([unready.status, await unready.json()]).toEqual([503, { status: "draining" }]);
  expect([(await ask("/healthz")).status, (await ask("/api/v1/hosts")).status]).toEqual([200, 200]);
  end();
  await closed;
  await expect(ask("/readyz")).rejects.toThrow("fetch failed");
});

test("a server that no balancer asked in the last minute ends at once", async () => {
  const { host } = createWorld();
  let now = 1_000_000;
  const { server } = await serve(host, { clock: { ...systemClock, now: () => now } });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  now += 60_001;

  await server.close({ graceMs: 240_000_000 });
  await expect(fetch(`${server.url}/readyz`)).rejects.toThrow("fetch failed");
});

test("a request without a token is challenged, and one whose token has no role is refused", async () => {
  const { ask } = await world();
  const answer = await ask("/api/v1/hosts");
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  expect(await answer.json()).toMatchObject({ code: "UNAUTHENTICATED" });

  const token = createToken();
  const record = { name: "idle", sha256: hashToken(token), roles: [] };
  const { server } = await serve(createWorld().host, { authenticate: createTokenCheck([record]) });
  const idle = await fetch(`${server.url}/api/v1/hosts`, { headers: { authorization: `Bearer ${token}` } });
  expect([idle.status, idle.headers.get("www-authenticate")]).toEqual([
    403,
    'Bearer error="insufficient_scope"',
  ]);
});

/** The bytes of a file as they are sent, and its headers. */
function sent(url: string, method: string, encoding?: string) {
  return new Promise<{ length: number; headers: Readonly<Record<string, unknown>> }>((resolve, reject) => {
    const headers = encoding === undefined ? {} : { "accept-encoding": encoding };
    const request = get(url, { method, headers }, (response) => {
      let length = 0;
      response.on("data", (chunk: Buffer) => void (length += chunk.length));
      response.on("end", () => resolve({ length, headers: response.headers }));
    });
    request.on("error", reject);
  });
}

test("the page is sent as the browser takes it, and a request for its head has no body", async () => {
  const { server } = await world();
  const [plain, zipped, other, head] = [
    await sent(`${server.url}/`, "GET"),
    await sent(`${server.url}/`, "GET", "br, gzip"),
    await sent(`${server.url}/`, "GET", "gzippy"),
    await sent(`${server.url}/`, "HEAD"),
  ];
  expect(plain.headers).toMatchObject({
    "content-type": expect.stringMatching(/^text\/html/),
    "content-length": String(plain.length),
    vary: "accept-encoding",
    ...security,
  });
  expect(plain.headers).not.toHaveProperty("content-encoding");
  expect(zipped.headers).toMatchObject({
    "content-encoding": "gzip",
    "content-length": String(zipped.length),
  });
  expect(zipped.length).toBeLessThan(plain.length);
  expect([other.length, head.length, head.headers["content-length"]]).toEqual([
    plain.length,
    0,
    String(plain.length),
  ]);
});

test("guesses and requests are limited in a window of a minute, where the server has no other limit", async () => {
  let now = 1_000;
  const clock = { ...systemClock, now: () => now };
  const { server } = await serve(createWorld().host, { clock });
  const guess = async () =>
    (await fetch(`${server.url}/api/v1/hosts`, { headers: { authorization: "Bearer tm_guess" } })).status;
  for (let count = 0; count < 30; count++) expect(await guess()).toBe(401);
  now += 59_999;
  expect(await guess()).toBe(429);
  now += 1;
  expect(await guess()).toBe(401);
  const back = async () => (await fetch(`${server.url}/signin/server`, { redirect: "manual" })).status;
  for (let count = 0; count < 300; count++) expect(await back()).toBe(302);
  now += 59_999;
  expect(await back()).toBe(429);
  now += 1;
  expect(await back()).toBe(302);
});
