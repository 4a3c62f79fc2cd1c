import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { world, type World } from "./world.ts";

/** What a process asks of its host is counted: it cannot fill the host's memory or keep it busy. */
let far: World;
/** A process sees it, and a file in it starts what happens after an answer. */
let box: string;
beforeAll(async () => {
  box = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-metered-")));
  far = await world({ border: "none" }, { limits: { timeoutMs: 600_000, graceMs: 20_000 } });
});
afterAll(async () => {
  await far[Symbol.asyncDispose]();
  rmSync(box, { recursive: true });
});

const session = { sessionId: "s" };

test("a process that sets 700 MB of a session's state ends with the first MB too many", async () => {
  const outcome = await far.act("fill the state", 700, session);

  expect(outcome).toMatchObject({ status: "failed", result: { code: "TOOL_FAILED" } });
  expect(outcome.result.error).toContain("does not fit into the session's state");
  const { state } = far.host.session("s");
  expect([state.get("k15"), state.get("k16")]).toEqual(["x".repeat(1_000_000), undefined]);
  expect((await far.act("data")).result.data).toEqual({ sum: 3 });
});

test("a process that sets a value nested too deep ends its call, and not the host", async () => {
  const outcome = await far.act("forge a deep value", undefined, { sessionId: "deep" });

  expect(outcome).toMatchObject({ status: "failed", result: { code: "TOOL_FAILED" } });
  expect(outcome.result.error).toContain("64 levels");
  expect((await far.act("data")).result.data).toEqual({ sum: 3 });
});

test("a result with an object of 500,000 members ends its call, and does not leave its process", async () => {
  const { status, result } = await far.act("return many keys", 500_000);

  expect({ status, code: result.code }).toEqual({ status: "unknown", code: "CONTRACT_VIOLATION" });
  expect(result.error).toContain("an object of more than 20000 members");
});

test("a message with an object of 500,000 members ends its process before the host parses it", async () => {
  const outcome = await far.act("forge a wide value", 500_000);

  expect(outcome).toMatchObject({ status: "failed", result: { code: "TOOL_FAILED" } });
  expect(outcome.result.error).toContain("it sent an object of more than 20000 members");
  expect((await far.act("return many keys", 10_000)).status).toBe("ok");
});

test("a million progress reports of a process are a few messages, and the last one arrives", async () => {
  const heard: number[] = [];

  const outcome = await far.act("much progress", undefined, {
    onProgress: ({ progress }) => heard.push(progress),
  });

  expect(outcome).toMatchObject({ status: "ok", result: { data: "done" } });
  expect(heard).toEqual([...Array.from({ length: 100 }, (_, at) => at + 1), 1_000_000]);
});

test.each([
  { width: 60, levels: 1, most: 17 },
  { width: 17, levels: 2, most: 33 },
])(
  "$width calls at once of each call, $levels levels deep, have at most $most processes, and each of them ends",
  async ({ width, levels, most }) => {
    await using flooded = await world(
      { border: "none" },
      { limits: { timeoutMs: 600_000, graceMs: 1, concurrent: 1_000 } },
    );
    const { result } = await flooded.act("tree", { width, levels });

    const pids = result.data as readonly number[];
    expect(pids).toHaveLength(levels === 1 ? 1 + width : 1 + width + width * width);
    expect(new Set(pids).size).toBeLessThanOrEqual(most);
  },
);

test("a process that sends messages without end is killed, and the host has read a bounded number", async () => {
  let read = 0;
  const logger = { ...silentLogger, info: () => void read++, child: () => logger };
  const flooded = await world({ border: "none" }, { logger, limits: { timeoutMs: 600_000 } });

  const outcome = await flooded.act("log without end");
  await flooded[Symbol.asyncDispose]();

  expect(outcome).toMatchObject({ status: "failed", result: { code: "TOOL_FAILED" } });
  expect(outcome.result.error).toContain("sent more than 100000 messages");
  expect(read).toBeGreaterThan(99_000);
  expect(read).toBeLessThan(400_000);
});

test("a process that sends more than its host reads waits for its host, and keeps nothing in memory", async () => {
  const counter = join(box, "sent");
  let read = 0;
  let ahead = 0;
  const info = () => {
    read++;
    if (read % 100 === 0) ahead = Math.max(ahead, Number(readFileSync(counter).readBigInt64LE()) - read);
  };
  const logger = { ...silentLogger, info, child: () => logger };
  await using flooded = await world({ border: "none" }, { logger, limits: { timeoutMs: 600_000 } });

  const { result } = await flooded.act("log and count", counter);

  expect({ result, read }).toMatchObject({ result: { data: "done" }, read: 50_000 });
  // Sockets hold some hundred of these messages.
  expect(ahead).toBeLessThan(5_000);
});

test.runIf(process.platform === "linux")(
  "a process that grows after its answer is killed at its limit of memory",
  async () => {
    const small = await world({ border: "none", memoryMb: 256 });
    const start = join(box, "grow");
    const { result } = await small.act("grow after the answer", start);
    expect(result).toMatchObject({ data: expect.any(Number) });
    writeFileSync(start, "");

    await vi.waitFor(() => expect(existsSync(`/proc/${String(result.data)}`)).toBe(false), {
      timeout: 120_000,
    });

    expect((await small.act("data")).result.data).toEqual({ sum: 3 });
    await small[Symbol.asyncDispose]();
  },
);

/** In CI bubblewrap is always there. */
const sandboxIsTested =
  process.env["CI"] !== undefined || spawnSync("bwrap", ["--version"]).error === undefined;

describe.runIf(sandboxIsTested)("behind bubblewrap", () => {
  const limits = { timeoutMs: 600_000, graceMs: 20_000 };

  test("files in /tmp count as memory, also after the answer", async () => {
    const run = { border: "bubblewrap", memoryMb: 256, processes: 1, read: [box] };
    await using small = await world(run, { limits, folder: box });
    const start = join(box, "fill");
    // A new process has only the granted folders in /tmp; this repository may be in it, too.
    const listed = async () => (await small.act("list", "/tmp")).result.data;
    const fresh = await listed();
    const { result } = await small.act("fill /tmp after the answer", start);
    expect(result).toMatchObject({ data: expect.any(Number) });
    expect(await listed()).not.toEqual(fresh);
    writeFileSync(start, "");
    await vi.waitFor(async () => expect(await listed()).toEqual(fresh), { timeout: 120_000 });
  });

  test("/tmp has an end", async () => {
    await using small = await world({ border: "bubblewrap", memoryMb: 512 }, { limits });
    const { result } = await small.act("write more into /tmp than fits");

    expect(result.error).toMatch(/ENOSPC|used more than 512 MB/);
  });

  test.each(["none", "bubblewrap", "srt"])(
    "a process that starts others without end is killed: %s",
    async (border) => {
      await using bomb = await world({ border }, { limits });
      const outcome = await bomb.act("start processes without end");

      expect(outcome).toMatchObject({ status: "failed", result: { code: "TOOL_FAILED" } });
      expect(outcome.result.error).toContain("it started more than 512 processes");
      expect((await bomb.act("data")).result.data).toEqual({ sum: 3 });
    },
    600_000,
  );
});
