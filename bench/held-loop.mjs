#!/usr/bin/env node
// How long a flood of others holds up the loop of a host: the processor time of its longest turn, on its thread alone.
// Use: node -C @toolmount/source bench/held-loop.mjs [--json]. Needs Node 24.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PassThrough } from "node:stream";
import { parseArgs } from "node:util";
import { createHost, createMemoryStore, data, defineTool } from "@toolmount/core";
import { createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { findModelProvider } from "@toolmount/interop/internal";
import { openHost } from "@toolmount/loader";
import { serveStreams } from "@toolmount/mcp";
import { openStore } from "@toolmount/store";
import { z } from "zod";

const folder = mkdtempSync(join(tmpdir(), "toolmount-held-loop-"));
process.once("exit", () => rmSync(folder, { recursive: true }));

/** Milliseconds of the processor that this thread has used. */
function used() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The longest turn of the loop while something happens, and how that ended. */
async function measure(act) {
  let [longest, last, open] = [0, used(), true];
  const turn = () => {
    longest = Math.max(longest, used() - last);
    last = used();
    if (open) setImmediate(turn);
  };
  setImmediate(turn);
  const end = await act();
  longest = Math.max(longest, used() - last);
  open = false;
  return { longest: Math.round(longest * 10) / 10, end };
}

const endOf = ({ status, result }) => (status === "ok" ? "ok" : `${status} ${result.code}`);

/** A program of its own that prints a text, so that making it does not count. */
function printer(code) {
  return spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
}

const wideText = (members) =>
  `"{" + Array.from({ length: ${members} }, (_, at) => JSON.stringify("k" + at) + ":0").join() + "}"`;

async function textOf(code) {
  let text = "";
  for await (const part of printer(`(async () => process.stdout.write(${code}))()`).stdout.setEncoding(
    "utf8",
  ))
    text += part;
  return text;
}

/** The same floods from a module in a process, and from an MCP server. */
async function hostOf(entry) {
  return openHost({ tools: [entry] }, { cwd: import.meta.dirname });
}

const doors = {
  async "a process"() {
    const run = { in: "process", border: "none" };
    const host = await hostOf({ module: "./held-loop-tools.mjs", run });
    const flood = (act, count) => () =>
      host
        .call({ name: "flood", arguments: { act, count } }, { sessionId: act, onProgress: () => {} })
        .then(endOf);
    await flood("keys", 10)();
    const rows = {
      "50,000 calls without waiting": await measure(flood("calls", 50_000)),
      "a result of 500,000 members": await measure(flood("keys", 500_000)),
      "700 MB of session state": await measure(flood("state", 700)),
      "1,000,000 progress reports": await measure(flood("progress", 1_000_000)),
    };
    await host.close();
    return rows;
  },
  async "this process"() {
    const host = await hostOf({ module: "./held-loop-tools.mjs" });
    const rows = {
      "700 MB of session state": await measure(() =>
        host.call({ name: "flood", arguments: { act: "state", count: 20 } }, { sessionId: "s" }).then(endOf),
      ),
    };
    const given = await textOf(wideText(500_000));
    rows["arguments of a model with 500,000 members"] = await measure(() =>
      host.call({ name: "flood", arguments: given }).then(endOf),
    );
    await host.close();
    return rows;
  },
  async "a server of a model"() {
    const rows = {};
    for (const [what, type, text] of [
      ["an answer of 500,000 members", "application/json", wideText(500_000)],
      ["an event of 500,000 members", "text/event-stream", `"data: " + ${wideText(500_000)} + "\\n\\n"`],
    ]) {
      const server = printer(`
        const body = ${text};
        const server = require("node:http").createServer((_, to) => to.writeHead(200, { "content-type": "${type}" }).end(body));
        server.listen(0, "127.0.0.1", () => console.log(server.address().port));`);
      const [port] = await once(server.stdout, "data");
      const place = { baseUrl: `http://127.0.0.1:${Number(port)}/v1`, timeoutMs: 60_000 };
      const model = await findModelProvider("openai-compatible", null).open("m", place);
      const settings = { stream: type === "text/event-stream", parallelToolCalls: true, store: false };
      const request = { instructions: "", items: [], tools: [], previousResponseId: null, settings };
      const read = async () => {
        for await (const part of model.respond(request, { signal: AbortSignal.timeout(60_000) })) void part;
      };
      rows[what] = await measure(() =>
        read().then(
          () => "ok",
          ({ code }) => code,
        ),
      );
      server.kill();
    }
    return rows;
  },
  async "an MCP server"() {
    const mcp = { command: process.execPath, args: ["held-loop-server.mjs"], cwd: import.meta.dirname };
    const host = await hostOf({ module: "flood", source: { mcp } });
    const flood = (act, count) => () =>
      host.call({ name: "flood", arguments: { act, count } }, { onProgress: () => {} }).then(endOf);
    await flood("keys", 10)();
    const rows = {
      "a result of 500,000 members": await measure(flood("keys", 500_000)),
      "1,000,000 progress reports": await measure(flood("progress", 1_000_000)),
    };
    await host.close();
    return rows;
  },
  async "a client of our HTTP server"() {
    const token = "tm_of_the_held_loop";
    const host = echoHost();
    const person = { name: "bench", sha256: hashToken(token), roles: ["call"] };
    const listen = { host: "127.0.0.1", port: 0 };
    const authenticate = createTokenCheck([person]);
    const server = await serveHosts({ hosts: { default: { host } }, authenticate, listen });
    const post = (members) => () =>
      textOf(`await (async () => {
        const body = '{"tool":"echo","arguments":' + ${wideText(members)} + "}";
        const headers = { authorization: "Bearer ${token}", "content-type": "application/json" };
        const url = ${JSON.stringify(`${server.url}/api/v1/hosts/default/calls`)};
        return String((await fetch(url, { method: "POST", headers, body })).status);
      })()`);
    await post(10)();
    const rows = {
      "a body of 1 MB and 90,000 members": await measure(post(90_000)),
      "a body of 500,000 members": await measure(post(500_000)),
    };
    await server.close();
    await host.close();
    return rows;
  },
  async "a client of our MCP server"() {
    const host = echoHost();
    const send = (members) => async () => {
      const output = new PassThrough();
      const input = printer(
        `process.stdout.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":' + ${wideText(members)} + '}}\\n')`,
      ).stdout;
      const served = serveStreams(host, { input, output });
      let text = "";
      output.setEncoding("utf8").on("data", (part) => (text += part));
      await served.closed;
      return text.includes("error") ? "error -32600" : "ok";
    };
    await send(10)();
    const rows = { "a message of 500,000 members": await measure(send(500_000)) };
    await host.close();
    return rows;
  },
  async "a row of the store"() {
    const file = join(folder, "state.db");
    const store = await openStore(`sqlite:${file}`);
    const database = new DatabaseSync(file);
    const insert = database.prepare(
      "insert into session_entries (session_id, sequence, body) values (?, 1, ?)",
    );
    insert.run("s", await textOf(wideText(500_000)));
    database.close();
    const read = () =>
      store.sessions.entries("s").then(
        () => "ok",
        () => "refused",
      );
    const rows = { "an entry of 500,000 members": await measure(read) };
    await store.close();
    return rows;
  },
};

function echoHost() {
  const host = createHost({ store: createMemoryStore() });
  const facts = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
  const description = "Counts its arguments. Use in benches.";
  const execute = async (given) => data(Object.keys(given).length);
  host.coordinator.mount(
    "tools",
    defineTool({ ...facts, name: "echo", description, schema: z.looseObject({}), execute }),
  );
  return host;
}

const { values } = parseArgs({ options: { json: { type: "boolean" } } });
const table = [];
for (const [door, act] of Object.entries(doors))
  for (const [flood, { longest, end }] of Object.entries(await act()))
    table.push({ door, flood, longest, end });
if (values.json) console.log(JSON.stringify(table));
else
  for (const { door, flood, longest, end } of table)
    console.log(`${door.padEnd(28)} ${flood.padEnd(42)} ${String(longest).padStart(7)} ms  ${end}`);
process.exit();
