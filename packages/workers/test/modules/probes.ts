// A module for tests of runners: its tools do what a call of them asks for.
import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { connect } from "node:net";
import {
  data,
  defineTool,
  failure,
  ToolError,
  ToolInterrupt,
  type Coordinator,
  type ToolContext,
  type ToolReturn,
} from "@toolmount/core";
import { z } from "zod";
import { attempts, type Target } from "./escapes.ts";

type Act = (context: ToolContext, value: unknown) => unknown;

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

const forever = () => new Promise<never>(() => {});

/** Runs `act` when a file exists: the test makes it once it has the answer of the call. */
function whenMade(file: unknown, act: () => void): void {
  const asked = setInterval(() => {
    if (!existsSync(String(file))) return;
    clearInterval(asked);
    act();
  }, 20);
}

class Point {
  readonly x = 1;
}

/** What a tool returns or throws. */
const answers: Readonly<Record<string, Act>> = {
  data: () => data({ sum: 3 }),
  nothing: () => data(undefined),
  content: () => data(1, { content: [{ type: "text", text: "hello" }], warnings: ["slow"] }),
  failure: () => failure("no such city", { code: "CITY_UNKNOWN", details: { city: "X" } }),
  "may have run": () => failure("no answer came", { code: "CITY_SILENT", mayHaveRun: true }),
  throw: () => {
    throw new Error("connect to postgres://root:hunter2@db failed");
  },
  reject: () => Promise.reject(new TypeError("x is not a function")),
  "tool error": () => {
    throw new ToolError("the city is closed", { code: "CLOSED", details: { until: "May" } });
  },
  "throw null": () => throwValue(null),
  "throw undefined": () => throwValue(undefined),
  "throw 0": () => throwValue(0),
  "throw text": () => throwValue("text"),
  "throw object": () => throwValue({}),
  "throw symbol": () => throwValue(Symbol("s")),
  "return nothing": () => undefined,
  "return text": () => "done",
  "return list": () => [1],
  "return empty": () => ({}),
  "return both": () => ({ data: 1, error: "x" }),
  "return success": () => ({ data: 1, success: true }),
  "return stray": () => ({ data: 1, colour: "red" }),
  "return date": () => data({ at: new Date(0) }),
  "return NaN": () => data({ n: Number.NaN }),
  "return bigint": () => data(1n),
  "return class": () => data(new Point()),
  "return cycle": () => {
    const ring: Record<string, unknown> = {};
    ring["ring"] = ring;
    return data(ring);
  },
  "return deep": () => {
    let value: unknown = 1;
    for (let level = 0; level < 100; level++) value = [value];
    return data(value);
  },
  "host code": () => ({ error: "x", code: "TIMED_OUT" }),
  "large text": () => data("line\n".repeat(200_000)),
  "whole result": () => ({ tool: "probe", fetchedAt: "2026-01-01T00:00:00Z", data: 1 }),
};

function throwValue(value: unknown): never {
  throw value;
}

/** What a tool does with its call. */
const services: Readonly<Record<string, Act>> = {
  context: ({ sessionId, userId, depth, tool }) => data({ sessionId, userId, depth, tool }),
  progress: ({ progress }) => {
    for (let at = 1; at <= 3; at++) progress({ progress: at, total: 3, message: `step ${at}` });
    return data("done");
  },
  "nested call": async ({ call }, value) =>
    data((await call({ name: "probe", arguments: { act: "context", value: value as never } })).result.data),
  /** Each call makes as many, down to a depth; the result has the process of every call. */
  tree: async ({ call, depth }, value) => {
    const { width, levels } = value as { width: number; levels: number };
    if (depth === levels) return data([process.pid]);
    const request = { name: "probe", arguments: { act: "tree", value: value as never } };
    const outcomes = await Promise.all(Array.from({ length: width }, () => call(request)));
    return data([process.pid, ...outcomes.flatMap(({ result }) => result.data as number[])]);
  },
  "endless nesting": async ({ call }) => {
    const { result } = await call({ name: "probe", arguments: { act: "endless nesting" } });
    return result.error === undefined ? data(result.data) : data({ stopped: result.code });
  },
  count: ({ session }) => {
    const count = ((session.get("count") as number | undefined) ?? 0) + 1;
    session.set("count", count);
    return data(count);
  },
  "fill the state": ({ session }, count) => {
    for (let n = 0; n < Number(count); n++) session.set(`k${n}`, "x".repeat(1_000_000));
    return data("filled");
  },
  "return many keys": (_, count) =>
    data(Object.fromEntries(Array.from({ length: Number(count) }, (_each, at) => [`k${at}`, at]))),
  "much progress": ({ progress }) => {
    for (let at = 1; at <= 1_000_000; at++) progress({ progress: at });
    return data("done");
  },
  "log without end": async ({ logger }) => {
    for (let n = 1; ; n++) {
      logger.info({}, "again");
      if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  },
  "log and count": ({ logger }, counter) => {
    const count = new BigInt64Array(1);
    const file = openSync(String(counter), "w");
    for (let n = 1; n <= 50_000; n++) {
      logger.info({ text: "x".repeat(1_000) }, "again");
      count[0] = BigInt(n);
      writeSync(file, count, 0, 8, 0);
    }
    closeSync(file);
    return data("done");
  },
  "fill /tmp after the answer": (_, start) => {
    writeFileSync("/tmp/first", ""); // until this process has gone
    whenMade(start, () => {
      // The process itself stays small.
      const bytes = Buffer.alloc(16_777_216);
      for (let at = 0; at < 13; at++) writeFileSync(`/tmp/part-${at}`, bytes);
    });
    return data(process.pid);
  },
  "write more into /tmp than fits": () => {
    const bytes = Buffer.alloc(16_777_216);
    try {
      for (let at = 0; at < 64; at++) writeFileSync(`/tmp/part-${at}`, bytes);
    } catch (error) {
      return failure(String((error as NodeJS.ErrnoException).code));
    }
    return data("all of it");
  },
  "start processes without end": () => {
    const started = setInterval(() => {
      for (let at = 0; at < 100; at++)
        spawn("/bin/sleep", ["600"], { stdio: "ignore" }).on("error", () => {});
    }, 10);
    return new Promise((resolve) => setTimeout(resolve, 600_000, started));
  },
  "grow after the answer": (_, start) => {
    whenMade(start, () => keep.push(Buffer.alloc(400 * 1024 * 1024, 1)));
    return data(process.pid);
  },
  forget: ({ session }) => data(session.delete("count")),
  interrupt: () => {
    throw new ToolInterrupt({ ask: "sure?" });
  },
  "stop well": async ({ abortSignal, progress }) => {
    progress({ progress: 1 });
    await untilAborted(abortSignal);
    return data({ done: "half" });
  },
  "stop badly": async ({ abortSignal, progress }) => {
    progress({ progress: 1 });
    await untilAborted(abortSignal);
    abortSignal.throwIfAborted();
  },
  "never stop": ({ progress }) => {
    progress({ progress: 1 });
    return forever();
  },
  block: ({ progress }) => {
    progress({ progress: 1 });
    for (;;);
  },
  "block in a syscall": ({ progress }) => {
    progress({ progress: 1 });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  pid: () => data(process.pid),
};

const keep: unknown[] = [];

/** Ways for a process to die. */
const deaths: Readonly<Record<string, Act>> = {
  "exit 0": () => process.exit(0),
  "exit 1": () => process.exit(1),
  abort: () => process.abort(),
  SIGKILL: () => (process.kill(process.pid, "SIGKILL"), forever()),
  SIGSEGV: () => (process.kill(process.pid, "SIGSEGV"), forever()),
  SIGTERM: () => (process.kill(process.pid, "SIGTERM"), forever()),
  "throw after return": () => (setTimeout(() => throwValue(new Error("late")), 0), forever()),
  "reject after return": () => (void Promise.reject(new Error("late")), forever()),
  "heap full": () => {
    for (;;) keep.push(Array.from({ length: 100_000 }, (_, at) => at));
  },
  "buffers full": async () => {
    for (;;) {
      keep.push(Buffer.alloc(16 * 1024 * 1024, 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  "close the channel": () => {
    throw new Error("only a tool of bad will does this; see forge");
  },
};

/** What code of bad will tries. Each reports what it could do. */
const escapes: Readonly<Record<string, Act>> = {
  read: (_, path) => attempt(() => readFileSync(String(path), "utf8").slice(0, 20)),
  list: (_, path) => attempt(() => readdirSync(String(path)).length),
  write: (_, path) => attempt(() => (writeFileSync(String(path), "written"), "written")),
  link: (_, path) => attempt(() => (symlinkSync("/etc/hostname", String(path)), "linked")),
  spawn: () => attempt(() => String(spawnSync("/bin/sh", ["-c", "echo ran"], { encoding: "utf8" }).stdout)),
  orphan: () =>
    attempt(() => {
      const child = spawn("/bin/sleep", ["600"], { detached: true, stdio: "ignore" });
      child.unref();
      return child.pid;
    }),
  environment: () =>
    data({
      own: { ...process.env },
      report: process.report.getReport(),
      proc: tried(() => readFileSync("/proc/self/environ", "utf8")),
      program: tried(() => String(spawnSync("/usr/bin/env", { encoding: "utf8" }).stdout)),
    }),
  descriptors: () => attempt(() => readdirSync("/proc/self/fd").length),
  processes: () => attempt(() => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length),
  "signal the host": (_, pid) => attempt(() => process.kill(Number(pid), 0)),
  "environment of the host": (_, pid) =>
    attempt(() => readFileSync(`/proc/${String(pid)}/environ`, "utf8").length),
  sqlite: async (_, path) => {
    try {
      const { DatabaseSync } = await import("node:sqlite");
      new DatabaseSync(String(path)).close();
      return data({ got: "opened" });
    } catch (error) {
      return data({ refused: (error as { code?: string }).code ?? "error" });
    }
  },
  connect: (_, port) =>
    new Promise((resolve) => {
      const end = (value: object) => resolve(data(value));
      try {
        connect(Number(port), "127.0.0.1")
          .once("connect", () => end({ got: "connected" }))
          .once("error", (error) => end({ refused: (error as { code?: string }).code }));
      } catch (error) {
        end({ refused: (error as { code?: string }).code });
      }
    }),
  // A line that is no message of the protocol.
  forge: () => (writeFileSync(3, '{"type":"returned"}\n'), forever()),
  garbage: () => (writeFileSync(3, "\0\0garbage\n"), forever()),
  "forge a deep value": ({ runId }) => {
    const value = `${"[".repeat(100)}1${"]".repeat(100)}`;
    writeFileSync(3, `{"type":"set","runId":${JSON.stringify(runId)},"key":"k","value":${value}}\n`);
    return forever();
  },
  "forge a wide value": ({ runId }, count) => {
    const members = Array.from({ length: Number(count) }, (_, at) => `"k${at}":0`).join();
    writeWhole(`{"type":"returned","runId":${JSON.stringify(runId)},"value":{"data":{${members}}}}\n`);
    return forever();
  },
  "forge another run": ({ runId }) => {
    const text = JSON.stringify({ type: "returned", runId: `${runId}0`, value: { data: "forged" } });
    writeFileSync(3, `${text}\n`);
    return data("own");
  },
};

/** Writes to the host although the channel takes only a part at a time. */
function writeWhole(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;)
    try {
      at += writeSync(3, bytes, at);
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error;
    }
}

function tried(act: () => string): string {
  try {
    return act();
  } catch {
    return "";
  }
}

function attempt(act: () => unknown): ToolReturn {
  try {
    return data({ got: act() ?? null });
  } catch (error) {
    return data({ refused: (error as { code?: string }).code ?? String(error) });
  }
}

/** Makes an attempt of `escapes.ts`: `value` has its name and its target. */
const tries: Readonly<Record<string, Act>> = {
  attempt: async (_, value) => {
    const { what, target } = value as { what: string; target: Target };
    try {
      return data({ got: JSON.stringify((await attempts[what]!(target)) ?? null).slice(0, 40) });
    } catch (error) {
      return data({ refused: (error as { code?: string }).code ?? String(error) });
    }
  },
};

const acts = { ...tries, ...answers, ...services, ...deaths, ...escapes };

const probe = defineTool({
  name: "probe",
  description: "Does what a test of runners asks for. Use it in tests. Not for anything else.",
  schema: z.strictObject({ act: z.string(), value: z.json().optional() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: (async ({ act, value }: { act: string; value?: unknown }, context: ToolContext) =>
    acts[act]!(context, value)) as never,
});

export function mount(coordinator: Coordinator): void {
  coordinator.mount("tools", probe);
}
