import { ToolmountError, type JsonObject, type ToolInfo } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import type { Command } from "commander";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import { readCallOperands, type CallOperands } from "../../options/operands.ts";
import {
  addSourceOptions,
  hasSource,
  planOfSource,
  type SourceOptions,
} from "../../options/source-options.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { argumentRows, exampleArguments } from "../../render/arguments.ts";
import { jsonText, printable, printableLines } from "../../screen/printable.ts";
import type { Screen } from "../../screen/screen.ts";
import { writeTable } from "../../screen/table.ts";
import { addCallOptions, explain, writeExplanation, type CallOptions, type Explained } from "./why.ts";

interface Options extends CallOptions, SourceOptions {
  readonly json?: true;
}

/** `toolmount describe [plan] <tool>`: shows everything needed to call a tool, and what happens to a call. */
export function define(command: Command, shell: Shell): void {
  addSourceOptions(addCallOptions(command))
    .option(...jsonOption)
    .action(async (words: string[], options: Options) => {
      shell.end(await describe(readCallOperands(words, shell.settings.plan), options, shell));
    });
  addExamples(command, [
    "toolmount describe read_file",
    "toolmount describe read_file file_path=.env",
    "toolmount describe mount-plans/coding.yaml grep --json",
  ]);
}

async function describe(operands: CallOperands, options: Options, shell: Shell): Promise<ExitCode> {
  const why = hasSource(options) ? null : await explain(operands, options, shell);
  const leftOut = why?.tools.find((one) => one.name === null);
  if (leftOut !== undefined && options.json !== true) {
    writeExplanation(operands.tool, why!, shell);
    return exitCodes.done;
  }
  const tool = findTool(why?.listed ?? (await listTools(operands, options, shell)), operands.tool);
  const example = exampleArguments(tool.inputSchema);
  if (options.json === true) shell.out.json({ ...tool, example, why: shortOf(why, tool) });
  else {
    writeTool(tool, example, shell);
    if (why !== null) writeDecisions(operands.tool, why, shell);
    writeGuidance(tool, shell);
  }
  return exitCodes.done;
}

/** Lists the tools of a source on the command line, or of a plan that cannot be explained. Throws the problems of such a plan. */
async function listTools(
  { plan }: CallOperands,
  options: Options,
  shell: Shell,
): Promise<readonly ToolInfo[]> {
  const host = await openPlan(planOfSource(plan, options), options, shell);
  try {
    return host.tools();
  } finally {
    await host.close();
  }
}

/**
 * Returns the plan's lines that shaped a tool and what decides a call. Leaves out the definition, which the report already has.
 */
function shortOf(why: Explained | null, { name }: ToolInfo) {
  const found = why?.tools.find((one) => one.name === name);
  return found === undefined
    ? null
    : { origins: found.origins, answers: found.answers, verdict: found.verdict };
}

function writeDecisions(name: string, why: Explained, shell: Shell): void {
  writeTitle("Lines that shaped it, and what decides a call", shell);
  writeExplanation(name, why, shell);
}

function findTool(tools: readonly ToolInfo[], name: string): ToolInfo {
  const found =
    tools.find((tool) => tool.name === name || tool.aliases.includes(name)) ??
    tools.find(({ declaredName }) => declaredName === name);
  if (found !== undefined) return found;
  const near = nearestNames(
    name,
    tools.map((tool) => tool.name),
  );
  throw new ToolmountError("TOOL_NOT_FOUND", { tool: name, near });
}

function writeTitle(text: string, { out }: Shell): void {
  out.line(`\n${out.paint("bold", text)}`);
}

function writeTool(tool: ToolInfo, example: JsonObject, shell: Shell): void {
  const { out } = shell;
  out.line(`${out.paint("bold", printable(tool.name))}  ${out.paint("dim", factsOf(tool))}`);
  out.line(printableLines(tool.description));
  const rows = argumentRows(tool.inputSchema);
  writeTitle("Arguments", shell);
  if (rows.length === 0) out.line("none");
  else
    writeTable(
      out,
      [
        { title: "name", cell: ({ name }) => out.paint("cyan", printable(name)) },
        { title: "type", cell: ({ type }) => printable(type) },
        { title: "required", cell: ({ required }) => (required ? "yes" : "no") },
        { title: "description", cell: ({ text }) => printable(text), whole: true },
      ],
      rows,
    );
  writeTitle("Call", shell);
  for (const line of callLines(tool.name, example, out)) out.line(line);
}

function writeGuidance({ usage }: ToolInfo, shell: Shell): void {
  if (usage === undefined) return;
  writeTitle("Guidance for the model", shell);
  shell.out.line(printableLines(usage).trimEnd());
}

/**
 * Returns the command of a call. If it is too long for a line of the terminal, it has a line for each argument, and can still be
 * pasted.
 */
function callLines(name: string, example: JsonObject, { columns = Infinity }: Screen): string[] {
  const write = (indent: number) =>
    `toolmount call ${printable(name)} '${jsonText(example, indent).replaceAll("'", String.raw`'\''`)}'`;
  const short = write(0);
  return short.length <= columns ? [short] : write(2).split("\n");
}

function factsOf(tool: ToolInfo): string {
  const { owner, version, category = "unclassified", consequenceLevel = "unknown", timeoutMs } = tool;
  const confirmation = {
    true: "by itself asks before each call",
    false: "by itself asks for no call",
    dynamic: "by itself asks for some calls",
  };
  const module = version === undefined ? owner : `${owner}, version ${version}`;
  return printable(
    [
      module,
      category,
      `consequence ${consequenceLevel}`,
      confirmation[`${tool.requiresConfirmation}`],
      `timeout ${timeoutMs} ms`,
      ...(tool.previews === true ? ["can be rehearsed"] : []),
      ...(tool.undoable === true ? ["can be undone"] : []),
      ...(tool.irreversible === true ? ["cannot be undone"] : []),
    ].join(" · "),
  );
}
