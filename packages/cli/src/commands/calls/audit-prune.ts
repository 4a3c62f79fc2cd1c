import { systemClock, ToolmountError, type AuditSink } from "@toolmount/core";
import { auditSinkOf } from "@toolmount/record/internal";
import { InvalidArgumentError, type Command } from "commander";
import { withPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { countOf } from "../../screen/count.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/** `toolmount audit prune <days> [plan]`: deletes the chains of records that got no new record in the given days. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("<days>", "the days without a record", readDays)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (days: number, plan: string | undefined, options: Options) => {
      const deleted = await withPlan(plan, options, shell, (host) => prune(auditSinkOf(host), days));
      if (options.json === true) shell.out.json({ deleted });
      else shell.out.line(`${countOf(deleted, "record")} deleted`);
      shell.end(exitCodes.done);
    });
  addExamples(command, ["toolmount audit prune 90"]);
}

function readDays(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number of days, from 1.");
}

/**
 * Deletes old records. Each process writes a chain of records, which is deleted completely or not at all. Throws
 * `EXTENSION_MISSING` for an audit that is not in a store.
 */
async function prune(sink: AuditSink, days: number): Promise<number> {
  if (sink.prune !== undefined) return sink.prune(systemClock.now() - days * 86_400_000);
  throw new ToolmountError("EXTENSION_MISSING", {
    what: "the audit of this plan cannot delete records; toolmount audit prune",
    module: "an audit in a store",
    install: "the line state: sqlite:./.toolmount/state.db in the plan",
  });
}
