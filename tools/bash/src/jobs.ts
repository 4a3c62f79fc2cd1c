import type { SessionId } from "@toolmount/core";
import { randomBytes } from "node:crypto";
import type { RunningCommand, Ending } from "./run/command.ts";

/** A command of one session: running, or ended and kept to be read. */
export interface Job {
  readonly id: string;
  /** The session that may see it; undefined for calls without one. */
  readonly session: SessionId | undefined;
  readonly command: string;
  readonly background: boolean;
  readonly startedAt: number;
  readonly running: RunningCommand;
  /** Null while it runs. */
  ending: Ending | null;
  endedAt: number | null;
}

/** The commands of one mount. */
export interface Jobs {
  /** Takes a command in; at its end it is kept where `keep` says so. */
  add(job: Omit<Job, "id" | "ending" | "endedAt">): Job;
  /** Keeps the output of an ended command for reading. Oldest ones make room. */
  keep(job: Job): void;
  find(id: string, session: SessionId | undefined): Job | null;
  list(session: SessionId | undefined): readonly Job[];
  readonly active: number;
  readonly activeInBackground: number;
  /** Ends all that runs and waits until nothing is left. */
  close(): Promise<void>;
  /** Kills all running commands immediately. */
  kill(): void;
}

/** Ended commands that stay readable, and the bytes of output they may have in all. */
const maxKept = 64;
const maxKeptBytes = 33_554_432;

export function createJobs(now: () => number): Jobs {
  const active = new Set<Job>();
  const kept = new Map<string, Job>();
  // A host that exits without closing takes its commands with it, as far as a signal reaches.
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
