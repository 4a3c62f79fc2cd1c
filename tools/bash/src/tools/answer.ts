import { data, failure, type JsonObject, type PartialResult } from "@toolmount/core";
import type { Job } from "../jobs.ts";
import type { Ending } from "../run/command.ts";
import { showStream } from "../run/show-stream.ts";
import type { Shell } from "../shell.ts";

/** Returns what a command that ran to some end answers. A return code other than 0 is an answer, not a failure. */
export function answerOf(
  shell: Shell,
  job: Job,
  ending: Ending,
  timeoutSeconds: number,
  warnings: readonly string[],
): PartialResult {
  const output = outputOf(shell, job);
  if (ending.kind === "exited")
    return data({ ...output, returncode: ending.code }, warnings.length === 0 ? {} : { warnings });
  const { message, code } = failureOf(shell, ending, timeoutSeconds);
  return failure(message, { code, details: output, warnings: warnings.length === 0 ? undefined : warnings });
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

/** Both streams as an answer shows them; what was cut stays readable under the job's id. */
function outputOf({ settings, jobs }: Shell, job: Job): JsonObject {
  const { stdout, stderr } = job.running;
  const [out, error] = [stdout, stderr].map((capture) =>
    showStream(capture, settings.max_output_bytes, job.id),
  );
  const output = { stdout: out!.text, stderr: error!.text };
  if (!out!.truncated && !error!.truncated) return output;
  jobs.keep(job);
  return {
    ...output,
    truncated: true,
    ...(out!.truncated ? { stdout_total_bytes: stdout.totalBytes } : {}),
    ...(error!.truncated ? { stderr_total_bytes: stderr.totalBytes } : {}),
    id: job.id,
  };
}
