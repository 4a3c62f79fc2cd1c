import { data, failure, type JsonObject, type Omission, type PartialResult } from "@toolmount/core";
import type { Job } from "../jobs.ts";
import type { Ending } from "../run/command.ts";
import { showStream } from "../run/show-stream.ts";
import type { Shell } from "../shell.ts";

interface Notes {
  readonly warnings: readonly string[];
  readonly ended: readonly Omission[];
  /** Hosts that the command reached, if the settings list hosts. */
  readonly reached: readonly string[];
}

/** Returns the answer of a command that has ended in any way. A return code other than 0 is a result, not a failure. */
export function answerOf(
  shell: Shell,
  job: Job,
  ending: Ending,
  timeoutSeconds: number,
  notes: Notes,
): PartialResult {
  const { output, cuts } = outputOf(shell, job);
  const found = [...notes.warnings, ...renameWarning(shell, output.stderr), ...hiddenWarning(shell, job)];
  const warnings = found.length === 0 ? undefined : found;
  const omitted = [...cuts, ...notes.ended];
  const network = notes.reached.length === 0 ? {} : { network: [...notes.reached] };
  if (ending.kind === "exited")
    return data({ ...output, returncode: ending.code, ...network }, { warnings, omitted });
  const { message, code } = failureOf(shell, ending, timeoutSeconds);
  return failure(message, { code, details: { ...output, ...network }, warnings, omitted });
}

function failureOf(
  { settings }: Shell,
  ending: Exclude<Ending, { kind: "exited" }>,
  timeoutSeconds: number,
): { message: string; code: string } {
  if (ending.kind === "timed_out")
    return { message: `Command timed out after ${timeoutSeconds} seconds`, code: "COMMAND_TIMED_OUT" };
  if (ending.kind === "stopped") return { message: "Request was cancelled", code: "COMMAND_CANCELLED" };
  if (ending.kind === "too_much_output") {
    const most = settings.stop_output_bytes;
    const message = `Command ended: it printed more than ${most} bytes; redirect its output to a file, or print less`;
    return { message, code: "OUTPUT_LIMIT" };
  }
  if (ending.kind === "too_many_processes") {
    const most = settings.max_processes;
    return {
      message: `Command was killed: it was more than ${most} processes at one time`,
      code: "PROCESS_LIMIT",
    };
  }
  const code = settings.isolation !== "bubblewrap" ? "SHELL_UNAVAILABLE" : "ISOLATION_UNAVAILABLE";
  return { message: `The shell could not be started: ${ending.problem}`, code };
}

/** Warns that a folder was not renamed: the kernel cannot do that in an overlay. `mv` then copies it, other programs fail. */
function renameWarning({ isInLayer }: Shell, stderr: string): readonly string[] {
  if (!isInLayer || !/cross-device link|EXDEV/i.test(stderr)) return [];
  return [
    "in this layer a folder of the user is not renamed in one step; mv works, so instead of git mv use mv, then git add -A",
  ];
}

/** Warns that a path which the command names is hidden, because a hidden folder only looks empty. */
function hiddenWarning({ hidden }: Shell, { command }: Job): readonly string[] {
  const named = hidden.filter((path) => command.includes(path.replace(/^\$\{HOME\}\//, "")));
  if (named.length === 0) return [];
  const what = named.join(", ");
  return [
    `commands in a layer do not see credentials: ${what}; the plan can name one under allowed_read_paths`,
  ];
}

/** Returns both streams as an answer shows them. What was cut stays readable under the id of the job. */
function outputOf(
  { settings, jobs }: Shell,
  job: Job,
): { output: JsonObject & { readonly stderr: string }; cuts: readonly Omission[] } {
  const { stdout, stderr } = job.running;
  const [out, error] = [stdout, stderr].map((capture) =>
    showStream(capture, settings.max_output_bytes, job.id),
  );
  const output = { stdout: out!.text, stderr: error!.text };
  const cuts = [cutOf("stdout", out!.left, job.id), cutOf("stderr", error!.left, job.id)].flat();
  if (cuts.length === 0) return { output, cuts };
  jobs.keep(job);
  const totals = {
    ...(out!.left === null ? {} : { stdout_total_bytes: stdout.totalBytes }),
    ...(error!.left === null ? {} : { stderr_total_bytes: stderr.totalBytes }),
  };
  return { output: { ...output, truncated: true, ...totals, id: job.id }, cuts };
}

function cutOf(stream: string, left: string | null, id: string): readonly Omission[] {
  if (left === null) return [];
  const how = `bash_output with id ${id} and stream ${stream}`;
  return [{ what: `the middle of ${stream}`, amount: left, why: "the output is longer than an answer", how }];
}
