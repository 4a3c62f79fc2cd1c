import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { nodeFlags } from "./support/program.ts";

/** Hosts that end in each way. Twelve ways with fourteen hosts each are more than 2,000 processes. */
const hosts = process.env["TOOLMOUNT_LONG"] === "1" ? 14 : 1;

const program = join(import.meta.dirname, "support/busy-host.ts");

/** A tool that starts programs and then holds its process up for good. Node's permission model lets it start none. */
const busy = `
import { spawn } from "node:child_process";
export const busy = {
  name: "busy",
  description: "Keeps processes busy. Use in tests. Not for anything else.",
  schema: { type: "object", properties: { border: { type: "string" } }, additionalProperties: false },
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  timeout: 600000,
  async execute({ border }, { progress }) {
    if (border !== "permission")
      for (const detached of [true, false])
        spawn("/bin/sleep", [process.env.BUSY_MARK], { detached, stdio: "ignore" });
    progress({ progress: 1 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (;;);
  },
};
`;

/** A server over stdio that ends neither with its input nor by SIGTERM. */
const server = `
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tool = { name: "busy", description: "Keeps processes busy. Use in tests.", inputSchema: { type: "object" } };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "busy", version: "1.0.0" };
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") say({ id, result: { tools: [tool] } });
  else if (method === "tools/call") {
    for (const detached of [true, false]) spawn("/bin/sleep", [process.argv[2]], { detached, stdio: "ignore" });
    const { progressToken } = params._meta;
    say({ method: "notifications/progress", params: { progressToken, progress: 1 } });
  } else say({ id, error: { code: -32601, message: "there is no such method" } });
});
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolmount-busy-"));
  writeFileSync(join(folder, "busy.mjs"), busy);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "server.mjs"),
    server.replaceAll("@modelcontextprotocol/server", (name) => name),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bySignal = (signal: NodeJS.Signals) => (host: ChildProcess) => void host.kill(signal);
const byItself = (how: string) => (host: ChildProcess) => void host.stdin!.write(how);

const ways: readonly (readonly [string, (host: ChildProcess) => void])[] = [
  ...(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGSEGV", "SIGBUS"] as const).map(
    (signal) => [signal, bySignal(signal)] as const,
  ),
  ...["exit", "abort", "throw", "reject", "fill the heap"].map((how) => [how, byItself(how)] as const),
];

let seen = 0;

test.runIf(process.platform === "linux").each(ways)(
  "a host that ends by %s leaves no process of any program that it started",
  async (way, end) => {
    for (let at = 0; at < hosts; at++) {
      const mark = `6${ways.findIndex(([name]) => name === way)}${at}.${process.pid}`;
      const flags = ["--max-old-space-size=300", ...nodeFlags];
      const host = spawn(process.execPath, [...flags, program, folder, mark], {
        stdio: ["pipe", "pipe", "pipe"],
      });
      const said = text(host.stderr);
      const ended = once(host, "exit");
      const [first] = (await Promise.race([once(host.stdout, "data"), ended])) as [unknown];
      if (String(first) !== "ready\n") throw new Error(await said);
      const before = processesWith(mark).filter((pid) => pid !== host.pid);
      seen += before.length;
      end(host);
      await ended;

      await vi.waitFor(() => expect(processesWith(mark).map(commandOf)).toEqual([]), { timeout: 120_000 });
      expect(before.length).toBeGreaterThan(12);
    }
    process.stdout.write(`${way}: ${seen} processes so far, 0 left\n`);
  },
);

/** Process ids of the processes with a word in their command line or their environment. */
function processesWith(word: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => commandOf(pid).includes(word) || fileOf(pid, "environ").includes(word));
}

function commandOf(pid: number): string {
  return fileOf(pid, "cmdline").replaceAll("\0", " ").slice(0, 200);
}

function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
