// What one call costs a server in processor time, beside a bare Hono route with the same schema and function: without a
// store, and with SQLite and a durable audit. Each server is a process of its own, so that its clients do not count. And how long calls
// take at several servers of one Postgres, beside one of them.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve as serveHono } from "@hono/node-server";
import { createHost, data, defineTool } from "@toolmount/core";
import { createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { Hono } from "hono";
import { z } from "zod";

const token = "tm_of_the_processor_bench";
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
/** Calls of one measurement, and how many clients make them. */
const calls = 1_000;
const clients = 8;
/** Clients of several servers, each of which makes ten calls. */
const inFlight = 32;

const schema = z.strictObject({ text: z.string() });

if (process.send !== undefined && process.argv[2] === "http-server") await serve(process.argv[3]);

/** A server: it answers each message with the processor time that it has used, in milliseconds. */
async function serve(kind) {
  const url = kind === "hono" ? await startHono() : await startOurs(kind);
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send({ ms: (user + system) / 1_000 });
  });
  process.on("disconnect", () => process.exit());
  process.send({ url });
}

function startHono() {
  const app = new Hono();
  app.post("/calls", async (c) => {
    const { arguments: given } = await c.req.json();
    const parsed = schema.safeParse(given);
    return parsed.success ? c.json({ status: "ok", result: { data: parsed.data.text } }) : c.json({}, 400);
  });
  return new Promise((resolve) => {
    serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
  });
}

async function startOurs(kind) {
  const facts = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
  const description = "Returns its text. Use in benches.";
  const execute = async ({ text }) => data(text);
  const tool = defineTool({ ...facts, name: "echo", description, schema, execute });
  const host = kind === "plain" ? createHost() : await openStored();
  host.coordinator.mount("tools", tool);
  const person = { name: "bench", sha256: hashToken(token), roles: ["call", "approve", "admin"] };
  const listen = { host: "127.0.0.1", port: 0 };
  const limits = { requests: "1000000/min" };
  const options = { authenticate: createTokenCheck([person]), listen, limits };
  const server = await serveHosts({ hosts: { default: { host } }, ...options });
  return `${server.url}/api/v1/hosts/default`;
}

async function openStored() {
  const { openStore } = await import("@toolmount/store");
  const { BENCH_DATABASE, BENCH_FOLDER } = process.env;
  const store = await openStore(BENCH_DATABASE ?? `sqlite:${join(BENCH_FOLDER, "state.db")}`, {
    audit: "durable",
  });
  return createHost({ store, audit: store.audit });
}

async function startChild(kind, more) {
  const child = fork(import.meta.filename, ["http-server", kind], { env: { ...process.env, ...more } });
  const [{ url }] = await once(child, "message");
  return { child, call: callAt(url) };
}

/** Makes one call, in a session of several. */
function callAt(url) {
  return async (session = "s") => {
    const body = JSON.stringify({ tool: "echo", arguments: { text: "hello" }, sessionId: session });
    const response = await fetch(`${url}/calls`, { method: "POST", headers, body });
    const { status } = await response.json();
    if (status !== "ok") throw new Error(`a call ended ${status} with HTTP ${response.status}`);
  };
}

/** Starts a server, and returns what makes calls of it and resolves to the processor time that they took, in milliseconds. */
async function start(kind, folder) {
  const { child, call } = await startChild(kind, { BENCH_FOLDER: folder });
  const used = async () => {
    child.send("used");
    return (await once(child, "message"))[0].ms;
  };
  const each = async () => {
    for (let at = 0; at < calls / clients; at++) await call();
  };
  return async () => {
    const before = await used();
    await Promise.all(Array.from({ length: clients }, each));
    return (await used()) - before;
  };
}

async function pair(kind) {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-http-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const [floor, row] = await Promise.all(["hono", kind].map((one) => start(one, folder)));
  return { floor, row };
}

/** The time of the same calls at one server of a Postgres, and at several: each call goes to the next one. */
async function several(size) {
  const { startPostgres } = await import("../packages/store/test/postgres.ts");
  const postgres = await startPostgres();
  process.on("exit", () => postgres.kill());
  const BENCH_DATABASE = await postgres.database("bench");
  const servers = await Promise.all(
    Array.from({ length: size }, () => startChild("stored", { BENCH_DATABASE })),
  );
  const over = (some) => () =>
    Promise.all(
      Array.from({ length: inFlight }, async (_, client) => {
        for (let at = 0; at < 10; at++) await some[(client + at) % some.length].call(`s${client}`);
      }),
    );
  return { floor: over(servers.slice(0, 1)), row: over(servers) };
}

/** The goal is 0.25 ms where a bare route takes 0.045. */
export const httpRows = {
  "http.call": {
    title: "a call over HTTP / a bare Hono route, CPU",
    goal: 5.6,
    gate: 7,
    make: () => pair("plain"),
  },
  "http.stored": {
    title: "the same with SQLite and a durable audit",
    goal: 10,
    gate: 25,
    make: () => pair("sqlite"),
  },
  // On a machine of two cores, which the servers share with their clients and Postgres.
  "http.two": {
    title: "calls at two servers / at one",
    goal: 0.8,
    gate: 1.2,
    pairs: 7,
    warmUp: 2,
    make: () => several(2),
  },
  "http.four": {
    title: "calls at four servers / at one",
    goal: 0.8,
    gate: 1.4,
    pairs: 7,
    warmUp: 2,
    make: () => several(4),
  },
};
