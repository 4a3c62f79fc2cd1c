// What `toolmount serve` costs as a gateway: whole processes, with a client of the official SDK before them and a server
// over stdio behind them.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { generateWorld } from "./start-world.mjs";

const command = join(import.meta.dirname, "../packages/cli/bin/toolmount.js");
const server = join(import.meta.dirname, "mcp-server.mjs");
const token = "tm_0123456789012345678901234567890123456789012";
const given = { left: 1, right: 2 };
const inFlight = 32;

/** A folder whose plan mounts a server of so many tools. */
function planned(tools) {
  const world = generateWorld({ packages: 0, tools: 0 });
  const source = { mcp: { command: process.execPath, args: [server, String(tools)] } };
  const plan = { version: 1, state: "memory", audit: "off", tools: [{ module: "bench", source }] };
  world.write("plan.json", JSON.stringify(plan));
  return world.folder;
}

async function connect(words, { cwd } = {}) {
  const [{ Client, StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]);
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const headers = { authorization: `Bearer ${token}` };
  const transport =
    words instanceof URL
      ? new StreamableHTTPClientTransport(words, { requestInit: { headers } })
      : new StdioClientTransport({ command: process.execPath, args: words, cwd, stderr: "ignore" });
  await client.connect(transport);
  return client;
}

const gateway = (cwd) => connect([command, "serve", "plan.json", "--stdio"], { cwd });
const add = (client) => client.callTool({ name: "add", arguments: given });

/** So many rounds of calls, all of a round in flight at once. */
const rounds = (client, count) => async () => {
  for (let at = 0; at < count; at++) await Promise.all(Array.from({ length: inFlight }, () => add(client)));
};

/** The same gateway before 1 tool and before 3,000. */
async function wide() {
  const [one, many] = await Promise.all([gateway(planned(1)), gateway(planned(3_000))]);
  return { floor: rounds(one, 15), row: rounds(many, 15) };
}

/** A call through the gateway over HTTP, and over stdio. */
async function overHttp() {
  const cwd = planned(1);
  const port = await freePort();
  const sha256 = createHash("sha256").update(token).digest("hex");
  const record = { name: "bench", user: "bench", roles: ["call"], sha256 };
  const { path, write } = generateWorld({ packages: 0, tools: 0 });
  write("tokens.json", JSON.stringify({ version: 1, tokens: [record] }));
  const words = ["serve", "plan.json", "--http", `127.0.0.1:${port}`, "--tokens", path("tokens.json")];
  chmodSync(path("tokens.json"), 0o600);
  const served = spawn(process.execPath, [command, ...words], {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
  });
  process.once("exit", () => served.kill());
  const http = await persist(() => connect(new URL(`http://127.0.0.1:${port}/mcp`)));
  const stdio = await gateway(cwd);
  const inTurn = (client) => async () => {
    for (let at = 0; at < 100; at++) await add(client);
  };
  return { floor: inTurn(stdio), row: inTurn(http) };
}

async function freePort() {
  const socket = createServer();
  await new Promise((done) => void socket.listen(0, "127.0.0.1", done));
  const { port } = socket.address();
  await new Promise((done) => void socket.close(done));
  return port;
}

async function persist(act) {
  for (let round = 0; ; round++) {
    try {
      return await act();
    } catch (error) {
      if (round === 100) throw error;
      await delay(100);
    }
  }
}

/** Hundredths of a second of a processor that a process has used. */
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** What a process uses until its first list of 1,000 tools is out: the server itself, and the gateway from a lock. */
function firstList() {
  const cwd = planned(1_000);
  const { status, stderr } = spawnSync(process.execPath, [command, "lock", "plan.json", "--accept"], { cwd });
  if (status !== 0) throw new Error(`the plan was not locked: ${stderr.toString()}`);
  const list = (words) => async () => {
    const client = await connect(words, { cwd });
    const { tools } = await client.listTools();
    if (tools.length !== 1_000) throw new Error(`${tools.length} tools were listed`);
    const used = processorTime(client.transport.pid);
    await client.close();
    return used;
  };
  return { floor: list([server, "1000"]), row: list([command, "serve", "plan.json", "--stdio"]) };
}

/** The memory that a gateway holds at the end of ten seconds with 32 calls in flight, or when it is quiet again, beside 150 MB. */
const memory = (quietMs) => async () => ({
  floor: () => 150,
  row: async () => {
    const client = await gateway(planned(3));
    const end = performance.now() + 10_000;
    while (performance.now() < end) await rounds(client, 10)();
    await delay(quietMs);
    const status = readFileSync(`/proc/${client.transport.pid}/status`, "utf8");
    await client.close();
    return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1_024;
  },
});

export const gatewayRows = {
  "gateway.wide": {
    title: "a gateway before 3,000 tools, 32 in flight, beside 1 tool",
    make: wide,
    goal: 1,
    gate: 1.11,
  },
  "gateway.http": {
    title: "a call through a gateway over HTTP, beside stdio",
    make: overHttp,
    goal: 1.3,
    gate: 3.5,
  },
  "gateway.list": {
    title: "CPU time to a first list of 1,000 tools from a lock",
    make: firstList,
    pairs: 9,
    warmUp: 1,
    goal: 1.3,
    gate: 4.5,
  },
  "gateway.memory": {
    title: "memory of a gateway that is quiet after load, beside 150 MB",
    make: memory(15_000),
    pairs: 3,
    warmUp: 0,
    goal: 1,
    gate: 1,
  },
  "gateway.load": {
    title: "memory of a gateway under load, beside 150 MB",
    make: memory(0),
    pairs: 3,
    warmUp: 0,
    goal: 1,
    gate: 2.5,
  },
};
