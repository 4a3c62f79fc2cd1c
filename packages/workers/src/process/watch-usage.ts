import type { Clock } from "@toolmount/core";
import { createControlGroup, usageOf, type ControlGroup } from "@toolmount/sandbox";
import type { Launch } from "@toolmount/sandbox";

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

/**
 * Keeps a process within its memory and its number of processes until it has ended: a tool can allocate, and start processes,
 * after its answer. It is measured, and where Linux lets this process make control groups, the kernel keeps the limits, too.
 */
export class UsageLimits {
  readonly #limits: Limits;
  readonly #group: ControlGroup | null;

  constructor({ clock, launch, memoryMb }: Limits) {
    this.#limits = { clock, launch, memoryMb };
    this.#group = createControlGroup({ processes: maxProcesses, memoryMb });
  }

  /** What is started. */
  get command(): Pick<Launch, "file" | "args"> {
    const { file, args } = this.#limits.launch;
    return this.#group?.launch(file, args) ?? { file, args };
  }

  watch(pid: number, isBusy: () => boolean, watched: WatchedProcess): void {
    const { clock, launch, memoryMb = Number.POSITIVE_INFINITY } = this.#limits;
    const folders = launch.foldersInMemory ?? [];
    const pause = measureMs[Number.isFinite(memoryMb) ? "limited" : "unlimited"];
    const measure = () => {
      const usage = usageOf(pid, { maxProcesses: maxProcesses + 1, folders });
      if (usage === undefined) return;
      if (usage.processes > maxProcesses)
        return watched.kill(`it was killed, because it started more than ${maxProcesses} processes`);
      if (usage.bytes > memoryMb * 1_048_576) return watched.kill(tooMuch(memoryMb));
      timer = clock.setTimer(measure, isBusy() ? pause.busy : pause.idle);
      timer.keepAlive(false);
    };
    let timer = clock.setTimer(measure, pause.busy);
    timer.keepAlive(false);
    void watched.ended.then(() => timer.cancel());
  }

  /** Why the kernel killed the process, if it did. */
  excess(): string | undefined {
    const { memoryMb } = this.#limits;
    return memoryMb !== undefined && this.#group?.ranOutOfMemory() === true ? tooMuch(memoryMb) : undefined;
  }

  /** The process has ended: kills what it left in its group. */
  close(): void {
    void this.#group?.close();
  }
}

function tooMuch(memoryMb: number): string {
  return `it was killed, because it used more than ${memoryMb} MB`;
}

/** A process that ended by itself just before it was killed ended as it did. */
export function describeEnd(
  code: number | null,
  signal: string | null,
  killedBecause: string | undefined,
): string {
  if (killedBecause !== undefined && signal === "SIGKILL") return `ended: ${killedBecause}`;
  return signal === null ? `ended with exit code ${code}` : `ended by ${signal}`;
}
