import {
  data,
  defineTool,
  failure,
  ownSession,
  type Omission,
  type PartialResult,
  type ToolContext,
} from "@toolmount/core";
import { z } from "zod";
import { bashOutputUsage as usage } from "./bash-output-usage.ts";
import type { Job } from "../jobs.ts";
import { wholeCharacters, withoutControls } from "../run/show-stream.ts";
import type { Shell } from "../shell.ts";

export const jobId = z.string().min(1).describe("The id from bash");

const schema = z.strictObject({
  id: jobId,
  stream: z.enum(["stdout", "stderr"]).default("stdout").describe("Which stream to read"),
  offset: z
    .int()
    .min(0)
    .default(0)
    .describe("Start, in bytes; for the next part, next_offset of the last result"),
  limit: z.int().min(4).max(100_000).default(50_000).describe("Most bytes to return"),
  wait: z
    .number()
    .min(0)
    .max(60)
    .default(0)
    .describe("Seconds to wait for more output after offset while the command is running"),
});

/** The state of a background command, as the tools for such commands return it. */
export const jobStatus = {
  status: z.enum([
    "running",
    "exited",
    "stopped",
    "timed_out",
    "too_much_output",
    "too_many_processes",
    "not_started",
  ]),
  returncode: z.int().nullable(),
};

const outputSchema = z.strictObject({
  id: z.string(),
  ...jobStatus,
  stream: z.enum(["stdout", "stderr"]),
  content: z.string(),
  offset: z.int(),
  next_offset: z.int(),
  total_bytes: z.int(),
  missing_bytes: z.int().optional(),
});

/** Makes the tool that reads the output of a background command, or of a command whose answer was cut. */
export function bashOutputIn(shell: Shell) {
  return defineTool({
    name: "bash_output",
    description:
      "Reads the output of a background command, or the rest of an output that bash cut. Use with the id from bash; to run a command, use bash.",
    summary: "Reads the output of a command.",
    usage,
    schema,
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    timeout: 70_000,
    idempotent: true,
    tags: ["shell"],
    version: "1.0.0",
    async execute({ id, stream, offset, limit, wait }, context) {
      const job = shell.jobs.find(id, ownSession(context.userId, context.sessionId));
      if (job === null) return jobNotFound(id);
      if (wait > 0) await moreOf(shell, job, { stream, offset, ms: wait * 1000, context });
      return page(job, stream, offset, limit);
    },
  });
}

/** Makes the failure for an unknown id. It is the same for ids of other sessions. */
export function jobNotFound(id: string): PartialResult<never> {
  return failure(`No command has the id ${id}; it may have been dropped to make room. bash_list lists them`, {
    code: "JOB_NOT_FOUND",
    details: { id },
  });
}

function page(job: Job, stream: "stdout" | "stderr", from: number, limit: number) {
  const capture = job.running[stream];
  const { bytes, offset } = capture.page(from, limit);
  const isLast = offset + bytes.length >= capture.totalBytes && job.ending !== null;
  const whole = isLast ? bytes : wholeCharacters(bytes);
  const next = offset + whole.length;
  const part = {
    id: job.id,
    ...statusOf(job),
    stream,
    content: withoutControls(whole.toString()),
    offset,
    next_offset: next,
    total_bytes: capture.totalBytes,
    ...(offset > from ? { missing_bytes: offset - from } : {}),
  };
  const missing = {
    what: "output that is not kept",
    why: "only the start and the end of long outputs are kept",
  };
  const rest = { what: "the output after this part", why: "the part is full", how: `offset: ${next}` };
  return data(part, {
    omitted: [
      ...bytesOf(offset - from, { ...missing, how: "run it again, with the output in a file" }),
      ...(bytes.length < limit - 3 ? [] : bytesOf(capture.totalBytes - next, rest)),
    ],
  });
}

function bytesOf(count: number, entry: Omit<Omission, "amount">): readonly Omission[] {
  return count > 0 ? [{ ...entry, amount: `${count} bytes` }] : [];
}

/** Returns the status of a command, and the return code of one that ended by itself, else null. */
export function statusOf({ ending }: Job) {
  if (ending === null) return { status: "running" as const, returncode: null };
  return { status: ending.kind, returncode: ending.kind === "exited" ? ending.code : null };
}

interface Wish {
  readonly stream: "stdout" | "stderr";
  readonly offset: number;
  readonly ms: number;
  readonly context: ToolContext;
}

/** Waits until there is more output after the offset, the command ends, the time is over, or the caller gives up. */
function moreOf({ clock }: Shell, job: Job, { stream, offset, ms, context }: Wish): Promise<void> {
  const isEnough = () => job.ending !== null || job.running[stream].totalBytes > offset;
  if (isEnough() || context.abortSignal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      timer.cancel();
      stopListening();
      context.abortSignal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = clock.setTimer(finish, ms);
    const stopListening = job.running.onChange(() => {
      if (isEnough()) finish();
    });
    context.abortSignal.addEventListener("abort", finish, { once: true });
    void job.running.done.then(finish);
  });
}
