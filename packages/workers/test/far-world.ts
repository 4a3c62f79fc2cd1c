import { silentLogger, systemClock, type Clock, type RunnerControl, type RunnerJob } from "@toolmount/core";
import { onTestFinished } from "vitest";
import { FarProcess } from "../src/process/far-process.ts";

/** What a process does that speaks as the far side: `say` sends a message, and `on` gets each that comes. */
export const farSide = `
  const net = require("node:net");
  const socket = new net.Socket({ fd: 3 });
  const say = (message) => socket.write(JSON.stringify(message) + "\\n");
  let on = () => {};
  let rest = "";
  socket.on("data", (chunk) => {
    rest += chunk;
    const lines = rest.split("\\n");
    rest = lines.pop();
    for (const line of lines) on(JSON.parse(line));
  });
  socket.on("end", () => process.exit(0));
`;
/** It mounts its module, and does nothing more. */
export const mounts = `on = (m) => m.type === "mount" && say({ type: "mounted", keepsState: false });`;

export const module = { specifier: "file:///notes.js", config: {} };

/** Starts a process with a script, and notes what the host logs and announces. */
export function start(
  script: string,
  more: { startTimeoutMs?: number; use?: (used: object) => unknown; clock?: Clock } = {},
) {
  const logged: unknown[][] = [];
  const announced: unknown[][] = [];
  const logger = { ...silentLogger, warn: (...words: unknown[]) => void logged.push(words) };
  const { startTimeoutMs = 30_000, use = async () => undefined, clock = systemClock } = more;
  const grants = { hooks: [], capabilities: [], given: {} };
  const mount = {
    type: "mount",
    module,
    folder: "/",
    protectedPaths: [],
    secretPaths: [],
    describe: false,
    grants,
  };
  const far = new FarProcess({
    launch: { file: process.execPath, args: ["-e", farSide + script], env: { OWN: "yes" } },
    mount,
    memoryMb: undefined,
    startTimeoutMs,
    cwd: "/",
    clock,
    logger,
    services: { announce: (...words: unknown[]) => void announced.push(words), use },
  } as never);
  far.mounted.catch(() => {});
  onTestFinished(async () => {
    far.kill("the test is over");
    await far.ended;
  });
  return { far, logged, announced };
}

export const job = (runId: string) =>
  ({
    runId,
    tool: "pay",
    info: { tool: "pay", callId: "c", runId, depth: 0 },
    arguments: { a: 1 },
    timeoutMs: 0,
  }) as unknown as RunnerJob;

export function control(signal: AbortSignal = new AbortController().signal): RunnerControl {
  const session = { snapshot: () => ({ kept: 1 }), get: () => undefined, set: () => {}, delete: () => true };
  const definition = { category: "write" };
  return { signal, session, definition, progress: () => {}, call: async () => ({ status: "ok" }) } as never;
}

/** A clock on which the time that a stopped call may take is over when the test says so. */
export function patientClock(): Clock & { over(): void } {
  const waiting = new Set<() => void>();
  return {
    ...systemClock,
    setTimer(callback, ms) {
      if (ms !== 250) return systemClock.setTimer(callback, ms);
      waiting.add(callback);
      return { cancel: () => void waiting.delete(callback), keepAlive: () => {} };
    },
    over() {
      waiting.forEach((callback) => callback());
    },
  };
}
