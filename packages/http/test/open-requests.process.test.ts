import { once } from "node:events";
import { connect } from "node:net";
import { systemClock, type Clock } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, type Role, type TokenRecord } from "@toolmount/http";
import { expect, onTestFinished, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

/** Looks at the tokens of open requests soon. */
const clock: Clock = {
  ...systemClock,
  setTimer: (callback, ms) => systemClock.setTimer(callback, Math.min(ms, 20)),
};

/** Served hosts whose tokens change while they are served. */
async function changingWorld(limits: { readonly openPerToken?: number; readonly connections?: number } = {}) {
  const { host, started } = createWorld();
  const secrets = { ana: createToken(), boss: createToken() };
  const record = (name: keyof typeof secrets, roles: Role[], more = {}): TokenRecord => ({
    name,
    sha256: hashToken(secrets[name]),
    roles,
    ...more,
  });
  const boss = record("boss", ["call", "approve", "admin"]);
  let check = createTokenCheck([record("ana", ["call"], { user: "ana" }), boss]);
  const { server } = await serve(host, { authenticate: (token) => check(token), clock, limits });
  const open = (path: string, as: keyof typeof secrets, init: RequestInit = {}) => {
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const headers = { authorization: `Bearer ${secrets[as]}`, ...(init.headers as Record<string, string>) };
    const signal = controller.signal;
    return fetch(`${server.url}/api/v1/hosts/default${path}`, { ...init, headers, signal });
  };
  return {
    host,
    started,
    open,
    url: server.url,
    token: (name: keyof typeof secrets) => secrets[name],
    /** The tokens from now on. */
    keep: (...records: TokenRecord[]) => (check = createTokenCheck([...records, boss])),
    ana: (roles: Role[], more = {}) => record("ana", roles, { user: "ana", ...more }),
  };
}

test("a stream ends soon after its token was removed, and another token's stream stays", async () => {
  const world = await changingWorld();
  const [lost, kept] = [await world.open("/events", "ana"), await world.open("/events", "boss")];
  world.keep();

  expect(await lost.text()).toContain("event: bye");
  expect((await world.open("/events", "ana")).status).toBe(401);
  await world.host.call({ name: "echo" }, { userId: "ana" });
  const reader = kept.body!.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  while (!seen.includes('"tool":"echo"')) seen += (await reader.read()).value ?? "";
});

test.each([
  ["its roles", ["call", "approve"] as Role[], {}],
  ["its user", ["call"] as Role[], { user: "bea" }],
  ["its hosts", ["call"] as Role[], { hosts: ["other"] }],
])("a stream ends soon after %s changed", async (_, roles, more) => {
  const world = await changingWorld();
  const stream = await world.open("/events", "ana");
  world.keep(world.ana(roles, more));

  expect(await stream.text()).toContain("event: bye");
});

test("a call that runs is cancelled when its token is removed", async () => {
  const world = await changingWorld();
  const ends: unknown[] = [];
  world.host.coordinator.hooks.observe("tool:error", (__, { status }) => void ends.push(status));
  const body = JSON.stringify({ tool: "wait" });
  const call = world.open("/calls", "ana", {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  await expect.poll(() => world.started).toEqual(["wait"]);
  world.keep();

  const answer = await call.then((response) => response.json()).catch(() => null);
  expect([null, "cancelled"]).toContain((answer as { status?: string } | null)?.status ?? null);
  await expect.poll(() => ends).toEqual(["cancelled"]);
});

test("one token cannot take all connections: others, an approver and health are answered", async () => {
  const world = await changingWorld({ openPerToken: 5, connections: 8 });
  const streams = await Promise.all(Array.from({ length: 30 }, () => world.open("/events", "ana")));

  const statuses = streams.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(25);
  const refused = streams.find(({ status }) => status === 429)!;
  expect(await refused.json()).toMatchObject({ code: "TOO_MANY_OPEN", details: { open: 5 } });
  expect((await world.open("/approvals", "boss")).status).toBe(200);
  expect((await fetch(`${world.url}/healthz`)).status).toBe(200);

  await streams.find(({ status }) => status === 200)!.body!.cancel();
  await expect.poll(async () => (await world.open("/calls", "ana")).status).toBe(200);
});

test("many callers together leave room for approvers", async () => {
  const world = await changingWorld({ openPerToken: 100, connections: 3 });
  const streams = await Promise.all(Array.from({ length: 6 }, () => world.open("/events", "ana")));

  expect(streams.filter(({ status }) => status === 200)).toHaveLength(3);
  expect((await world.open("/events", "boss")).status).toBe(200);
});

test("one token has twenty streams of events, and a place again when one is closed", async () => {
  const world = await changingWorld();
  const streams = await Promise.all(Array.from({ length: 25 }, () => world.open("/events", "ana")));
  expect(streams.filter(({ status }) => status === 200)).toHaveLength(20);

  await streams.find(({ status }) => status === 200)!.body!.cancel();
  await expect.poll(async () => (await world.open("/events", "ana")).status).toBe(200);
});

/** Takes connections, each with the beginning of a request that never ends, after `first` was answered. */
async function takeConnections(url: string, count: number, first = ""): Promise<void> {
  const { hostname, port } = new URL(url);
  for (let taken = 0; taken < count; taken++) {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    await once(socket, "connect");
    if (first !== "") {
      socket.write(first);
      await once(socket, "data");
    }
    socket.write("GET /healthz HTTP/1.1\r\n");
  }
}

test.each([
  ["have sent no token", false],
  ["have sent a token, and run no request now,", true],
])(
  "connections that %s take no room from an approver, from health or from an open stream",
  async (_, knows) => {
    const world = await changingWorld({ connections: 10 });
    const stream = await world.open("/events", "ana");
    const head = `GET /api/v1/hosts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.token("ana")}\r\n\r\n`;
    await takeConnections(world.url, 300, knows ? head : "");

    expect((await world.open("/approvals", "boss")).status).toBe(200);
    expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
    await world.host.call({ name: "echo" }, { userId: "ana" });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (!seen.includes('"tool":"echo"')) seen += (await reader.read()).value ?? "";
  },
);

test("connections that have ended take no room: a slow client is not cut off by those that come after it", async () => {
  const { url } = await changingWorld({ connections: 10 });
  const { hostname, port } = new URL(url);
  const slow = connect(Number(port), hostname);
  onTestFinished(() => void slow.destroy());
  await once(slow, "connect");
  slow.write("GET /healthz HTTP/1.1\r\n");
  for (let ended = 0; ended < 300; ended++) {
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.end();
    socket.resume();
    await once(socket, "close");
  }

  slow.write("Host: localhost\r\n\r\n");
  const [answer] = (await once(slow, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
});

test("one connection more than a server takes ends the oldest that runs nothing, and each that ended makes room for one", async () => {
  const { url } = await changingWorld({ connections: 10 });
  const { hostname, port } = new URL(url);
  const ended: number[] = [];
  let number = 0;
  const take = async (count: number) => {
    const taken = Array.from({ length: count }, () => {
      const [own, socket] = [number++, connect(Number(port), hostname)];
      onTestFinished(() => void socket.destroy());
      socket.on("error", () => undefined).on("close", () => ended.push(own));
      return socket;
    });
    await Promise.all(taken.map((socket) => once(socket, "connect")));
    // Its answer comes after the server has seen all of them.
    taken.at(-1)!.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(taken.at(-1)!, "data");
    return taken;
  };

  // A plan's ten, and two hundred that are always free.
  const [first, second] = [await take(209), await take(1)];
  expect(ended).toEqual([]);
  await take(2);
  await expect.poll(() => ended).toEqual([0, 1]);
  for (const socket of [...first.slice(10, 13), ...second]) socket.destroy();
  await expect.poll(() => ended.length).toBe(6);
  await take(4);
  await take(3);
  await expect.poll(() => ended.slice(6)).toEqual([2, 3, 4]);
});
