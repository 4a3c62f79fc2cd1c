import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Approver, CallRequest, Progress } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { isToolInterrupt, ownSession, ToolmountError } from "@toolmount/core";
import type { Command } from "commander";
import { createRuleWriter, type RuleWriter } from "../../host/rule-writer.ts";
import { createTerminalApprover } from "../../host/terminal-approver.ts";
import { readUserName } from "../../host/user-name.ts";
import { openPlan } from "../../host/open-plan.ts";
import { readRequest } from "../../host/read-request.ts";
import { readCallOperands, type CallOperands } from "../../options/operands.ts";
import {
  addSourceOptions,
  hasSource,
  planOfSource,
  type SourceOptions,
} from "../../options/source-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { addTapeOptions, exitCodeOfReplay, type TapeOptions } from "../../options/tape-options.ts";
import { readMilliseconds } from "../../options/milliseconds.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import { writeNextCommands } from "../../render/next-commands.ts";
import { saveContent } from "../../render/content.ts";
import { shortPath } from "../../render/problems.ts";
import { rehearsalFacts, writeRehearsal } from "../../render/rehearsal.ts";
import { exitCodeOfCall, writeOutcome } from "../../render/outcome.ts";
import { askOption, firstOption, makeList, type ListOptions } from "../../options/list-options.ts";
import { printable } from "../../screen/printable.ts";
import { shellWith, type Shell } from "../../process/shell.ts";
import type { ExitCode } from "../../process/exit-codes.ts";
import { openStatus } from "../../process/with-status.ts";
import { interruption } from "../../process/signals.ts";

export interface CallOptions extends PlanOptions, TapeOptions, SourceOptions, ListOptions {
  readonly json?: true;
  readonly approve?: true;
  readonly rehearse?: true;
  readonly out?: string;
  readonly session?: string;
  readonly user?: string;
  readonly mode?: string;
  readonly timeout?: number;
}

/** `toolmount call [plan] <tool> [arguments]`: makes one call, and shows its outcome. */
export function define(command: Command, shell: Shell): void {
  addCallOptions(command)
    .usage("[options] [plan] <tool> [arguments]")
    .argument(
      "[plan-tool-arguments...]",
      "the plan, if it is not the nearest one; the tool; its arguments as JSON, as name=text, name:=JSON or name=@file, as 'tool(name: value)', or - to read JSON from standard input",
    )
    .action(async (words: string[], options: CallOptions) => {
      shell.end(await callWords(words, options, shell));
    });
  addExamples(command, [
    "toolmount call read_file file_path=README.md limit=5",
    `toolmount call 'read_file(file_path: README.md, limit: 5)'`,
    `toolmount call mount-plans/coding.yaml read_file '{"file_path":"README.md","limit":5}'`,
    `echo '{"name":"Ada"}' | toolmount call agent_hello_world - --json`,
    `toolmount call --module ./tools/count-words.ts count_words text=@README.md`,
    `toolmount call draw_chart of=sales --out charts`,
    `toolmount call --stdio "npx -y some-server" search query=tools`,
  ]);
}

/** Adds the options of `toolmount call`, which `program` and `describe` have, too. */
export function addCallOptions(command: Command): Command {
  return addSourceOptions(addTapeOptions(addPlanOptions(command)))
    .option("--session <id>", "the session of the call")
    .option("--user <id>", "the user of the call")
    .option("--mode <name>", "the mode of the session")
    .option(
      "--timeout <ms>",
      "cancel the call after this many milliseconds, questions included",
      readMilliseconds,
    )
    .option("--out <folder>", "write images, sounds and resources of the result into this folder")
    .option("--approve", "approve this one call without a question")
    .option("--rehearse", "only show what the call would change")
    .option(...askOption)
    .option(...firstOption)
    .option(...jsonOption);
}

/**
 * Makes the call of the words `[plan] <tool> [arguments]`. `id` is the id of the call: in a session, a call with the same id
 * continues one whose process died. Throws `USAGE_INVALID` for words that name no tool.
 */
export function callWords(
  words: readonly string[],
  options: CallOptions,
  shell: Shell,
  id?: string,
): Promise<ExitCode> {
  return call(readCallOperands(words, shell.settings.plan), options, shell, id);
}

async function call(
  operands: CallOperands,
  options: CallOptions,
  given: Shell,
  id?: string,
): Promise<ExitCode> {
  const { plan } = operands;
  const { status, shell } = openStatus(given);
  const input = planOfSource(plan, options);
  const { outcome, rehearsed, session, code } = await shell.interruptible(async (controller) => {
    const terminal = operands.text === "-" ? undefined : shell.terminal;
    const rules = createRuleWriter(shell.cwd);
    const approver = chooseApprover(options, terminal, shell, controller, rules);
    const host = await openPlan(input, options, shell, { approver, needs: [operands.tool] });
    if (!hasSource(options)) rules.opened(host);
    const giveUp = startGiveUp(options.timeout, controller);
    try {
      const asked = shellWith(shell, { terminal: options.json === true ? undefined : terminal });
      const request = await readRequest(operands, host, asked, controller);
      const context = contextOf(options, shell, controller.signal);
      status.show([request.name]);
      const called = id === undefined ? request : { ...request, id };
      const done =
        options.rehearse === true
          ? rehearse(host, called, context, options)
          : host
              .call(called, context)
              .then((own) => ({ outcome: own, rehearsed: null, session: options.session }));
      const ended = await done.finally(() => status.show([]));
      return { ...ended, code: exitCodeOfReplay(host, exitCodeOfCall(ended.outcome), shell) };
    } catch (error) {
      throw isToolInterrupt(error)
        ? new ToolmountError("INTERRUPTED", { tool: operands.tool }, { cause: error })
        : error;
    } finally {
      clearTimeout(giveUp);
      await host.close();
    }
  });
  const saved = options.out === undefined ? [] : await saveContent(outcome, resolve(shell.cwd, options.out));
  const more = {
    ...(options.out !== undefined && { saved }),
    ...(rehearsed && { rehearsal: rehearsalFacts(rehearsed) }),
  };
  if (options.json === true) shell.out.json({ ...outcome, ...more });
  else {
    writeOutcome(shell.out, outcome);
    if (rehearsed !== null && (options.ask !== true || outcome.ticket !== undefined))
      writeRehearsal(shell.out, rehearsed);
    for (const path of saved)
      shell.out.line(`${shell.out.paint("green", "✔")} ${printable(shortPath(path, shell.cwd))}`);
    if (!hasSource(options)) writeNextCommands(shell.out, outcome, { plan, session, user: options.user });
  }
  return code;
}

/** Rehearses a call. With `--ask`, those calls of the rehearsal's list that the person approves are then made. */
async function rehearse(
  host: OpenedHost,
  request: CallRequest,
  { mode: _, sessionId: __, ...context }: ReturnType<typeof contextOf>,
  options: CallOptions,
) {
  // The changes of a rehearsal are stored under a session, so it needs an id. Other calls get no id, because loading
  // `node:crypto` takes 5 ms.
  const session = host.session(ownSession(options.user, options.session ?? randomUUID()));
  const rehearsed = session.rehearse();
  const outcome = await rehearsed.call(request, context);
  const made = outcome.status === "ok" ? await makeList(rehearsed, options, context, request) : null;
  return { outcome: made ?? outcome, rehearsed, session: session.id };
}

function chooseApprover(
  { approve }: CallOptions,
  terminal: Shell["terminal"],
  { err, env }: Shell,
  controller: AbortController,
  rules: RuleWriter,
): Approver["ask"] | undefined {
  if (approve === true) return () => ({ decision: "approve", by: "--approve" });
  if (terminal === undefined) return undefined;
  return createTerminalApprover(
    err,
    terminal,
    () => controller.abort(interruption("SIGINT")),
    undefined,
    readUserName(env),
    rules,
  );
}

function startGiveUp(timeout: number | undefined, controller: AbortController): NodeJS.Timeout | undefined {
  if (timeout === undefined) return undefined;
  return setTimeout(() => controller.abort(new Error(`gave up after ${timeout} ms`)), timeout);
}

function contextOf({ session, user, mode, json }: CallOptions, { err }: Shell, abortSignal: AbortSignal) {
  return {
    sessionId: session,
    userId: user,
    mode,
    abortSignal,
    ...(err.columns !== undefined &&
      json !== true && {
        onProgress: (report: Progress) => err.line(err.paint("dim", progressText(report))),
      }),
  };
}

function progressText({ progress, total, message = "" }: Progress): string {
  return `${progress}${total === undefined ? "" : `/${total}`} ${printable(message)}`.trimEnd();
}
