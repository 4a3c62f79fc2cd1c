// The second thread of watchdog.ts.
import { writeSync } from "node:fs";
import { Session } from "node:inspector";
import { workerData } from "node:worker_threads";
import type { WatchdogStart } from "./watchdog-memory.ts";

/** Milliseconds without a beat after which the main thread counts as blocked. */
const blockedMs = 1_000;

/** Milliseconds without a beat after which stderr names the call. */
const warnMs = 3_000;

/** Milliseconds past a call's deadline in which the host can still end the call in the usual way. */
const graceMs = 2_000;

/**
 * Milliseconds of processor time in which the main thread must react to a request, which native code never does.
 */
const killMs = 2_000;

const { memory, beatMs, cells } = workerData as WatchdogStart;

watch();

function watch(): void {
  let beats = 0n;
  let silentMs = 0;
  let done = new Set<string>();
  let isOver: (() => boolean) | undefined;
  let isHeld = respite(blockedMs);
  const once = (action: "release" | "warn" | "expire") => {
    if (done.has(action)) return false;
    done.add(action);
    evaluate(`globalThis[Symbol.for("toolmount.watchdog")].${action}()`);
    return true;
  };
  setInterval(() => {
    const now = Atomics.load(memory, cells.beats);
    const isAlive = now !== beats || Atomics.load(memory, cells.disk) === 1n;
    silentMs = isAlive ? 0 : silentMs + beatMs;
    if (isAlive) {
      beats = now;
      done = new Set();
      isOver = undefined;
      isHeld = respite(blockedMs);
    }
    if (silentMs < blockedMs) return;
    once("release");
    if (silentMs >= warnMs && Atomics.load(memory, cells.calls) > 0n) once("warn");
    if (pastDeadline() >= graceMs && isHeld() && once("expire")) isOver = respite(killMs);
    if (isOver?.() === true) kill();
  }, beatMs);
}

/** Milliseconds since the deadline of a running call; negative before it. */
function pastDeadline(): number {
  const deadline = Number(Atomics.load(memory, cells.deadline));
  return deadline === 0 ? Number.NEGATIVE_INFINITY : Date.now() - deadline;
}

/**
 * Starts a period of `ms` milliseconds of processor time; the returned function says whether it is over. A busy machine gives the
 * process little processor time, so a thread that only waits for its turn does not count as blocked. Native code that waits uses
 * none, and gets ten times as many milliseconds by the clock.
 */
function respite(ms: number): () => boolean {
  const [begin, cpuBegin] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpuBegin);
    return (user + system) / 1_000 >= ms || performance.now() - begin >= 10 * ms;
  };
}

/**
 * Runs code in the main thread, even while that is blocked. The session is closed, because an open one would keep the process
 * from ending, and Node would report it on stderr. Does nothing if Node was built without an inspector.
 */
function evaluate(expression: string): void {
  try {
    const session = new Session();
    session.connectToMainThread();
    session.post("Runtime.evaluate", { expression }, () => session.disconnect());
  } catch {}
}

function kill(): never {
  writeSync(
    2,
    "toolmount: a call blocks the thread in native code past its timeout; the process is killed\n",
  );
  process.kill(process.pid, "SIGKILL");
  throw new Error("killed");
}
