// The process in which check mounts a plan, and add tries new entries: what modules break is not the command.
// Started by run-trial.ts.
import type { ToolInfo } from "@toolmount/core";
import type { EntryStatus, LockChange, Problem } from "@toolmount/loader";
import type { EditedSection, NewEntry } from "@toolmount/loader/commands";
import { createTerminalLogger } from "../host/terminal-logger.ts";
import { extensions } from "../host/extensions.ts";
import type { Verbosity } from "../process/shell.ts";
import { createScreen } from "../screen/screen.ts";
import { answerTrial, readRequest } from "./trial-message.ts";

/** The plan, and how it is opened. */
export interface MountRequest {
  readonly plan: string | undefined;
  readonly cwd: string;
  readonly overlays: readonly string[] | undefined;
  readonly verbosity: Verbosity;
}

/** Entries that are tried alone, and not mounted; `cwd` is the folder of the plan that is to get them. */
export interface TryRequest {
  readonly entries: readonly NewEntry[];
  readonly section: EditedSection;
  readonly cwd: string;
  readonly verbosity: Verbosity;
}

export interface MountReport {
  readonly file: string | undefined;
  readonly entries: readonly EntryStatus[];
  /** Of modules that are not required: the plan opens without them. */
  readonly problems: readonly Problem[];
  /** Settings of the plan that have no effect on the tools that it mounts. */
  readonly dead: readonly Problem[];
  /** Tools that differ from the plan's lock file. */
  readonly lockChanges: readonly LockChange[];
}

const request = readRequest() as MountRequest | TryRequest;
const screen = createScreen(process.stderr, process.env);
const logger = createTerminalLogger(screen, request.verbosity);
await answerTrial((): Promise<MountReport | readonly Problem[]> =>
  "entries" in request ? tryAlone(request) : mountPlan(request),
);

async function mountPlan({ plan, cwd, overlays }: MountRequest): Promise<MountReport> {
  const { openHost } = await import("@toolmount/loader");
  const options = { env: process.env, cwd, overlays, logger, extensions };
  const host = await openHost(plan, options);
  const { entries, lockChanges } = host.status();
  const tools = host.tools();
  await host.close();
  const problems = entries.flatMap((entry) => entry.problems);
  // A rule about the tools of a module that is not mounted is not dead.
  const dead = problems.length > 0 ? [] : await findDeadSettings(tools);
  return { file: host.plan.file, entries, problems, dead, lockChanges };

  async function findDeadSettings(offered: readonly ToolInfo[]): Promise<readonly Problem[]> {
    const { lintPlan } = await import("@toolmount/loader/commands");
    // The host has logged the plan's warnings already.
    return lintPlan(plan, offered, { ...options, logger: createTerminalLogger(screen, "quiet") });
  }
}

async function tryAlone({ entries, section, cwd }: TryRequest): Promise<readonly Problem[]> {
  const { tryEntries } = await import("@toolmount/loader/commands");
  const options = { env: process.env, cwd, logger, extensions, section, load: true };
  return (await tryEntries(entries, options)).problems;
}
