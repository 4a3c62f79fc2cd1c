import type { Clock } from "@toolmount/core";
import { createControlGroup, usageOf, type ControlGroup } from "@toolmount/sandbox";
import type { Launch } from "@toolmount/sandbox";

/** Milliseconds between two measurements of a process, with and without a memory limit, while a call runs and between calls. */
const measureMs = { limited: { busy: 50, idle: 250 }, unlimited: { busy: 250, idle: 1_000 } } as const;

/** Maximum number of processes in the tree of one process, which is counted with everything that it started. */
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
 * Keeps a process within its limits for memory and processes until it has ended, because a tool can still use more after its
 * answer. The process is measured; if Linux lets this process make control groups, the kernel enforces the limits, too.
 */
export class UsageLimits {
  readonly #limits: Limits;
  readonly #group: ControlGroup | null;

  constructor({ clock, launch, memoryMb }: Limits) {
    this.#limits = { clock, launch, memoryMb };
    this.#group = createControlGroup({ processes: maxProcesses, memoryMb });
  }

  /** The command to start: that of the launch or, with a control group, one that joins the group first. */
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

  /** Returns why the kernel killed the process, if it did so because of its memory. */
  excess(): string | undefined {
    const { memoryMb } = this.#limits;
    return memoryMb !== undefined && this.#group?.ranOutOfMemory() === true ? tooMuch(memoryMb) : undefined;
  }

  /** Kills what the process, which has ended, left in its group. */
  close(): void {
    void this.#group?.close();
  }
}

function tooMuch(memoryMb: number): string {
  return `it was killed, because it used more than ${memoryMb} MB`;
}

/** Returns how a process ended. The reason why it was to be killed is left out if it had ended by itself just before. */
export function describeEnd(
  code: number | null,
  signal: string | null,
  killedBecause: string | undefined,
): string {
  if (killedBecause !== undefined && signal === "SIGKILL") return `ended: ${killedBecause}`;
  return signal === null ? `ended with exit code ${code}` : `ended by ${signal}`;
}
