import { silentLogger, type JsonObject, type PlanPosition, type ToolInfo } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import type { ExplainedAnswer, ExplainedTool, Explanation, ToolOrigin } from "@toolmount/loader/commands";
import type { Command } from "commander";
import { readJsonObject } from "../../options/json-option.ts";
import { fitTexts, parseInner } from "../../options/call-text.ts";
import { readCallOperands, readPairs, readText, type CallOperands } from "../../options/operands.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import type { Verdict } from "@toolmount/record/internal";
import { printable } from "../../screen/printable.ts";
import type { Screen } from "../../screen/screen.ts";
import { wrapped } from "../../screen/wrap.ts";
import { shortPath, writeProblems } from "../../render/problems.ts";
import type { Shell } from "../../process/shell.ts";
import { usageError } from "../../process/usage-error.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

/** Options that describe the call to be judged. */
export interface CallOptions extends PlanOptions {
  readonly arguments?: string;
  readonly mode?: string;
  readonly user?: string;
  readonly session?: string;
  readonly prompt?: readonly string[];
}

type Options = CallOptions & { readonly json?: true };

/** `toolmount why [plan] <tool>`: shows which lines of the plan shaped a tool, and what would decide a call of the tool. */
export function define(command: Command, shell: Shell): void {
  addCallOptions(command)
    .option(...jsonOption)
    .action(async (words: string[], options: Options) => {
      shell.end(await why(readCallOperands(words, shell.settings.plan), options, shell));
    });
  addExamples(command, [
    "toolmount describe read_file",
    "toolmount describe read_file file_path=.env",
    `toolmount describe mount-plans/coding.yaml write_file --arguments '{"file_path":"a.txt"}'`,
  ]);
}

/** Adds the arguments and options that name the tool and describe the call to be judged. */
export function addCallOptions(command: Command): Command {
  return addPlanOptions(command)
    .usage("[options] [plan] <tool> [arguments]")
    .argument(
      "[plan-tool-arguments...]",
      "the plan, if it is not the nearest one; a tool, by its offered name or the one its author gave it; arguments of the call that is judged, written as for toolmount call",
    )
    .option("--arguments <json>", "the same as JSON")
    .option("--mode <name>", "the mode of the call that is judged")
    .option("--user <id>", "the user of the call that is judged")
    .option("--session <id>", "the session of the call that is judged")
    .option("--prompt <text...>", "what the user wrote before the call that is judged");
}

async function why(operands: CallOperands, options: Options, shell: Shell): Promise<ExitCode> {
  const explanation = await explain(operands, options, shell);
  const { listed: _, ...rest } = explanation;
  if (options.json === true) shell.out.json(rest);
  else writeExplanation(operands.tool, explanation, shell);
  return explanation.tools.length === 0 ? exitCodes.failed : exitCodes.done;
}

/** Finds the lines of the plan that shaped a tool, and what would decide a call of the tool. */
export async function explain(
  operands: CallOperands,
  options: CallOptions,
  shell: Shell,
): Promise<Explained> {
  const { plan, tool } = operands;
  const { explainTool } = await import("@toolmount/loader/commands");
  const { judgeCalls } = await import("@toolmount/record/internal");
  const argumentsOf = await readGiven(operands, options.arguments, shell);
  const { mode, user, session, prompt: prompts } = options;
  const asked = { mode, user, session, prompts };
  const call = { tool, ...asked, arguments: argumentsOf };
  const { tools, verdicts, problems } = await judgeCalls(call, plan, loaderOptions(options, shell));
  // The plan is read again to find the lines. This time nothing is logged, because the first reading already logged its warnings.
  const quiet = { ...loaderOptions(options, shell), logger: silentLogger };
  const named = tools?.find(({ name, declaredName }) => [name, declaredName].includes(tool));
  const given = { ...asked, arguments: argumentsOf(named) };
  const explained = await explainTool(tool, plan, { ...quiet, ...given, tools });
  const judged = explained.tools.map((one) => ({ ...one, verdict: verdicts.get(one.name ?? "") ?? null }));
  const known = explained.problems.length > 0 ? explained.problems : problems;
  return { ...explained, tools: judged, problems: known, listed: tools };
}

/**
 * Returns a function that returns the call's arguments for a tool, whose schema decides the types of values in `name=text`.
 * Throws if arguments are given twice.
 */
async function readGiven(
  { text, pairs, written }: CallOperands,
  option: string | undefined,
  shell: Shell,
): Promise<(tool: ToolInfo | undefined) => JsonObject | undefined> {
  const words = [option, text, written, pairs[0]].filter((given) => given !== undefined);
  if (words.length > 1) throw usageError("the arguments are given twice; give them once");
  if (written !== undefined) {
    const inner = await parseInner(written);
    return () => inner;
  }
  if (pairs.length === 0) {
    const whole = text === "-" ? await readText(shell.input) : text;
    const read = readJsonObject("--arguments", option) ?? readJsonObject("the word after the tool", whole);
    return () => read;
  }
  const read = await readPairs(pairs, shell.cwd);
  return (tool) =>
    tool === undefined ? read.arguments : fitTexts(read.arguments, read.texts, tool.inputSchema);
}

/** A tool with the verdict on a call of it. The verdict is null if the plan leaves the tool out, or cannot be opened. */
type JudgedTool = ExplainedTool & { readonly verdict: Verdict | null };

/** The explanation of a tool. `listed` holds all tools that the plan offers; undefined if the plan cannot be opened. */
export type Explained = Omit<Explanation, "tools"> & {
  readonly tools: readonly JudgedTool[];
  readonly listed: readonly ToolInfo[] | undefined;
};

export function writeExplanation(name: string, explanation: Explained, shell: Shell): void {
  writeProblems(shell.err, explanation.problems, shell.cwd);
  if (explanation.tools.length === 0) return writeMissing(name, explanation, shell);
  for (const tool of explanation.tools) writeTool(tool, shell);
}

function writeMissing(name: string, { offered, unknown }: Explained, { out }: Shell): void {
  const near = nearestNames(name, offered).map(printable).join(", ");
  out.line(
    `${out.paint("red", "✖")} no entry offers a tool ${printable(name)}${near === "" ? "" : `; near: ${near}`}`,
  );
  if (unknown.length > 0)
    out.line(
      out.paint(
        "yellow",
        `  not looked into, because they have no manifest and the plan cannot be opened: ${unknown.map(printable).join(", ")}`,
      ),
    );
}

function writeTool({ name, declared, entry, origins, answers, verdict }: JudgedTool, shell: Shell): void {
  const { out } = shell;
  const title = name === null ? `${declared.name} is left out` : name;
  out.line(`${out.paint("bold", printable(title))}  ${out.paint("dim", facts(declared, entry))}`);
  for (const origin of origins) writeOrigin(origin, shell);
  for (const answer of answers) writeAnswer(answer, shell);
  if (name !== null && answers.length === 0)
    writeRow("decides", "no policy of the plan answers for this tool", undefined, shell);
  if (declared.requiresConfirmation !== undefined && declared.requiresConfirmation !== false)
    writeRow(
      "asks",
      `the tool itself: requiresConfirmation is ${String(declared.requiresConfirmation)}`,
      undefined,
      shell,
    );
  if (name === null) writeRow("verdict", "not offered: the plan leaves this tool out", undefined, shell);
  else if (verdict !== null) writeVerdict(verdict, shell);
}

const verdictTexts = {
  allow: { style: "green", text: "allowed: the call runs" },
  ask: { style: "yellow", text: "asks: a person has to approve the call" },
  deny: { style: "red", text: "denied" },
  invalid: { style: "red", text: "these arguments are refused" },
  not_found: { style: "red", text: "not offered here" },
  depends: {
    style: "yellow",
    text: "depends on the arguments: none could be made up, give them with --arguments",
  },
} as const;

function writeVerdict({ answer, reason, rules, madeUp }: Verdict, shell: Shell): void {
  const { out } = shell;
  const { style, text } = verdictTexts[answer];
  if (madeUp !== null)
    writeRow(
      "judged",
      `with the arguments ${JSON.stringify(madeUp)}; set others with --arguments`,
      undefined,
      shell,
    );
  const because = reason === "" ? "" : `: ${reason}`;
  const where = rules.length === 0 ? "" : ` (${rules.join(", ")})`;
  const verdict = `${out.paint(style, text)}${printable(`${because}${where}`)}`;
  out.line(labelled(out.paint("bold", "verdict".padEnd(9)), verdict, out));
}

function facts(declared: ExplainedTool["declared"], { version, specifier }: ExplainedTool["entry"]): string {
  const { name, category = "unclassified", consequenceLevel = "unknown" } = declared;
  const module = version === undefined ? specifier : `${specifier} ${version}`;
  return printable(`${name} of ${module} · ${category} · consequence ${consequenceLevel}`);
}

function writeOrigin({ what, value, position, before }: ToolOrigin, shell: Shell): void {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const was =
    before.length === 0 ? "" : `  (over ${before.map((place) => placeOf(place, shell)).join(", ")})`;
  writeRow(what, `${text}${was}`, position, shell);
}

function writeAnswer({ policy, answer }: ExplainedAnswer, shell: Shell): void {
  if (answer.answer === "none") return;
  const reason = answer.reason === undefined ? "" : `: ${answer.reason}`;
  writeRow("decides", `${answer.answer} (${answer.rule ?? policy})${reason}`, undefined, shell);
}

function writeRow(what: string, text: string, position: PlanPosition | undefined, shell: Shell): void {
  const place = position === undefined ? "" : `  ${shell.out.paint("dim", placeOf(position, shell))}`;
  const { out } = shell;
  out.line(labelled(out.paint("cyan", what.padEnd(9)), `${printable(text)}${place}`, out));
}

/** Returns a label, followed by a text that is broken between words. */
function labelled(label: string, text: string, out: Screen): string {
  return `  ${label} ${wrapped(out, text, 12).trimStart()}`;
}

function placeOf({ file, line }: PlanPosition, { cwd }: Shell): string {
  return printable(`${shortPath(file, cwd)}:${line}`);
}
