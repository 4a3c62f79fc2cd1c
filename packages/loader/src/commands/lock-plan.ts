import { ToolmountError, type Host, type Json } from "@toolmount/core";
import { z } from "zod";
import { integrityOf } from "../modules/source-files.ts";
import {
  compareLocks,
  definitionsChannel,
  lockFileOf,
  makeLock,
  readLock,
  writeLock,
  type LockChange,
  type PlanLock,
} from "../plan/lock-file.ts";
import { openHost } from "../host/open-host.ts";
import type { OpenHostOptions } from "../host/options.ts";

/** A comparison of a plan's lock file with the tools that the plan mounts now. */
export interface LockReport {
  readonly file: string;
  /** Whether the lock file existed. */
  readonly exists: boolean;
  readonly changes: readonly LockChange[];
  readonly written: boolean;
}

/** What to do with a lock file. */
export interface LockOptions extends OpenHostOptions {
  /** Accept the tools as they are now and write the lock file. */
  readonly accept?: boolean | undefined;
  /** Write nothing. */
  readonly check?: boolean | undefined;
}

/**
 * Mounts a plan and compares its tools with its lock file; writes the lock file with `accept`, or when it does not exist yet.
 * While a plan has a lock file, a call of a tool that is not in it, or that changed, fails with `LOCK_DRIFT`, and models
 * are not offered the tool.
 */
export async function lockPlan(input: string | undefined, options: LockOptions = {}): Promise<LockReport> {
  const { file, now } = await mountAndLock(input, options);
  const before = await readLock(file).catch((error: unknown) => {
    // With `accept`, an unreadable lock file is replaced.
    if (options.accept === true) return undefined;
    throw error;
  });
  const changes = compareLocks(before, now);
  const written = options.check !== true && (options.accept === true || before === undefined);
  if (written) await writeLock(file, now);
  return { file, exists: before !== undefined, changes, written };
}

async function mountAndLock(
  input: string | undefined,
  options: OpenHostOptions,
): Promise<{ file: string; now: PlanLock }> {
  const host = await openHost(input, { ...options, ignoreLock: true });
  try {
    if (host.plan.file === undefined)
      throw new ToolmountError("OPTION_INVALID", {
        option: "plan",
        problem: "the plan was given as a value; only the file of a plan can be locked",
      });
    const { entries } = host.status();
    const listed = entries.filter(({ section }) => listSections.has(section));
    const modules = new Map(
      await Promise.all(
        listed.map(
          async ({ id, version, path }) => [id, { version, integrity: await integrityOf(path) }] as const,
        ),
      ),
    );
    const tools = host.tools({ includeDeprecated: true }).filter(({ owner }) => modules.has(owner));
    const now = makeLock(tools, modules, await collectDefinitions(host));
    return { file: lockFileOf(host.plan.file, options.overlays), now };
  } finally {
    await host.close();
  }
}

/** What modules contribute for the lock file, by their ids: see {@link definitionsChannel}. */
async function collectDefinitions({ coordinator }: Host): Promise<Record<string, Json>> {
  const published = await coordinator.collectContributions(definitionsChannel);
  const parsed = published.map((one) => contribution.parse(one));
  return Object.fromEntries(parsed.map(({ module, definitions }) => [module, definitions]));
}

const contribution = z.strictObject({ module: z.string(), definitions: z.json() });

/** Tools of entries are locked; tools of the plan's own sections change with toolmount. */
const listSections: ReadonlySet<string> = new Set(["orchestrator", "context", "providers", "tools", "hooks"]);
