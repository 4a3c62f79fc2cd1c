import type { Clock } from "@toolmount/core";
import { usageOf } from "@toolmount/paths/system";
import type { Launch } from "../border/border.ts";

/** Milliseconds between two measurements: of a process with and without a limit of memory, while a call runs and between calls. */
const measureMs = { limited: { busy: 50, idle: 250 }, unlimited: { busy: 250, idle: 1_000 } } as const;

/** Most processes that a process may be together with those that it started. */
const maxProcesses = 512;

interface Limits {
  readonly clock: Clock;
  readonly launch: Launch;
  readonly memoryMb: number | undefined;
}

interface WatchedProcess {
  kill(because: string): void;
  readonly ended: Promise<unknown>;
}

/** Measures a process until it has ended: a tool can allocate, and start processes, after its answer. */
export function watchUsage(
  pid: number,
  { clock, launch, memoryMb = Number.POSITIVE_INFINITY }: Limits,
  isBusy: () => boolean,
  watched: WatchedProcess,
): void {
  const folders = launch.foldersInMemory ?? [];
  const pause = measureMs[Number.isFinite(memoryMb) ? "limited" : "unlimited"];
  const measure = () => {
    const usage = usageOf(pid, { maxProcesses: maxProcesses + 1, folders });
    if (usage === undefined) return;
    if (usage.processes > maxProcesses)
      return watched.kill(`it was killed, because it started more than ${maxProcesses} processes`);
    if (usage.bytes > memoryMb * 1_048_576)
      return watched.kill(`it was killed, because it used more than ${memoryMb} MB`);
    timer = clock.setTimer(measure, isBusy() ? pause.busy : pause.idle);
    timer.keepAlive(false);
  };
  let timer = clock.setTimer(measure, pause.busy);
  timer.keepAlive(false);
  void watched.ended.then(() => timer.cancel());
}
