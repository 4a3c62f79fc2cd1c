import { ToolmountError, type JsonObject, type ToolInfo } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import type { OpenedHost } from "@toolmount/loader";
import type { Command } from "commander";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { readPlanAndTool } from "../../options/operands.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { addSourceOptions, planOfSource, type SourceOptions } from "../../options/source-options.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { argumentRows, exampleArguments } from "../../render/arguments.ts";
import { jsonText, printable, printableLines } from "../../screen/printable.ts";
import type { Screen } from "../../screen/screen.ts";
import { writeTable } from "../../screen/table.ts";

interface Options extends PlanOptions, SourceOptions {
  readonly json?: true;
}

/** `toolmount describe [plan] <tool>`: all that a person needs to know to call a tool. */
export function define(command: Command, shell: Shell): void {
  addSourceOptions(addPlanOptions(command))
    .usage("[options] [plan] <tool>")
    .argument("[plan]", planArgument)
    .argument("[tool]", "the tool, by the name that list shows")
    .option(...jsonOption)
    .action(async (first: string | undefined, second: string | undefined, options: Options) => {
      const { plan, tool } = readPlanAndTool(first, second, shell.settings.plan);
      shell.end(await describe(plan, tool, options, shell));
    });
  addExamples(command, [
    "toolmount describe read_file",
    "toolmount describe mount-plans/coding.yaml grep --json",
  ]);
}

async function describe(
  plan: string | undefined,
  name: string,
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  const host = await openPlan(planOfSource(plan, options), options, shell);
  try {
    const tool = findTool(host, name);
    const example = exampleArguments(tool.inputSchema);
    if (options.json === true) shell.out.json({ ...tool, example });
    else writeTool(tool, example, shell);
    return exitCodes.done;
  } finally {
    await host.close();
  }
}

function findTool(host: OpenedHost, name: string): ToolInfo {
  const tools = host.tools();
  const found = tools.find((tool) => tool.name === name || tool.aliases.includes(name));
  if (found !== undefined) return found;
  const near = nearestNames(
    name,
    tools.map((tool) => tool.name),
  );
  throw new ToolmountError("TOOL_NOT_FOUND", { tool: name, near });
}

function writeTool(tool: ToolInfo, example: JsonObject, { out }: Shell): void {
  const title = (text: string) => out.line(`\n${out.paint("bold", text)}`);
  out.line(`${out.paint("bold", printable(tool.name))}  ${out.paint("dim", factsOf(tool))}`);
  out.line(printableLines(tool.description));
  const rows = argumentRows(tool.inputSchema);
  title("Arguments");
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
  title("Call");
  for (const line of callLines(tool.name, example, out)) out.line(line);
  if (tool.usage !== undefined) {
    title("Guidance for the model");
    out.line(printableLines(tool.usage).trimEnd());
  }
  out.line(
    `\nWhich lines of the plan shaped it, and what decides a call: toolmount why ${printable(tool.name)}`,
  );
}

/** The command of a call. Where it is longer than a line, it has one argument a line, and can be pasted as it is. */
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
