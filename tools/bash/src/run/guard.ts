import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createProgramGuard, type ProgramGuard } from "@toolmount/sandbox";
import { signal } from "./find-processes.ts";

/** The environment variable that identifies all processes of one host's commands. */
export const hostMarkName = "TOOLMOUNT_HOST_ID";

/** The guard of one host's commands. */
export interface Guard extends ProgramGuard {
  /** The value of {@link hostMarkName} in the environment of every command. */
  readonly mark: string;
}

/** Creates the guard of one host. It starts no process by itself. */
export function createGuard({ PATH: path }: Readonly<Record<string, string>>): Guard {
  const mark = hostMark();
  return { mark, ...createProgramGuard({ mark: `${hostMarkName}=${mark}`, path }) };
}

/** Returns this process's namespace, id and start time, by which another host sees whether it still runs, and a random part. */
function hostMark(): string {
  const place = placeOf(process.pid);
  return [place?.namespace ?? "", process.pid, place?.start ?? "", randomUUID()].join(".");
}

/**
 * Kills processes that were left by commands of hosts that no longer run and whose guard was killed, too. Skips hosts in
 * other process namespaces. Resolves to the number of killed processes.
 */
export async function sweepOrphans(): Promise<number> {
  const own = placeOf(process.pid);
  if (own === null) return 0;
  let killed = 0;
  for (const [at, pid] of listPids().entries()) {
    if (at % 64 === 63) await new Promise<void>((resolve) => void setImmediate(resolve));
    const host = hostOf(pid);
    if (host === null || host.namespace !== own.namespace) continue;
    if (isGone(host) && signal(pid, "SIGKILL")) killed++;
  }
  return killed;
}

/** Whether a host has ended. If its state cannot be read, it counts as running. */
function isGone({ pid, start }: HostPlace): boolean {
  const place = placeOf(pid);
  return place === null ? !existsSync(`/proc/${pid}`) : place.start !== start;
}

interface HostPlace {
  readonly namespace: string;
  readonly pid: number;
  readonly start: string;
}

/** Returns the host that started a process, by the mark in its environment; null if it has no mark. */
function hostOf(pid: number): HostPlace | null {
  const head = `${hostMarkName}=`;
  const entry = readOr(`/proc/${pid}/environ`)
    .split("\0")
    .find((each) => each.startsWith(head));
  const [namespace = "", host = "", start = ""] = entry?.slice(head.length).split(".") ?? [];
  return namespace === "" || start === "" ? null : { namespace, pid: Number(host), start };
}

/** Returns the namespace and the start time of a process; null without `/proc`, and for a process that has ended. */
function placeOf(pid: number): { namespace: string; start: string } | null {
  const stat = readOr(`/proc/${pid}/stat`);
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  if (start === undefined) return null;
  try {
    return { namespace: readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, ""), start };
  } catch {
    return null;
  }
}

function listPids(): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
