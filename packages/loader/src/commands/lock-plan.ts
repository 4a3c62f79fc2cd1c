import { ToolmountError, type Host, type Json } from "@toolmount/core";
import { z } from "zod";
import { integrityOf } from "../modules/source-files.ts";
import {
  acceptTools,
  compareLocks,
  definitionsChannel,
  makeLock,
  parseLock,
  readLock,
  readLockText,
  writeLock,
  type LockChange,
  type PlanLock,
} from "../plan/lock-file.ts";
import { lockFileOf } from "../plan/lock-file-name.ts";
import { differingTools, mergeLocks, sidesOfText, type LockSides } from "../plan/merge-locks.ts";
import { createReporter, type Problem } from "../diagnostics/problems.ts";
import { fillOptions } from "../host/defaults.ts";
import { openHost } from "../host/open-host.ts";
import type { OpenHostOptions } from "../host/options.ts";
import { loadPlan } from "../mount/load-plan.ts";
import { digestsOf, filesToLock, isGuarded, reportFiles, type LockedFile } from "../programs/locked-files.ts";

/** How a plan's lock file differs from what the plan mounts now, and whether it was written. */
export interface LockReport {
  readonly file: string;
  /** Whether the lock file existed. */
  readonly exists: boolean;
  readonly changes: readonly LockChange[];
  /**
   * Scripts and skills that differ from the lock file. If a hook's script does, nothing was mounted and no tools were compared.
   */
  readonly files: readonly Problem[];
  readonly written: boolean;
  /**
   * The tools in which both sides of a merge conflict in the lock file differ: `before` is our side, `now` theirs. The sides were
   * merged tool by tool. Absent without a conflict.
   */
  readonly conflict?: readonly LockChange[];
  /** Modules that did not answer. What the lock file has about them stays, and no new tool of theirs is accepted. */
  readonly leftOut: readonly { readonly module: string; readonly problem: string }[];
}

/** What to do with a lock file. */
export interface LockOptions extends OpenHostOptions {
  /**
   * Accepts current tools and writes the lock file: `true` for all tools, or the names of tools or modules, or a function that
   * decides about each change.
   */
  readonly accept?: boolean | readonly string[] | ((change: LockChange) => boolean) | undefined;
  /** Compares only, and writes no file. */
  readonly check?: boolean | undefined;
}

/**
 * Compares the scripts and skills that a plan names with its lock file. Then mounts the plan and compares its tools. Writes the
 * lock file with `accept`, or if it does not exist yet.
 *
 * While a plan has a lock file, a call of a tool that is not in it, or that changed, fails with `LOCK_DRIFT`, and models are not
 * offered the tool. A plan does not open if a script of its hooks changed.
 */
export async function lockPlan(input: string | undefined, options: LockOptions = {}): Promise<LockReport> {
  const { file, files, map } = await findFiles(input, options);
  const sides = await readSides(file);
  const read = await readBefore(file, sides, options, files);
  const compared = options.accept === true ? undefined : read;
  const guards = createReporter(map);
  if (compared !== undefined) reportFiles(compared, files.filter(isGuarded), guards, "changed");
  if (guards.problems.length > 0)
    return { file, exists: true, changes: [], files: guards.problems, written: false, leftOut: [] };
  const others = createReporter(map);
  if (compared !== undefined) reportFiles(compared, files, others);
  const { found, leftOut } = await mountAndLock(input, options, files);
  const before = sides === null ? read : mergeLocks(sides, found);
  const now = withKept(
    found,
    before,
    leftOut.map(({ module }) => module),
  );
  const { accept } = options;
  const states = { before, now, leftOut, isMerged: sides !== null };
  if (Array.isArray(accept)) return acceptSome(file, accept, states);
  if (typeof accept === "function" && before !== undefined) {
    const passing = compareLocks(before, now).filter(accept);
    const tools = passing.map(({ tool }) => tool);
    return acceptSome(file, tools, states);
  }
  const changes = compareLocks(before, now);
  // If no module answered, a new lock file would be empty, and would deny every tool as soon as its module answers.
  const isEmpty = before === undefined && leftOut.length > 0 && Object.keys(now.tools).length === 0;
  const replaces = accept === true || before === undefined;
  const written = options.check !== true && !isEmpty && (replaces || sides !== null);
  if (written) await writeLock(file, () => (replaces ? now : before));
  const conflict = sides === null ? {} : { conflict: differingTools(sides) };
  return {
    file,
    exists: before !== undefined,
    changes,
    files: others.problems,
    written,
    ...conflict,
    leftOut,
  };
}

/** Reads both sides of a lock file with a merge conflict; null if it has none. Throws `PLAN_INVALID` if a side is not a lock. */
async function readSides(file: string): Promise<LockSides | null> {
  const texts = sidesOfText(readLockText(file) ?? "");
  if (texts === null) return null;
  const [ours, theirs] = await Promise.all(texts.map((text) => parseLock(file, text)));
  return { ours: ours!, theirs: theirs! };
}

/** Reads the lock for the comparison; with a conflict, one that is merged from both sides for the files that the plan names. */
async function readBefore(
  file: string,
  sides: LockSides | null,
  { accept }: LockOptions,
  files: readonly LockedFile[],
): Promise<PlanLock | undefined> {
  if (sides !== null) return mergeLocks(sides, { tools: {}, files: digestsOf(files) });
  return readLock(file).catch((error: unknown) => {
    // With `accept`, a lock file that cannot be read is replaced.
    if (accept === true) return undefined;
    throw error;
  });
}

/** Accepts some of the changed tools, by their names or their modules. The report lists the changes that remain. */
async function acceptSome(
  file: string,
  names: readonly string[],
  {
    before,
    now,
    leftOut,
    isMerged,
  }: {
    readonly before: PlanLock | undefined;
    /** Whether `before` was merged of two sides, and is not the lock of the file. */
    readonly isMerged: boolean;
    readonly now: PlanLock;
    readonly leftOut: LockReport["leftOut"];
  },
): Promise<LockReport> {
  if (before === undefined)
    throw new ToolmountError("USAGE_INVALID", {
      problem: `${file} does not exist; write it with toolmount lock`,
    });
  const changes = compareLocks(before, now);
  const tools = names.flatMap((name) => toolsOf(name, changes));
  let accepted = before;
  await writeLock(file, async () => {
    // Another command may have accepted other tools meanwhile.
    accepted = acceptTools(isMerged ? before : ((await readLock(file)) ?? before), now, tools);
    return accepted;
  });
  return { file, exists: true, changes: compareLocks(accepted, now), files: [], written: true, leftOut };
}

/**
 * Returns the changed tool of this name or, without one, those of the module of this name. Throws `USAGE_INVALID` without either.
 */
function toolsOf(name: string, changes: readonly LockChange[]): string[] {
  const isOf = ({ before, now }: LockChange) => (now ?? before)?.module === name;
  const named = changes.filter(({ tool }) => tool === name);
  const found = (named.length > 0 ? named : changes.filter(isOf)).map(({ tool }) => tool);
  if (found.length > 0) return found;
  const others = changes.map(({ tool }) => tool).join(", ") || "none";
  throw new ToolmountError("USAGE_INVALID", {
    problem: `no tool or module "${name}" differs from the lock file; these do: ${others}`,
  });
}

/** Adds what the older lock `before` has about `modules`, because a module that does not answer need not have changed. */
function withKept(now: PlanLock, before: PlanLock | undefined, modules: readonly string[]): PlanLock {
  if (before === undefined || modules.length === 0) return now;
  const tools = Object.entries(before.tools).filter(([, { module }]) => modules.includes(module));
  const definitions = Object.entries(before.definitions ?? {}).filter(([module]) => modules.includes(module));
  return {
    ...now,
    tools: { ...now.tools, ...Object.fromEntries(tools) },
    ...(definitions.length > 0 && {
      definitions: { ...now.definitions, ...Object.fromEntries(definitions) },
    }),
  };
}

/** Returns the path of the lock file, and the files that it covers besides tools. Runs no module. */
async function findFiles(input: string | undefined, options: OpenHostOptions) {
  const loaded = await loadPlan(input, { ...fillOptions(options), ignoreLock: true });
  const { opened, plan, modules, texts, map } = loaded;
  const { file, folder } = opened;
  if (file === undefined)
    throw new ToolmountError("OPTION_INVALID", {
      option: "plan",
      problem: "the plan was given as a value; only the file of a plan can be locked",
    });
  return {
    file: lockFileOf(file, options.overlays),
    files: await filesToLock({ folder, plan, modules, texts }),
    map,
  };
}

async function mountAndLock(
  input: string | undefined,
  options: OpenHostOptions,
  files: readonly LockedFile[],
): Promise<{ found: PlanLock; leftOut: LockReport["leftOut"] }> {
  const host = await openHost(input, { ...options, ignoreLock: true });
  try {
    const { entries } = host.status();
    const listed = entries.filter(({ section }) => listSections.has(section));
    const modules = new Map(
      await Promise.all(
        listed.map(
          async ({ id, version, path }) => [id, { version, integrity: await integrityOf(path) }] as const,
        ),
      ),
    );
    const tools = host
      .tools({ includeDeprecated: true, includeInternal: true })
      .filter(({ owner }) => modules.has(owner));
    const leftOut = listed
      .filter(({ problems }) => problems.length > 0)
      .map(({ id, problems: [first] }) => ({ module: id, problem: first?.message ?? "" }));
    const definitions = await collectDefinitions(host);
    for (const { module } of leftOut) delete definitions[module];
    const found = makeLock(tools, modules, { definitions, files: digestsOf(files) });
    return { found, leftOut };
  } finally {
    await host.close();
  }
}

/** Returns by module id what modules want in the lock file; see {@link definitionsChannel}. */
async function collectDefinitions({ coordinator }: Host): Promise<Record<string, Json>> {
  const published = await coordinator.collectContributions(definitionsChannel);
  const parsed = published.map((one) => contribution.parse(one));
  return Object.fromEntries(parsed.map(({ module, definitions }) => [module, definitions]));
}

const contribution = z.strictObject({ module: z.string(), definitions: z.json() });

/** Sections whose modules have their tools in the lock file. Tools of other sections change only when toolmount does. */
const listSections: ReadonlySet<string> = new Set(["orchestrator", "context", "providers", "tools", "hooks"]);
