import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, extname, join, basename } from "node:path";
import type { ToolInfo } from "@toolmount/core";
import { lockDigest } from "@toolmount/core/internal";
import { z } from "zod";
import { makeProblem, planError } from "../diagnostics/problems.ts";
import { createPlanText } from "../diagnostics/source-text.ts";

/** What was agreed to of one tool. */
export interface LockedTool {
  /** Of everything that a model, a gate or a person sees of it. */
  readonly digest: string;
  readonly module: string;
  readonly version?: string | undefined;
}

/** The tools of a plan that were agreed to, by the names they are offered under. */
export interface PlanLock {
  readonly version: 1;
  readonly tools: Readonly<Record<string, LockedTool>>;
}

/** One tool that is not what the lock says. */
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

/** The lock of `plan.yaml` with the overlay `ci` is `plan.ci.lock.json` beside it. */
export function lockFileOf(plan: string, overlays: readonly string[] = []): string {
  const name = basename(plan, extname(plan));
  return join(dirname(plan), `${[name, ...overlays].join(".")}.lock.json`);
}

/** Reads a lock; undefined when there is none. Throws `PLAN_INVALID` for one that cannot be read: it is never ignored. */
export async function readLock(file: string): Promise<PlanLock | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw refuse(file, `the lock cannot be read (${error.code ?? "unknown"})`);
  });
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(parse(file, text));
  if (!parsed.success)
    throw refuse(file, "the lock is not one of toolmount; write it anew with: toolmount lock --accept");
  return parsed.data;
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse(file, "the lock is not JSON; write it anew with: toolmount lock --accept");
  }
}

function refuse(file: string, problem: string): Error {
  return planError([
    makeProblem("PLAN_SYNTAX", { problem }, { place: { text: createPlanText(file, ""), offset: 0 } }),
  ]);
}

/** The lock of tools as they are. */
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

/** What is otherwise than in the lock. A version alone changes nothing that anybody sees, and is not told. */
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

/** Writes a lock in one step. */
export async function writeLock(file: string, lock: PlanLock): Promise<void> {
  const beside = `${file}.new`;
  await writeFile(beside, `${JSON.stringify(lock, null, 2)}\n`);
  await rename(beside, file);
}
