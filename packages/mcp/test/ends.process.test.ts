import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { config } from "../src/mount/config.ts";
import { Connection } from "../src/mount/connection.ts";
import { KnownWay } from "../src/mount/known-way.ts";
import { startProgram } from "../src/mount/process-tree.ts";
import { StdioTransport } from "../src/mount/stdio-transport.ts";

/** Starts a process that leads a group of its own, says so, and ends neither by its input nor by SIGTERM. */
const stubborn = `
  const { spawn } = require("node:child_process");
  const below = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
    detached: true,
    stdio: "ignore",
  });
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
  below.once("spawn", () => process.stdout.write("\\n"));
`;

test("a program that does not end in time is killed with everything below it, also other groups", async () => {
  const { env, word } = mark();
  const tree = await startProgram({
    command: process.execPath,
    args: ["-e", stubborn],
    env,
    cwd: undefined,
  });
  await new Promise((resolve) => tree.output.once("data", resolve));
  expect(processesWith(word)).toHaveLength(2);
  await tree.end();

  expect(await tree.exited).toMatchObject({ how: "it was ended by SIGKILL" });
  await expectGone(word);
});

test("a program that ended leaves no timer, so that a command that used it ends at once", async () => {
  // A process of its own has no timers of other tests.
  const source = new URL("../src/mount/process-tree.ts", import.meta.url).href;
  const program = `
    import { startProgram } from ${JSON.stringify(source)};
    const tree = await startProgram({ command: "/bin/cat", args: [], env: {}, cwd: undefined });
    await tree.end();
    process.stdout.write(String(process.getActiveResourcesInfo().includes("Timeout")));
  `;
  const words = ["-C", "@toolmount/source", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: import.meta.dirname });

  expect(stdout).toBe("false");
});

test("a connection that is closed while its server is silent ends the server, and does not wait for its answer", async () => {
  const { env, word } = mark();
  const settings = config.parse({
    name: "silent",
    command: process.execPath,
    args: ["-e", stubborn],
    env,
    startTimeoutMs: 3_600_000,
  });
  const known = new KnownWay();
  const connection = new Connection({
    settings,
    folder: undefined,
    toolFor: () => "",
    logger: silentLogger,
    known,
  });
  const connected = connection.client();
  connected.catch(() => {});
  await until(() => processesWith(word).length === 2);
  await connection.close();

  await expect(connected).rejects.toThrow("its host is closed");
  await expectGone(word);
});

test("a server that is closed while it is being started leaves no process", async () => {
  const { env, word } = mark();
  const program = { command: process.execPath, args: ["-e", stubborn], env, cwd: undefined };
  const transport = new StdioTransport({ ...program, maxMessageBytes: 1_000, logger: silentLogger });
  const started = transport.start();
  await Promise.all([started, transport.close()]);

  await expectGone(word);
});

/** 600 processes, half of them in groups of their own. */
const flood = "for i in $(seq 300); do sleep 60 & setsid sleep 60 & done; wait";

test.each([
  ["without a border", undefined],
  ["behind bubblewrap", { read: [], write: [], denied: [], cwd: "/tmp", network: false }],
])("a server that starts more than 512 processes is killed with all of them: %s", async (_where, sandbox) => {
  const { env, word } = mark();
  const program = { command: "/bin/sh", args: ["-c", flood], env, cwd: undefined, sandbox };
  const transport = new StdioTransport({ ...program, maxMessageBytes: 1_000, logger: silentLogger });
  await transport.start();
  await until(() => transport.ended !== undefined);

  expect(transport.ended).toBe("it was killed, because it started more than 512 processes");
  await expectGone(word);
});

test("a server over stdio that sends an object of 500,000 members ends before it is parsed", async () => {
  const { env, word } = mark();
  const wide = `console.log(JSON.stringify(Object.fromEntries(Array.from({ length: 500_000 }, (_, at) => ["k" + at, at]))))`;
  const program = { command: process.execPath, args: ["-e", wide], env, cwd: undefined };
  const transport = new StdioTransport({ ...program, maxMessageBytes: 64_000_000, logger: silentLogger });
  const errors: Error[] = [];
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK gives transports no other way
  transport.onerror = (error) => void errors.push(error);
  await transport.start();
  await until(() => errors.length > 0);

  expect(errors[0]?.message).toBe("a message has an object of more than 20000 members");
  await expectGone(word);
});

let count = 0;

/** A variable by which the processes of one test are found. */
function mark() {
  const value = `${process.pid}-${count++}`;
  return { env: { TOOLMOUNT_TEST_END: value }, word: `TOOLMOUNT_TEST_END=${value}\0` };
}

/** Processes of this machine whose environment has a word. Linux only. */
function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && `${readFileSync(`/proc/${pid}/environ`, "latin1")}\0`.includes(word);
    } catch {
      return false; // it has ended, or is another user's
    }
  });
}

/** A process that was killed is listed until its parent has read its end. */
async function expectGone(word: string): Promise<void> {
  await until(() => processesWith(word).length === 0);
  expect(processesWith(word)).toEqual([]);
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await delay(20);
}
