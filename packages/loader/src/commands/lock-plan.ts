import { ToolmountError } from "@toolmount/core";
import {
  compareLocks,
  lockFileOf,
  makeLock,
  readLock,
  writeLock,
  type LockChange,
  type PlanLock,
} from "../plan/lock-file.ts";
import { openHost } from "../host/open-host.ts";
import type { OpenHostOptions } from "../host/options.ts";

/** A plan's lock beside the tools that it mounts now. */
export interface LockReport {
  readonly file: string;
  /** Whether there was a lock. */
  readonly exists: boolean;
  readonly changes: readonly LockChange[];
  readonly written: boolean;
}

/** What to do with a lock. */
export interface LockOptions extends OpenHostOptions {
  /** Take the tools as they are. */
  readonly accept?: boolean | undefined;
  /** Write nothing. */
  readonly check?: boolean | undefined;
}

/** See `lockPlan` of the package's face. */
export async function lockPlan(input: string | undefined, options: LockOptions = {}): Promise<LockReport> {
  const { file, now } = await lookNow(input, options);
  const before = await readLock(file).catch((error: unknown) => {
    // One that cannot be read is written anew when that is asked for.
    if (options.accept === true) return undefined;
    throw error;
  });
  const changes = compareLocks(before, now);
  const written = options.check !== true && (options.accept === true || before === undefined);
  if (written) await writeLock(file, now);
  return { file, exists: before !== undefined, changes, written };
}

async function lookNow(
  input: string | undefined,
  options: OpenHostOptions,
): Promise<{ file: string; now: PlanLock }> {
  const host = await openHost(input, { ...options, ignoreLock: true });
  try {
    if (host.plan.file === undefined)
      throw new ToolmountError("OPTION_INVALID", {
        option: "plan",
        problem: "only a plan's file has a lock",
      });
    const { entries } = host.status();
    const versions = new Map(entries.map(({ id, version }) => [id, version]));
    const listed = new Set(entries.filter(({ section }) => listSections.has(section)).map(({ id }) => id));
    const tools = host.tools({ includeDeprecated: true }).filter(({ owner }) => listed.has(owner));
    return { file: lockFileOf(host.plan.file, options.overlays), now: makeLock(tools, versions) };
  } finally {
    await host.close();
  }
}

/** Tools of what the plan itself names are locked; those of our own sections change with toolmount. */
const listSections: ReadonlySet<string> = new Set(["orchestrator", "context", "providers", "tools", "hooks"]);
