import { data, defineTool, ownSession } from "@toolmount/core";
import { z } from "zod";
import { jobId, jobNotFound, jobStatus, statusOf } from "./bash-output.ts";
import { bashStopUsage as usage } from "./bash-stop-usage.ts";
import type { Shell } from "../shell.ts";

const outputSchema = z.strictObject({ id: z.string(), ...jobStatus });

/** Makes the tool that ends a background command. */
export function bashStopIn(shell: Shell) {
  return defineTool({
    name: "bash_stop",
    description:
      "Ends a background command of bash, with all its processes. Use when it is no longer needed or hangs; not for other programs.",
    summary: "Ends a background command.",
    usage,
    schema: z.strictObject({ id: jobId }),
    outputSchema,
    category: "side_effect",
    irreversible: true,
    control: ["id"],
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["shell"],
    version: "1.0.0",
    async execute({ id }, { userId, sessionId }) {
      const job = shell.jobs.find(id, ownSession(userId, sessionId));
      if (job === null) return jobNotFound(id);
      job.running.stop();
      await job.running.done;
      return data({ id, ...statusOf(job) });
    },
  });
}
