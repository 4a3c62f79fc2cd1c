import type { Json } from "@toolmount/core";
import { Option, type Command } from "commander";
import { comparePlans, readPlanSide, type PlanDifference } from "../../trial/compared-plan.ts";
import { readRunningPlan } from "../../trial/running-plan.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { withStatus } from "../../process/with-status.ts";
import { writeLockChanges } from "../../render/lock-changes.ts";
import { shortPath } from "../../render/problems.ts";
import { countOf } from "../../screen/count.ts";
import { jsonText, printable } from "../../screen/printable.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly format?: "markdown";
  readonly host: string;
}

/** `toolmount diff <before> [now]`: shows what changes for models and people, before a merge or a reload. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument(
      "<before>",
      "the plan as it was, or the address of a server that runs it; its token is TOOLMOUNT_TOKEN",
    )
    .argument("<now>", "the plan as it is now, or such an address")
    .option("--host <name>", "the host of that server", "default")
    .addOption(new Option("--format <name>", "markdown: a comment for a pull request").choices(["markdown"]))
    .option(...jsonOption)
    .action(async (before: string, now: string, options: Options) => {
      shell.end(await diff(before, now, options, shell));
    });
  addExamples(command, [
    "toolmount diff main/mount-plan.yaml mount-plan.yaml",
    "toolmount diff http://127.0.0.1:4680 mount-plan.yaml",
  ]);
}

async function diff(
  before: string,
  now: string,
  { host, json, format, ...options }: Options,
  shell: Shell,
): Promise<ExitCode> {
  const difference = await withStatus(shell, "mounting both", async (inner) => {
    const read = (side: string) =>
      /^https?:\/\//.test(side)
        ? readRunningPlan({ url: side, host, token: inner.env["TOOLMOUNT_TOKEN"] })
        : readPlanSide(side, options, inner);
    const then = await read(before);
    return comparePlans(then, await read(now));
  });
  if (json === true) shell.out.json(difference);
  else if (format === "markdown") shell.out.line(commentOf(difference, shell));
  else writeDifference(difference, shell);
  return isSame(difference) ? exitCodes.done : exitCodes.failed;
}

function isSame({ tools, calls, values }: PlanDifference): boolean {
  return tools.length + calls.length + values.length === 0;
}

function writeDifference(difference: PlanDifference, { out, cwd }: Shell): void {
  const { tools, calls, values } = difference;
  const title = (text: string) => out.line(out.paint("bold", text));
  if (tools.length > 0) title("tools");
  writeLockChanges(out, tools);
  if (calls.length > 0) title("who is asked");
  for (const { tool, before, now } of calls)
    out.line(`  ${printable(tool)}  ${out.paint("red", before ?? "–")} → ${out.paint("green", now ?? "–")}`);
  if (values.length > 0) title("the plan");
  for (const { path, before, now } of values) {
    out.line(`  ${printable(path)}`);
    if (before !== undefined) out.line(`    ${out.paint("red", `- ${oneLine(before)}`)}`);
    if (now !== undefined) out.line(`    ${out.paint("green", `+ ${oneLine(now)}`)}`);
  }
  const mark = isSame(difference) ? out.paint("green", "✔") : out.paint("yellow", "⚠");
  out.line(`${mark} ${summaryOf(difference, cwd)}`);
}

function summaryOf({ before, now, tools, calls, values }: PlanDifference, cwd: string): string {
  const [was, is] = [before, now].map((name) =>
    printable(name.includes("://") ? name : shortPath(name, cwd)),
  );
  const parts = [
    ...(tools.length > 0 ? [countOf(tools, "tool")] : []),
    ...(calls.length > 0
      ? [`${countOf(calls, "tool")} that ${calls.length === 1 ? "asks" : "ask"} otherwise`]
      : []),
    ...(values.length > 0 ? [`${countOf(values, "value")} of the plan`] : []),
  ];
  return `from ${was} to ${is}: ${parts.join(", ") || "no difference"}`;
}

/** Returns a comment for a pull request, with tables in the form that GitHub and GitLab show. */
function commentOf(difference: PlanDifference, { cwd }: Shell): string {
  const { tools, calls, values } = difference;
  const rows = (head: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", head, head.replaceAll(/[^|]+/g, " --- "), ...lines];
  const changed = tools.map(
    ({ tool, change, differences }) =>
      `| ${cell(tool)} | ${change} | ${differences.map(({ path }) => cell(path)).join(", ")} |`,
  );
  const asked = calls.map(({ tool, before = "–", now = "–" }) => `| ${cell(tool)} | ${before} | ${now} |`);
  const set = values.map(({ path, before, now }) => `| ${cell(path)} | ${cellOf(before)} | ${cellOf(now)} |`);
  return [
    `**toolmount**: ${summaryOf(difference, cwd)}`,
    ...rows("| tool | change | what |", changed),
    ...rows("| who is asked | before | now |", asked),
    ...rows("| in the plan | before | now |", set),
  ].join("\n");
}

/** Maximum number of characters of a cell. Longer text is cut. */
const maxCell = 200;

function cell(text: string): string {
  const short = text.length > maxCell ? `${text.slice(0, maxCell)}…` : text;
  return `\`${printable(short).replaceAll("`", "'").replaceAll("|", "\\|")}\``;
}

function cellOf(value: Json | undefined): string {
  return value === undefined ? "–" : cell(oneLine(value));
}

function oneLine(value: Json): string {
  return jsonText(value, 0);
}
