// The code of the second thread that watchdog.ts starts.
import { writeSync } from "node:fs";
import { Session } from "node:inspector";
import { workerData } from "node:worker_threads";
import type { WatchdogStart } from "./watchdog-memory.ts";

/** Milliseconds without a beat after which the main thread counts as blocked. */
const blockedMs = 1_000;

/** Milliseconds without a beat after which stderr names the blocking call. */
const warnMs = 3_000;

/** Milliseconds after a call's deadline in which the host can still end the call itself. */
const graceMs = 2_000;

/** Milliseconds of processor time that the main thread has to react to a request. Native code that blocks it does not react. */
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

/** Returns the milliseconds since the earliest deadline; negative before it, and minus infinity if no call runs. */
function pastDeadline(): number {
  const deadline = Number(Atomics.load(memory, cells.deadline));
  return deadline === 0 ? Number.NEGATIVE_INFINITY : Date.now() - deadline;
}

/**
 * Begins a period of `ms` milliseconds of processor time; the returned function tests whether it is over. On a busy machine the
 * process gets little processor time, so a main thread that only waits for a processor does not count as blocked. Blocking code
 * that uses no processor time gets `10 * ms` milliseconds by the clock.
 */
function respite(ms: number): () => boolean {
  const [begin, cpuBegin] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpuBegin);
    return (user + system) / 1_000 >= ms || performance.now() - begin >= 10 * ms;
  };
}

/**
 * Runs code in the main thread, even while that thread is blocked. Then closes the session, because an open session would keep
 * the process from ending, and Node would report this on stderr. Does nothing if Node was built without an inspector.
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
