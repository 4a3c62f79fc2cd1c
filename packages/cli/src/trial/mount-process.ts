// The process in which check mounts a plan, and add tries new entries: what modules break is not the command.
// Started by run-trial.ts.
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
  /** Tools that differ from the plan's lock file. */
  readonly lockChanges: readonly LockChange[];
}

const request = readRequest() as MountRequest | TryRequest;
const logger = createTerminalLogger(createScreen(process.stderr, process.env), request.verbosity);
await answerTrial((): Promise<MountReport | readonly Problem[]> =>
  "entries" in request ? tryAlone(request) : mountPlan(request),
);

async function mountPlan({ plan, cwd, overlays }: MountRequest): Promise<MountReport> {
  const { openHost } = await import("@toolmount/loader");
  const host = await openHost(plan, { env: process.env, cwd, overlays, logger, extensions });
  const { entries, lockChanges } = host.status();
  await host.close();
  return { file: host.plan.file, entries, problems: entries.flatMap((entry) => entry.problems), lockChanges };
}

async function tryAlone({ entries, section, cwd }: TryRequest): Promise<readonly Problem[]> {
  const { tryEntries } = await import("@toolmount/loader/commands");
  const options = { env: process.env, cwd, logger, extensions, section, load: true };
  return (await tryEntries(entries, options)).problems;
}
