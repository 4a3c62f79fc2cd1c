import { resolve } from "node:path";
import type { AuditSink } from "@toolmount/core";
import type { Command } from "commander";
import { openSessions } from "../../agent/open-reasoner.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { agreesToWrite } from "../../clients/client-options.ts";
import { withPlan } from "../../host/open-plan.ts";
import { openJudge, type Judge } from "@toolmount/record/internal";
import { planPolicyRules, type PlannedEdit } from "../../edit/edit-plan.ts";
import { suggestRules, type Suggestion } from "@toolmount/record/internal";
import {
  flowLinesOf,
  suggestFromSessions,
  type SessionSuggestion,
  type SuggestedFlows,
} from "@toolmount/record/internal";
import { changeLines } from "../../render/change-lines.ts";
import { shortPath } from "../../render/problems.ts";
import { diffPolicy } from "@toolmount/record/internal";
import { type PolicyDiff } from "@toolmount/record";
import { readCallsOf, readCallsOfAudit, type RecordedCall } from "@toolmount/record/internal";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { usageError } from "../../process/usage-error.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";

interface DiffOptions extends PlanOptions {
  readonly from: string;
  readonly json?: true;
}

interface SuggestOptions extends PlanOptions {
  readonly from: string;
  readonly yes?: true;
  readonly json?: true;
}

const records = "a tape, an audit as JSON lines, or audit: the audit of the plan";
const answers = `${records}; sessions: those that the plan's store has, which also suggest flows`;

/** `toolmount policy diff|suggest`: shows what a plan's policy does with recorded calls, or suggests lines. No tool runs. */
export function define(command: Command, shell: Shell): void {
  const summary =
    "Show the recorded calls that the plan would answer otherwise; exit code 1 if there are any";
  addPlanOptions(command.command("diff").summary(summary).description(`${summary}.`))
    .argument("[plan]", planArgument)
    .requiredOption("--from <record>", records)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: DiffOptions) =>
      shell.end(await diff(plan, options, shell)),
    );
  const advice = "Suggest lines for the plan that allow what people allowed, and ask about what they denied";
  addPlanOptions(command.command("suggest").summary(advice).description(`${advice}.`))
    .argument("[plan]", planArgument)
    .option("--from <record>", answers, "audit")
    .option("-y, --yes", "write the lines into the plan without asking; comments stay")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: SuggestOptions) =>
      shell.end(await suggest(plan, options, shell)),
    );
  addExamples(command, [
    "toolmount policy suggest --from audit.jsonl",
    "toolmount policy suggest --from sessions --yes",
    "toolmount policy diff new-plan.yaml --from audit.jsonl",
    "toolmount policy diff --from calls.tape --json",
  ]);
}

async function diff(plan: string | undefined, options: DiffOptions, shell: Shell): Promise<ExitCode> {
  const judge = await openJudge(plan, loaderOptions(options, shell));
  try {
    const found = await withCalls(plan, ["--from", options.from], options, shell, (calls) =>
      diffPolicy(calls, judge),
    );
    if (options.json === true) shell.out.json(found);
    else writeDiff(found, shell);
    return found.changed > 0 || found.judged === 0 ? exitCodes.failed : exitCodes.done;
  } finally {
    await judge.close();
  }
}

/** Passes the calls of a recorded file to `read` or, if `from` is `audit`, those of the plan's audit. */
async function withCalls<Result>(
  plan: string | undefined,
  [option, from]: readonly [option: string, value: string],
  options: PlanOptions,
  shell: Shell,
  read: (calls: AsyncIterable<RecordedCall>) => Promise<Result>,
): Promise<Result> {
  if (from !== "audit") return read(readCallsOf(resolve(shell.cwd, from)));
  return withPlan(plan, options, shell, async ({ coordinator }) => {
    const sink = coordinator.get("audit-sink") as AuditSink | null;
    if (sink !== null) return read(readCallsOfAudit(sink));
    throw usageError(`the plan says "audit: off"; name a file with ${option}`);
  });
}

function writeDiff({ judged, changed, groups, notJudged }: PolicyDiff, { out }: Shell): void {
  const styles = { allow: "green", ask: "yellow", deny: "red" } as const;
  for (const { tool, from, to, rule, count, examples } of groups) {
    const change = `${from} → ${out.paint(styles[to], to)}`;
    const because = rule === "" ? "" : to === "allow" ? `; asked by ${rule}` : ` by ${rule}`;
    out.line(
      `${change} ${out.paint("bold", printable(tool))}${printable(because)}: ${countOf(count, "call")}`,
    );
    for (const { arguments: given, user = "" } of examples)
      out.line(out.paint("dim", `    ${printable(given)}${user === "" ? "" : `  ${printable(user)}`}`));
  }
  for (const [why, count] of Object.entries(notJudged))
    out.line(out.paint("yellow", `not judged, ${countOf(count, "call")}: ${printable(why)}`));
  out.line(`${countOf(judged, "call")} judged, ${changed} would be answered otherwise`);
}

async function suggest(plan: string | undefined, options: SuggestOptions, shell: Shell): Promise<ExitCode> {
  const judge = await openJudge(plan, loaderOptions(options, shell));
  try {
    const found = await findLines(plan, options, shell, judge);
    const given = { cwd: shell.cwd, flows: flowLinesOf(found) };
    const edit = await planPolicyRules(plan, listsOf(found), given);
    if (options.json !== true) writeSuggestion(found, edit, shell);
    await saveAgreed(edit, options, shell);
    if (options.json === true) shell.out.json({ ...found, file: edit.report.file, after: edit.after });
    return exitCodes.done;
  } finally {
    await judge.close();
  }
}

/** Writes the lines into the plan, if `--yes` is given or a person at the terminal agrees. */
async function saveAgreed(edit: PlannedEdit, options: SuggestOptions, shell: Shell): Promise<void> {
  if (edit.before === edit.after) return;
  const isAgreed = await agreesToWrite("Write these lines into the plan?", options, shell);
  if (isAgreed) await edit.save();
  if (options.json === true) return;
  shell.out.line(isAgreed ? "the plan has these lines now" : "nothing is written; --yes writes it");
}

async function findLines(
  plan: string | undefined,
  options: SuggestOptions,
  shell: Shell,
  judge: Judge,
): Promise<SessionSuggestion> {
  if (options.from === "sessions")
    return withPlan(plan, options, shell, async (host) =>
      suggestFromSessions(host, await openSessions(host), judge),
    );
  const read = (calls: AsyncIterable<RecordedCall>) => suggestRules(calls, judge);
  return { ...(await withCalls(plan, ["--from", options.from], options, shell, read)), flows: null };
}

function listsOf({ lines }: Suggestion): Readonly<Record<string, readonly string[]>> {
  const of = (name: string) => lines.filter(({ list }) => list === name).map(({ line }) => line);
  return { allow: of("allow"), ask: of("ask") };
}

function writeSuggestion(found: SessionSuggestion, edit: PlannedEdit, shell: Shell): void {
  const { out } = shell;
  for (const { list, line, calls, examples } of found.lines) {
    out.line(`${list} ${out.paint("bold", printable(line))}: ${countOf(calls, "call")}`);
    for (const { arguments: given } of examples) out.line(out.paint("dim", `    ${printable(given)}`));
  }
  for (const [why, count] of Object.entries(found.remaining))
    out.line(out.paint("yellow", `not covered, ${countOf(count, "call")}: ${printable(why)}`));
  out.line(`${countOf(found.answered, "answered call")}, ${countOf(found.spared, "question")} spared`);
  if (found.budget !== null)
    out.line(
      `the longest of ${found.budget.sessions} sessions made ${countOf(found.budget.calls, "call")}: budgets: { calls: ${found.budget.calls} } would have allowed all`,
    );
  if (found.flows !== null) writeFlows(found.flows, shell);
  if (edit.before === edit.after) return;
  out.line(`lines for ${printable(shortPath(edit.report.file, shell.cwd))}:`);
  for (const text of changeLines(edit.before, edit.after, out)) out.line(text);
}

function writeFlows({ lines, before, after, fresh }: SuggestedFlows, { out }: Shell): void {
  for (const { section, line, calls } of lines) {
    const { match, ...rest } = line as { readonly match: { readonly tool: string | readonly string[] } };
    const tools = [match.tool].flat().join(", ");
    const what = Object.entries(rest).map(([key, value]) => `${key} ${shortValue(value)}`);
    out.line(
      `flows ${section} ${out.paint("bold", printable(tools))}: ${printable(what.join(", "))}: ${countOf(calls.length, "call")}`,
    );
  }
  out.line(`flows ask about ${after} of the approved calls; without these lines, about ${before}`);
  if (fresh > 0)
    out.line(
      out.paint("yellow", `flows would ask about ${countOf(fresh, "call")} that ran without a question`),
    );
}

/** Formats a value as YAML on one line, without quotes. */
function shortValue(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('"', "")
    .replaceAll(/([:,])(?=\S)/g, "$1 ");
}
