#!/usr/bin/env node
// What an idle session and an open stream cost a server in memory: the live heap after a collection, before and after many.
// Use: node bench/http-memory.mjs [--json]. The server is a process of its own, so that its clients do not count.
import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { createHost, createMemoryStore, data, defineTool } from "@toolmount/core";
import { createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { z } from "zod";

const token = "tm_of_the_memory_bench";
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
/** Sessions, and streams, that are measured; as many calls before warm the server up. */
const count = 200;
/** Streams of one person: more are refused. */
const streamsEach = 20;

if (process.send === undefined) await report();
else await serve();

/** The server: it answers each message with its live heap. */
async function serve() {
  const host = createHost({ store: createMemoryStore() });
  const execute = async ({ text }) => data(text);
  const schema = z.strictObject({ text: z.string() });
  const facts = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
  const description = "Returns its text. Use in benches.";
  host.coordinator.mount("tools", defineTool({ ...facts, name: "echo", description, schema, execute }));
  const person = (name, secret) => ({ name, sha256: hashToken(secret), roles: ["call", "approve", "admin"] });
  const people = Array.from({ length: count / streamsEach }, (_, at) =>
    person(`bench ${at}`, `${token}${at}`),
  );
  const authenticate = createTokenCheck([person("bench", token), ...people]);
  const listen = { host: "127.0.0.1", port: 0 };
  const server = await serveHosts({ hosts: { default: { host } }, authenticate, listen });
  process.on("message", () => {
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.send({ heap: heapUsed + external, rss });
  });
  process.send({ url: server.url });
}

async function report() {
  const { values } = parseArgs({ options: { json: { type: "boolean" } } });
  const child = fork(import.meta.filename, { execArgv: [...process.execArgv, "--expose-gc"] });
  const [{ url }] = await once(child, "message");
  const measure = async () => {
    child.send("measure");
    return (await once(child, "message"))[0];
  };
  const figures = await compare(`${url}/api/v1/hosts/default`, measure);
  child.kill();
  if (values.json) console.log(JSON.stringify(figures));
  else for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(20)} ${value} KB`);
  // Its streams are open.
  process.exit();
}

async function compare(host, measure) {
  const call = async (sessionId) => {
    const body = JSON.stringify({ tool: "echo", arguments: { text: "hello" }, sessionId });
    await (await fetch(`${host}/calls`, { method: "POST", headers, body })).json();
  };
  for (let at = 0; at < count; at++) await call("warm");
  const before = await measure();
  for (let at = 0; at < count; at++) await call(`session-${at}`);
  const withSessions = await measure();
  for (let at = 0; at < count; at++)
    await openStream(`${host}/events`, `${token}${Math.floor(at / streamsEach)}`);
  const withStreams = await measure();
  const each = (after, first) => Math.round((after.heap - first.heap) / count / 102.4) / 10;
  return {
    "idle session": each(withSessions, before),
    "open stream": each(withStreams, withSessions),
    "whole process": Math.round(withStreams.rss / 1_024),
  };
}

/** Opens a stream of events of one person, and keeps it open. */
async function openStream(url, secret) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${secret}` } });
  if (!response.ok) throw new Error(`a stream was refused: ${await response.text()}`);
  await response.body.getReader().read();
}
