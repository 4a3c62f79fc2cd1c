import { ownSession, ToolmountError, userIn } from "@toolmount/core";
import type { Layer, Section } from "@toolmount/sandbox";
import type { Command } from "commander";
import {
  askToKeep,
  dropAll,
  keepChosen,
  layersOf,
  listWaiting,
  waitingIn,
  type KeepingSession,
} from "../../agent/ask-to-keep.ts";
import { readPaths } from "../../agent/read-paths.ts";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";

interface Options extends PlanOptions {
  readonly session?: string;
  readonly user?: string;
  readonly accept?: string;
  readonly remove?: true;
  readonly json?: true;
}

/** `toolmount keep [plan]`: shows the changes that wait in the layer of a session, and asks the person which to keep or drop. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .argument(
      "[paths...]",
      "after --accept: keep only these paths, as they are listed; a.ts:1,3 is two parts of a file",
    )
    .option("--session <id>", "the session; without, that of calls without a session")
    .option("--accept <digest>", "keep all of it without a question, if it still has this digest")
    .option("--remove", "drop all of it without a question")
    .option("--user <id>", "the user whose session it is")
    .option(...jsonOption)
    .action(async (plan: string | undefined, paths: readonly string[], options: Options) => {
      shell.end(await keep(plan, paths, options, shell));
    });
  addExamples(command, [
    "toolmount keep",
    "toolmount keep --session office --json",
    "toolmount keep mount-plan.yaml src/a.ts --session office --accept 4f1c…",
  ]);
}

function keep(
  plan: string | undefined,
  paths: readonly string[],
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  return shell.interruptible(async (controller) => {
    const host = await openPlan(plan, options, shell);
    try {
      const layers = layersOf(host);
      if (layers === null)
        throw new ToolmountError("USAGE_INVALID", {
          problem: "the plan has no layer; write layer: ./ at its top",
        });
      const { mainSession } = await import("@toolmount/workers");
      const sessionId = ownSession(options.user, options.session ?? mainSession);
      const session = { host, layers, sessionId, userId: userIn(sessionId, options.user) };
      return await answerOrShow(session, { ...options, paths }, shell, controller);
    } finally {
      await host.close();
    }
  });
}

const all: readonly Section[] = ["files", "repository", "deletions", "obeyed"];

async function answerOrShow(
  session: KeepingSession,
  { accept: digest, paths, remove, json }: Options & { readonly paths: readonly string[] },
  shell: Shell,
  controller: AbortController,
): Promise<ExitCode> {
  const { out, err, terminal } = shell;
  if (digest !== undefined) {
    const { unknown, ...named } = readPaths((await waitingIn(session)).difference.changes, paths);
    for (const path of unknown) err.line(`${printable(path)} does not wait; nothing of it is kept`);
    const choice = { digest, sections: all, ...(paths.length > 0 && named) };
    return (await keepChosen(session, choice, err)) === true ? exitCodes.done : exitCodes.failed;
  }
  if (terminal !== undefined && json !== true && remove !== true) {
    const became = await askToKeep(session, { err, terminal }, controller);
    if (became === "nothing waits") err.line(became);
    return became === "waits" ? exitCodes.pending : exitCodes.done;
  }
  const waiting = await waitingIn(session);
  const { changes, left, digest: shown } = waiting.difference;
  if (
    remove === true &&
    changes.length > 0 &&
    (await dropAll(session, shown, json === true ? err : out)) !== true
  )
    return exitCodes.failed;
  if (json === true) out.json(waiting.difference);
  else if (remove !== true) for (const line of await listWaiting(out, waiting)) out.line(line);
  if (changes.length + left.length === 0 && json !== true) out.line("nothing waits");
  if (json !== true) undoLine(waiting.layer, out);
  return changes.length === 0 || remove === true ? exitCodes.done : exitCodes.pending;
}

/** Says how much disk space the kept changes use for an undo. */
function undoLine(layer: Layer, out: Shell["out"]): void {
  const count = layer.keeps().length;
  if (count === 0) return;
  const megabytes = (layer.keptBytes() / 1e6).toFixed(1);
  out.line(out.paint("dim", `${countOf(count, "keep")} can be undone, with ${megabytes} MB on the disk`));
}
