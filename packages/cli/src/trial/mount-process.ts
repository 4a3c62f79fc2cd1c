// The process in which check mounts a plan: what its modules break is not the command. Started by run-trial.ts.
import type { EntryStatus, Problem } from "@toolmount/loader";
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

export interface MountReport {
  readonly file: string | undefined;
  readonly entries: readonly EntryStatus[];
  /** Of modules that are not required: the plan opens without them. */
  readonly problems: readonly Problem[];
}

await answerTrial(async (): Promise<MountReport> => {
  const { plan, cwd, overlays, verbosity } = readRequest() as MountRequest;
  const { openHost } = await import("@toolmount/loader");
  const logger = createTerminalLogger(createScreen(process.stderr, process.env), verbosity);
  const host = await openHost(plan, { env: process.env, cwd, overlays, logger, extensions });
  const { entries } = host.status();
  await host.close();
  return { file: host.plan.file, entries, problems: entries.flatMap((entry) => entry.problems) };
});
