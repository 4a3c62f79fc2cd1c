import { data, defineTool, ownSession } from "@toolmount/core";
import { z } from "zod";
import { bashListUsage as usage } from "./bash-list-usage.ts";
import { jobStatus, statusOf } from "./bash-output.ts";
import type { Shell } from "../shell.ts";

const outputSchema = z.strictObject({
  jobs: z.array(
    z.strictObject({
      id: z.string(),
      pid: z.int().nullable(),
      command: z.string(),
      ...jobStatus,
      started_at: z.string(),
      stdout_bytes: z.int(),
      stderr_bytes: z.int(),
    }),
  ),
});

/** Makes the tool that lists the session's background commands. */
export function bashListIn(shell: Shell) {
  return defineTool({
    name: "bash_list",
    description:
      "Lists the background commands of this session, running and ended. Use to find a lost id or to see running commands; to read one, use bash_output.",
    summary: "Lists background commands.",
    usage,
    schema: z.strictObject({}),
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["shell"],
    version: "1.0.0",
    execute: (_params, { userId, sessionId }) =>
      data({
        jobs: shell.jobs.list(ownSession(userId, sessionId)).map((job) => ({
          id: job.id,
          pid: job.running.pid ?? null,
          command: job.command.length > 200 ? `${job.command.slice(0, 200)}…` : job.command,
          ...statusOf(job),
          started_at: new Date(job.startedAt).toISOString(),
          stdout_bytes: job.running.stdout.totalBytes,
          stderr_bytes: job.running.stderr.totalBytes,
        })),
      }),
  });
}
