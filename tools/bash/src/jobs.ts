import type { SessionId } from "@toolmount/core";
import { randomBytes } from "node:crypto";
import type { RunningCommand, Ending } from "./run/command.ts";

/** A command of one session. It runs, or it has ended and its output is kept. */
export interface Job {
  readonly id: string;
  /** The session that may see the command; undefined for calls without a session. */
  readonly session: SessionId | undefined;
  readonly command: string;
  readonly background: boolean;
  readonly startedAt: number;
  readonly running: RunningCommand;
  /** Null while the command runs. */
  ending: Ending | null;
  endedAt: number | null;
}

/** The commands of one mount of the module. */
export interface Jobs {
  /** Adds a running command. When a background command ends, it is kept. */
  add(job: Omit<Job, "id" | "ending" | "endedAt">): Job;
  /** Keeps an ended command so that its output can be read. The oldest ones are dropped if there are too many. */
  keep(job: Job): void;
  find(id: string, session: SessionId | undefined): Job | null;
  list(session: SessionId | undefined): readonly Job[];
  readonly active: number;
  readonly activeInBackground: number;
  /** Ends all running commands, and waits until all their processes have ended. */
  close(): Promise<void>;
  /** Kills all running commands immediately. */
  kill(): void;
}

/** Maximum number of ended commands that stay readable, and of bytes of their output in all. */
const maxKept = 64;
const maxKeptBytes = 33_554_432;

export function createJobs(now: () => number): Jobs {
  const active = new Set<Job>();
  const kept = new Map<string, Job>();
  // If the host exits without closing, its commands are killed, as far as a signal reaches them.
  const killAll = () => jobs.kill();
  const jobs: Jobs = {
    add(given) {
      const job: Job = { ...given, id: `cmd_${randomBytes(6).toString("hex")}`, ending: null, endedAt: null };
      if (active.size === 0) process.once("exit", killAll);
      active.add(job);
      void given.running.done.then(({ ending }) => {
        active.delete(job);
        if (active.size === 0) process.off("exit", killAll);
        job.ending = ending;
        job.endedAt = now();
        if (job.background) jobs.keep(job);
      });
      return job;
    },
    keep(job) {
      kept.set(job.id, job);
      makeRoom(kept);
    },
    find(id, session) {
      const job = kept.get(id) ?? [...active].find((each) => each.id === id);
      return job !== undefined && job.session === session ? job : null;
    },
    list: (session) => [...new Set([...kept.values(), ...active])].filter((job) => isListed(job, session)),
    get active() {
      return active.size;
    },
    get activeInBackground() {
      return [...active].filter(({ background }) => background).length;
    },
    async close() {
      const ends = [...active].map(({ running }) => {
        running.stop();
        return running.done;
      });
      await Promise.all(ends);
      kept.clear();
    },
    kill() {
      for (const { running } of active) running.kill();
    },
  };
  return jobs;
}

function isListed(job: Job, session: SessionId | undefined): boolean {
  return job.background && job.session === session;
}

function makeRoom(kept: Map<string, Job>): void {
  const bytes = ({ running }: Job) => running.stdout.keptBytes + running.stderr.keptBytes;
  let total = [...kept.values()].reduce((sum, job) => sum + bytes(job), 0);
  for (const [id, job] of kept) {
    if (kept.size <= 1 || (kept.size <= maxKept && total <= maxKeptBytes)) return;
    kept.delete(id);
    total -= bytes(job);
  }
}
