import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, extname, join, basename } from "node:path";
import type { ToolInfo } from "@toolmount/core";
import { lockDigest } from "@toolmount/core/internal";
import { z } from "zod";
import { makeProblem, planError } from "../diagnostics/problems.ts";
import { createPlanText } from "../diagnostics/source-text.ts";

/** One tool as it was when the lock file was written. */
export interface LockedTool {
  /** Digest of everything that a model, a gate or a person sees of it. */
  readonly digest: string;
  readonly module: string;
  readonly version?: string | undefined;
}

/** The accepted tools of a plan, by the names under which they are offered. */
export interface PlanLock {
  readonly version: 1;
  readonly tools: Readonly<Record<string, LockedTool>>;
}

/** One tool that differs from the lock file. */
export interface LockChange {
  readonly tool: string;
  readonly change: "added" | "changed" | "removed";
  readonly before?: LockedTool;
  readonly now?: LockedTool;
}

const schema = z.strictObject({
  version: z.literal(1),
  tools: z.record(
    z.string(),
    z.strictObject({ digest: z.string(), module: z.string(), version: z.string().optional() }),
  ),
});

/** The lock file of a plan: for `plan.yaml` with the overlay `ci` it is `plan.ci.lock.json` beside it. */
export function lockFileOf(plan: string, overlays: readonly string[] = []): string {
  const name = basename(plan, extname(plan));
  return join(dirname(plan), `${[name, ...overlays].join(".")}.lock.json`);
}

/** Reads a lock file; undefined when it does not exist. Throws `PLAN_INVALID` when it cannot be read: it is never ignored. */
export async function readLock(file: string): Promise<PlanLock | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw refuse(file, `the lock file cannot be read (${error.code ?? "unknown"})`);
  });
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(parse(file, text));
  if (!parsed.success)
    throw refuse(file, "this is not a lock file of toolmount; write it again with: toolmount lock --accept");
  return parsed.data;
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse(file, "the lock file is not JSON; write it again with: toolmount lock --accept");
  }
}

function refuse(file: string, problem: string): Error {
  return planError([
    makeProblem("PLAN_SYNTAX", { problem }, { place: { text: createPlanText(file, ""), offset: 0 } }),
  ]);
}

/** The lock of tools as they are now. */
export function makeLock(
  tools: readonly ToolInfo[],
  versions: ReadonlyMap<string, string | undefined>,
): PlanLock {
  const locked = tools.map((info): [string, LockedTool] => {
    const version = versions.get(info.owner);
    return [
      info.name,
      { digest: lockDigest(info), module: info.owner, ...(version !== undefined && { version }) },
    ];
  });
  return { version: 1, tools: Object.fromEntries(locked) };
}

/** The differences between two locks. A change of the version alone is not one: models and people see no difference. */
export function compareLocks(before: PlanLock | undefined, now: PlanLock): LockChange[] {
  const old = before?.tools ?? {};
  const names = [...new Set([...Object.keys(old), ...Object.keys(now.tools)])].toSorted();
  return names.flatMap((tool): LockChange[] => {
    const [was, is] = [old[tool], now.tools[tool]];
    if (was === undefined) return [{ tool, change: "added", now: is! }];
    if (is === undefined) return [{ tool, change: "removed", before: was }];
    return was.digest === is.digest ? [] : [{ tool, change: "changed", before: was, now: is }];
  });
}

/** Writes a lock file in one step. */
export async function writeLock(file: string, lock: PlanLock): Promise<void> {
  const beside = `${file}.new`;
  await writeFile(beside, `${JSON.stringify(lock, null, 2)}\n`);
  await rename(beside, file);
}
