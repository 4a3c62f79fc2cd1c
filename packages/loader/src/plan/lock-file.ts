import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject, ToolInfo } from "@toolmount/core";
import { lockDigest } from "@toolmount/core/modules";
import { rewriteText } from "@toolmount/paths";
import { isRecord } from "../diagnostics/json.ts";
import { showPath, type Path } from "../diagnostics/positions.ts";
import { makeProblem, planError } from "../diagnostics/problems.ts";
import { createPlanText } from "../diagnostics/source-text.ts";

/** One tool as a person accepted it, when the lock file was written. */
export interface LockedTool {
  /** Digest of everything that a model, a gate or a user sees of the tool. */
  readonly digest: string;
  readonly module: string;
  readonly version?: string | undefined;
  /** Digest of the files of the tool's package; absent if its module is not an installed package. */
  readonly integrity?: string | undefined;
  /** The definition with that digest, which is needed to show a change. */
  readonly definition?: JsonObject | undefined;
}

/** The accepted tools of a plan, by their offered names. */
export interface PlanLock {
  readonly version: 1;
  readonly tools: Readonly<Record<string, LockedTool>>;
  /** By module id, what a module needs to mount the same tools again without asking an outside server. */
  readonly definitions?: Readonly<Record<string, Json>> | undefined;
  /** By path from the plan's folder, the digest of each script and skill that the plan names. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

/** One tool that differs from the lock file. */
export interface LockChange {
  readonly tool: string;
  readonly change: "added" | "changed" | "removed";
  readonly before?: LockedTool;
  readonly now?: LockedTool;
  /** The values that differ, for a changed tool; empty if the lock file has no definition of it. */
  readonly differences: readonly LockDifference[];
}

/** One value of a tool that differs from the lock file. */
export interface LockDifference {
  /**
   * The path of the value, such as `description` or `inputSchema.properties.path.type`; `integrity` for the files of the tool's
   * package.
   */
  readonly path: string;
  /** Absent if the lock file has no such value. */
  readonly before?: Json;
  /** Absent if the tool has no such value now. */
  readonly now?: Json;
  /**
   * Whether the new value says that the tool needs less care, or more: for example, it no longer asks, or its category is milder.
   */
  readonly care?: "less" | "more";
}

/**
 * The channel on which a module contributes `{ module, definitions }` for the lock file: its id, and what it needs to mount the
 * same tools again. While the plan has a lock file, a capability with the same name exists: a function that returns the
 * definitions of a module by its id.
 */
export const definitionsChannel = "lock.definitions";

/**
 * Reads a lock file; undefined if it does not exist. Throws `PLAN_INVALID` if it cannot be read, because a plan must not run as
 * if it had no lock.
 */
export async function readLock(file: string): Promise<PlanLock | undefined> {
  const text = readLockText(file);
  return text === undefined ? undefined : parseLock(file, text);
}

/** Parses the text of a lock file. Throws `PLAN_INVALID`. */
export async function parseLock(file: string, text: string): Promise<PlanLock> {
  const { lockSchema } = await import("./lock-schema.ts");
  const parsed = lockSchema.safeParse(parse(file, text));
  if (!parsed.success)
    throw refuse(file, "this is not a lock file of toolmount; write it again with: toolmount lock --accept");
  return parsed.data;
}

/** Reads the text of a lock file, without a byte order mark; undefined if it does not exist. */
export function readLockText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw refuse(file, `the lock file cannot be read (${code})`);
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const problem = /^<{7} /m.test(text)
      ? "the lock file has a merge conflict; merge both sides by name with: toolmount lock"
      : "the lock file is not JSON; write it again with: toolmount lock --accept";
    throw refuse(file, problem);
  }
}

function refuse(file: string, problem: string): Error {
  return planError([
    makeProblem("PLAN_SYNTAX", { problem }, { place: { text: createPlanText(file, ""), offset: 0 } }),
  ]);
}

type LockedModule = Pick<LockedTool, "version" | "integrity">;

/** Makes the lock of `tools` as they are now. `modules` has the version and the digest of files by module id. */
export function makeLock(
  tools: readonly ToolInfo[],
  modules: ReadonlyMap<string, LockedModule>,
  { definitions = {}, files }: Pick<PlanLock, "definitions" | "files"> = {},
): PlanLock {
  const locked = tools.map((info): [string, LockedTool] => {
    const { owner: module, ...definition } = info;
    const { version, integrity } = modules.get(module) ?? {};
    const tool = {
      digest: lockDigest(info),
      module,
      ...(version !== undefined && { version }),
      ...(integrity !== undefined && { integrity }),
      definition: JSON.parse(JSON.stringify(definition)) as JsonObject,
    };
    return [info.name, tool];
  });
  const kept = Object.keys(definitions).length === 0 ? {} : { definitions };
  return { version: 1, tools: Object.fromEntries(locked), ...kept, ...(files !== undefined && { files }) };
}

/** Compares a lock with the tools as they are now. Another version alone does not count as a difference. */
export function compareLocks(before: PlanLock | undefined, now: PlanLock): LockChange[] {
  const old = before?.tools ?? {};
  const names = [...new Set([...Object.keys(old), ...Object.keys(now.tools)])].toSorted();
  return names.flatMap((tool): LockChange[] => {
    const [was, is] = [old[tool], now.tools[tool]];
    if (was === undefined) return [{ tool, change: "added", now: is!, differences: [] }];
    if (is === undefined) return [{ tool, change: "removed", before: was, differences: [] }];
    if (was.digest === is.digest && !hasOtherFiles(was, is)) return [];
    return [{ tool, change: "changed", before: was, now: is, differences: findDifferences(was, is) }];
  });
}

/**
 * Returns a lock in which the named tools are as they are now, and all others as they were accepted. The definitions of their
 * modules are updated too, because otherwise a module would still mount an accepted tool as it was before.
 */
export function acceptTools(before: PlanLock, now: PlanLock, names: readonly string[]): PlanLock {
  const tools = { ...before.tools };
  const definitions = { ...before.definitions };
  for (const name of names) {
    const is = now.tools[name];
    const module = (is ?? tools[name])?.module ?? "";
    const said = now.definitions?.[module];
    if (said !== undefined) definitions[module] = said;
    if (is === undefined) delete tools[name];
    else tools[name] = is;
  }
  return { ...before, tools, ...(Object.keys(definitions).length > 0 && { definitions }) };
}

/** Tests whether the files of a tool's package changed. Older lock files have no `integrity`, and accept any files. */
function hasOtherFiles(was: LockedTool, is: LockedModule): boolean {
  return was.integrity !== undefined && was.integrity !== is.integrity;
}

/** Tests whether the files of a module's package differ from those in the lock. */
export function isReplaced(lock: PlanLock, id: string, integrity: string | undefined): boolean {
  return Object.values(lock.tools).some((tool) => tool.module === id && hasOtherFiles(tool, { integrity }));
}

function findDifferences(was: LockedTool, is: LockedTool): LockDifference[] {
  const files: LockDifference[] = hasOtherFiles(was, is)
    ? [
        {
          path: "integrity",
          before: was.integrity!,
          ...(is.integrity !== undefined && { now: is.integrity }),
        },
      ]
    : [];
  if (was.definition === undefined || is.definition === undefined) return files;
  return [...differencesOf(was.definition, is.definition, []), ...files];
}

function differencesOf(before: Json | undefined, now: Json | undefined, path: Path): LockDifference[] {
  if (isDeepStrictEqual(before, now)) return [];
  if (!isRecord(before) || !isRecord(now))
    return [
      {
        path: showPath(path),
        ...(before !== undefined && { before }),
        ...(now !== undefined && { now }),
        ...careOf(showPath(path), before, now),
      },
    ];
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].flatMap((key) => differencesOf(before[key], now[key], [...path, key]));
}

/** Writes a lock file in one step. `make` is called again if another program writes the file meanwhile. */
export async function writeLock(file: string, make: () => Promise<PlanLock> | PlanLock): Promise<void> {
  await rewriteText(file, async () => `${JSON.stringify(await make(), null, 2)}\n`);
}

/** Values of the members that say how much care a tool needs, the mildest first. */
const orders: Readonly<Record<string, readonly unknown[]>> = {
  category: ["read", "write", "side_effect", "delete", undefined],
  consequenceLevel: ["low", "medium", "high", undefined],
  requiresConfirmation: [false, "dynamic", true],
  irreversible: [undefined, true],
  idempotentUndo: [true, undefined],
};

/** Returns whether the new value of a member says that a tool needs less care than before, or more; empty if neither. */
export function careOf(path: string, before: unknown, now: unknown): Pick<LockDifference, "care"> {
  const order = orders[path];
  if (order === undefined) return {};
  const [was, is] = [before, now].map((value) => order.indexOf(value));
  // An unknown new value says nothing about care. An unknown old value counts as stricter than all known ones.
  if (is === -1 || was === is) return {};
  return { care: is! < (was === -1 ? order.length : was!) ? "less" : "more" };
}
