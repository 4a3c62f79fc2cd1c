import { resolve } from "node:path";
import { systemClock } from "@toolmount/core";
import { auditSinkOf } from "@toolmount/record/internal";
import type { Command } from "commander";
import { readSigningKey, requireWhole, signHeads } from "../../audit/sign-heads.ts";
import { withPlan } from "../../host/open-plan.ts";
import { addExamples, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";

/**
 * `toolmount audit sign <key> [plan]`: prints a signature over the newest record (head) of each chain, if the audit is unchanged.
 */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("<key>", "the file of an Ed25519 key in PEM")
    .argument("[plan]", planArgument)
    .action(async (file: string, plan: string | undefined, options: PlanOptions) => {
      const line = await withPlan(plan, options, shell, async (host) => {
        const sink = auditSinkOf(host);
        const key = await readSigningKey(resolve(shell.cwd, file));
        await requireWhole(sink);
        return signHeads(sink, key, systemClock.now());
      });
      shell.out.line(line);
      shell.end(exitCodes.done);
    });
  addExamples(command, ["toolmount audit sign audit-key.pem >> signatures.jsonl"]);
}
