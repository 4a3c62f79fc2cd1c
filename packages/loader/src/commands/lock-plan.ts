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

/** A comparison of a plan's lock file with the tools that the plan mounts now. */
export interface LockReport {
  readonly file: string;
  /** Whether the lock file existed. */
  readonly exists: boolean;
  readonly changes: readonly LockChange[];
  /** Scripts and skills that differ from the lock file. With a script of a hook nothing was mounted, and no tools were compared. */
  readonly files: readonly Problem[];
  readonly written: boolean;
  /**
   * The lock file had a merge conflict, and both sides were merged by name. These tools differ in both: `before` is ours, `now`
   * theirs. Absent without a conflict.
   */
  readonly conflict?: readonly LockChange[];
  /** Modules that could not be asked for their tools. What the lock file has of them stays; else their tools are not accepted. */
  readonly leftOut: readonly { readonly module: string; readonly problem: string }[];
}

/** What to do with a lock file. A module that does not answer keeps what the lock file has of it. */
export interface LockOptions extends OpenHostOptions {
  /** Accept the tools as they are now and write the lock file: all of them, those of these names or modules, or those of changes that pass. */
  readonly accept?: boolean | readonly string[] | ((change: LockChange) => boolean) | undefined;
  /** Write nothing. */
  readonly check?: boolean | undefined;
}

/**
 * Compares the scripts and skills that a plan names with its lock file, then mounts the plan and compares its tools;
 * writes the lock file with `accept`, or when it does not exist yet.
 * While a plan has a lock file, a call of a tool that is not in it, or that changed, fails with `LOCK_DRIFT`, and models
 * are not offered the tool. A plan whose hooks have another script does not open.
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
  if (typeof accept === "function" && before !== undefined) {
    const passing = compareLocks(before, now).filter(accept);
    return acceptSome(
      file,
      passing.map(({ tool }) => tool),
      { before, now, leftOut },
    );
  }
  if (Array.isArray(accept)) return acceptSome(file, accept, { before, now, leftOut });
  const changes = compareLocks(before, now);
  // A first lock in which no entry answered would accept nothing, and deny every tool that comes later.
  const isEmpty = before === undefined && leftOut.length > 0 && Object.keys(now.tools).length === 0;
  const replaces = accept === true || before === undefined;
  const written = options.check !== true && !isEmpty && (replaces || sides !== null);
  if (written) await writeLock(file, replaces ? now : before);
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

/** The two sides of a lock file with a merge conflict; null for one without. Throws `PLAN_INVALID` when a side is no lock. */
async function readSides(file: string): Promise<LockSides | null> {
  const texts = sidesOfText(readLockText(file) ?? "");
  if (texts === null) return null;
  const [ours, theirs] = await Promise.all(texts.map((text) => parseLock(file, text)));
  return { ours: ours!, theirs: theirs! };
}

/** The lock before: the file, or what both sides of a conflict say of the files that the plan names. */
async function readBefore(
  file: string,
  sides: LockSides | null,
  { accept }: LockOptions,
  files: readonly LockedFile[],
): Promise<PlanLock | undefined> {
  if (sides !== null) return mergeLocks(sides, { tools: {}, files: digestsOf(files) });
  return readLock(file).catch((error: unknown) => {
    // With `accept`, an unreadable lock file is replaced.
    if (accept === true) return undefined;
    throw error;
  });
}

/** Accepts some of the changed tools, by their names or their modules. The report has the changes that are left. */
async function acceptSome(
  file: string,
  names: readonly string[],
  {
    before,
    now,
    leftOut,
  }: {
    readonly before: PlanLock | undefined;
    readonly now: PlanLock;
    readonly leftOut: LockReport["leftOut"];
  },
): Promise<LockReport> {
  if (before === undefined)
    throw new ToolmountError("USAGE_INVALID", {
      problem: `${file} does not exist; write it with toolmount lock`,
    });
  const changes = compareLocks(before, now);
  const accepted = acceptTools(
    before,
    now,
    names.flatMap((name) => toolsOf(name, changes)),
  );
  await writeLock(file, accepted);
  return { file, exists: true, changes: compareLocks(accepted, now), files: [], written: true, leftOut };
}

/** The changed tool of a name, or all that changed of a module. Throws `USAGE_INVALID` for other names. */
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

/** A lock with what an older one has of some modules: a server that is away has not changed. */
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

/** Returns what a lock pins beside tools, without running anything. */
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

/** Returns what modules contribute for the lock file, by their ids: see {@link definitionsChannel}. */
async function collectDefinitions({ coordinator }: Host): Promise<Record<string, Json>> {
  const published = await coordinator.collectContributions(definitionsChannel);
  const parsed = published.map((one) => contribution.parse(one));
  return Object.fromEntries(parsed.map(({ module, definitions }) => [module, definitions]));
}

const contribution = z.strictObject({ module: z.string(), definitions: z.json() });

/** Tools of entries are locked; tools of the plan's own sections change with toolmount. */
const listSections: ReadonlySet<string> = new Set(["orchestrator", "context", "providers", "tools", "hooks"]);
