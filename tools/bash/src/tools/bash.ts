import { data, defineTool, failure, ownSession, type PartialResult, type ToolContext } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { isPathError } from "@toolmount/paths";
import { z } from "zod";
import { bashUsage as usage } from "./bash-usage.ts";
import { answerOf } from "./answer.ts";
import type { Settings } from "../config.ts";
import { endedProcesses, endedWarning, leftInBackground } from "./left-behind.ts";
import type { Job } from "../jobs.ts";
import type { Judgement } from "../policy/judge.ts";
import { startCommand, type Ending } from "../run/command.ts";
import { openShell, type Services, type Shell } from "../shell.ts";

const missing = "Command is required";

const schema = z.strictObject({
  command: z
    .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
    .regex(/\S/, missing)
    .describe("The command for bash; it runs byte for byte as given"),
  timeout: z
    .int()
    .min(1)
    .max(86_400, "timeout is in seconds, at most 86400")
    .optional()
    .describe("Seconds it may run, up to the plan's limit; in the background no limit by default"),
  run_in_background: z
    .boolean()
    .default(false)
    .describe("Start it and return immediately; read it with bash_output, end it with bash_stop"),
});

const outputSchema = z.union([
  z.strictObject({
    stdout: z.string(),
    stderr: z.string(),
    returncode: z.int(),
    network: z.array(z.string()).optional(),
    truncated: z.literal(true).optional(),
    stdout_total_bytes: z.int().optional(),
    stderr_total_bytes: z.int().optional(),
    id: z.string().optional(),
  }),
  z.strictObject({ id: z.string(), pid: z.int(), message: z.string(), note: z.string() }),
]);

/** Makes the tool that runs a shell command, in the foreground or in the background. */
export function createBash(settings: Settings, services?: Services) {
  return bashIn(openShell(settings, services));
}

export function bashIn(shell: Shell) {
  return defineTool({
    name: "bash",
    description:
      "Runs a shell command in the project's folder and returns its output and return code. Use for builds, tests, git and other programs; to read, write or search files, use the file tools.",
    summary: "Runs a shell command.",
    usage,
    schema,
    outputSchema,
    category: "side_effect",
    control: ["command"],
    consequenceLevel: "high",
    requiresConfirmation: ({ command }) => shell.policy.asks(command),
    // The tool ends a command at its own deadline, with the output so far. The host's deadline only comes later.
    timeout: Math.ceil(Math.max(shell.settings.max_timeout, shell.settings.timeout) * 1000) + 10_000,
    idempotent: false,
    irreversible: shell.isFinal,
    tags: ["shell"],
    version: "1.0.0",
    execute: (params, context) => runCommand(shell, params, context),
  });
}

type Params = z.output<typeof schema>;

async function runCommand(shell: Shell, params: Params, context: ToolContext): Promise<PartialResult> {
  const refused = (await refusalOf(shell, params.command)) ?? full(shell, params);
  if (refused !== null) return refused;
  const problem = shell.takeWallProblem();
  if (problem !== null)
    context.logger.warn(
      { problem },
      `commands run with the host's rights, because the sandbox does not work here: ${problem}`,
    );
  if (context.abortSignal.aborted) return cancelled();
  const { timeoutMs, warnings } = timeoutOf(shell, params);
  let job: Job;
  try {
    job = startJob(shell, params, timeoutMs, context);
  } catch (error) {
    return notStarted(messageOf(error));
  }
  if (params.run_in_background) return await inBackground(job);
  const behind: string[] = [];
  const done = job.running.done.then(({ ending, left, endedBehind }) => {
    behind.push(...(endedBehind ?? leftInBackground(params.command)));
    if (left.length > 0)
      context.logger.warn({ pids: left, command_id: job.id }, "processes of a command could not be ended");
    return ending;
  });
  const ending = await Promise.race([done, stopOnAbort(job, context.abortSignal, done)]);
  const { reached, refused: unlisted } = shell.takeAsked();
  const hosts = unlisted.map((host) => `${host} was refused: it is not among the hosts of network`);
  const notes = {
    reached,
    warnings: [...warnings, ...hosts, ...endedWarning(behind)],
    ended: endedProcesses(behind),
  };
  return answerOf(shell, job, ending, (timeoutMs ?? 0) / 1000, notes);
}

/**
 * Stops the command if the call is cancelled. It then resolves at once, with the output so far, while the processes are still
 * ending, because a host waits only some milliseconds for a cancelled call. Closing the shell waits for the processes.
 */
function stopOnAbort(job: Job, signal: AbortSignal, ended: Promise<Ending>): Promise<Ending> {
  return new Promise((resolve) => {
    const stop = () => {
      job.running.stop();
      resolve({ kind: "stopped" });
    };
    signal.addEventListener("abort", stop, { once: true });
    void ended.then(() => signal.removeEventListener("abort", stop));
  });
}

/** Judges the command again, now with the disk, because a redirection must not lead outside through a link. */
async function refusalOf(shell: Shell, command: string): Promise<PartialResult | null> {
  const judgement = shell.policy.judge(command);
  if (judgement.verdict === "deny") return denied(judgement);
  for (const path of judgement.redirects) {
    try {
      await shell.files.locate(path, "write");
    } catch (thrown) {
      if (!isPathError(thrown)) throw thrown;
      return failure(`Command denied for safety: a redirection leads outside\n  Hint: ${thrown.message}`, {
        code: "COMMAND_DENIED",
        details: { kind: "redirect" },
      });
    }
  }
  const why = await shell.prepare();
  return why === null
    ? null
    : failure(`The sandbox does not work here: ${why}`, { code: "ISOLATION_UNAVAILABLE" });
}

function denied({ finding }: Judgement): PartialResult {
  return failure(`Command denied for safety: ${finding!.reason}\n  Hint: ${finding!.hint}`, {
    code: "COMMAND_DENIED",
    details: { kind: finding!.kind },
  });
}

function full({ settings, jobs }: Shell, { run_in_background }: Params): PartialResult | null {
  const { max_concurrent: most, max_background: mostBehind } = settings;
  const reached = (limit: number, what: string) =>
    failure(`Command rejected: ${what} command limit of ${limit} reached`, {
      code: "CONCURRENCY_LIMIT",
      details: { limit },
    });
  if (most !== undefined && jobs.active >= most) return reached(most, "concurrent");
  if (run_in_background && jobs.activeInBackground >= mostBehind) return reached(mostBehind, "background");
  return null;
}

function timeoutOf({ settings }: Shell, { timeout, run_in_background }: Params) {
  const { max_timeout: most } = settings;
  if (timeout === undefined)
    return { timeoutMs: run_in_background ? null : settings.timeout * 1000, warnings: [] };
  const warnings = timeout > most ? [`timeout is ${most} seconds: more is not allowed`] : [];
  return { timeoutMs: Math.min(timeout, most) * 1000, warnings };
}

function startJob(shell: Shell, params: Params, timeoutMs: number | null, context: ToolContext): Job {
  const { settings, launcher, clock, patience, jobs, finder, guard } = shell;
  guard.start();
  const running = startCommand(params.command, launcher, {
    timeoutMs,
    keepBytes: Math.max(settings.keep_output_bytes, settings.max_output_bytes * 2),
    stopBytes: settings.stop_output_bytes,
    maxProcesses: settings.max_processes,
    clock,
    patience,
    finder,
  });
  const { pid } = running;
  if (pid !== undefined) {
    guard.add(pid);
    void running.done.then(() => guard.remove(pid));
  }
  const { command, run_in_background: background } = params;
  const session = ownSession(context.userId, context.sessionId);
  return jobs.add({ session, command, background, startedAt: clock.now(), running });
}

async function inBackground(job: Job): Promise<PartialResult> {
  const { pid } = job.running;
  if (pid === undefined) {
    const { ending } = await job.running.done;
    return notStarted(ending.kind === "not_started" ? ending.problem : "it has no process");
  }
  return data({
    id: job.id,
    pid,
    message: `Command started in background with PID ${pid}`,
    note: `Read it with bash_output, id ${job.id}; end it with bash_stop. It is ended when the host closes.`,
  });
}

function notStarted(problem: string): PartialResult {
  return failure(`The shell could not be started: ${problem}`, { code: "SHELL_UNAVAILABLE" });
}

function cancelled(): PartialResult {
  return failure("Request was cancelled", { code: "COMMAND_CANCELLED" });
}
