// What one call costs a server in processor time, beside a bare Hono route with the same schema and function: without a
// store, and with SQLite and a durable audit. Each server is a process of its own, so that its clients do not count.
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
  const store = await openStore(`sqlite:${join(process.env.BENCH_FOLDER, "state.db")}`, { audit: "durable" });
  return createHost({ store, audit: store.audit });
}

/** Starts a server, and returns what makes calls of it and resolves to the processor time that they took, in milliseconds. */
async function start(kind, folder) {
  const child = fork(import.meta.filename, ["http-server", kind], {
    env: { ...process.env, BENCH_FOLDER: folder },
  });
  const [{ url }] = await once(child, "message");
  const used = async () => {
    child.send("used");
    return (await once(child, "message"))[0].ms;
  };
  const body = JSON.stringify({ tool: "echo", arguments: { text: "hello" }, sessionId: "s" });
  const call = async () => {
    const response = await fetch(`${url}/calls`, { method: "POST", headers, body });
    const { status } = await response.json();
    if (status !== "ok") throw new Error(`a call ended ${status} with HTTP ${response.status}`);
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
};
