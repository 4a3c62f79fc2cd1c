import type { ToolInfo } from "@toolmount/core";
import { summaryOf } from "@toolmount/core/sessions";
import { matchesGlob } from "@toolmount/core/text";
import type { ManifestTool } from "@toolmount/loader/commands";
import { Option, type Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { verdictOf, verdictsOfHost, type CallVerdict } from "../../host/call-verdicts.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import type { PlanOptions } from "../../options/plan-options.ts";
import { addPlanOptions } from "../../options/plan-options.ts";
import { addServerOptions, planOfSource, type SourceOptions } from "../../options/source-options.ts";
import { refuseUnknown } from "../../options/refuse-unknown.ts";
import { printable } from "../../screen/printable.ts";
import type { Screen, Style } from "../../screen/screen.ts";
import { writeTable, type Column } from "../../screen/table.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions, Pick<SourceOptions, "stdio" | "http"> {
  readonly json?: true;
  readonly mode?: string;
  readonly tool?: string;
  readonly module?: string;
  readonly format?: "names" | "signatures";
}

/** `toolmount list [plan]`: lists the tools that the plan offers to models. */
export function define(command: Command, shell: Shell): void {
  addServerOptions(addPlanOptions(command))
    .argument("[plan]", planArgument)
    .option("--mode <name>", "only the tools that are offered in this mode")
    .option("--tool <match>", "only tools whose name matches 'read_*', or of a 'category: write'")
    .option("--module <id>", "only tools of this entry")
    .addOption(
      new Option("--format <form>", "names, one a line; signatures: functions of TypeScript").choices([
        "names",
        "signatures",
      ]),
    )
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await list(plan, options, shell));
    });
  addExamples(command, [
    "toolmount list mount-plans/reference.yaml",
    "toolmount list --tool 'category: write'",
    `toolmount list --stdio "npx -y some-server"`,
  ]);
}

/** Lists a plan's tools. Reads only manifests if they are enough; otherwise mounts the plan. */
export async function list(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { json, mode } = options;
  const all =
    (mode === undefined && !hasServer(options) && (await listManifests(plan, options, shell))) ||
    (await listMounted(plan, options, shell));
  await refuseUnknownNames(options, all.tools);
  const listing = { ...all, tools: all.tools.filter(createFilter(options)) };
  if (json === true) shell.out.json(listing);
  else if (options.format === "names") for (const { name } of listing.tools) shell.out.line(printable(name));
  else if (options.format === "signatures") await writeSignatures(shell.out, listing.tools);
  else writeTools(shell.out, listing.tools);
  return exitCodes.done;
}

function hasServer({ stdio, http }: Options): boolean {
  return (stdio ?? http) !== undefined;
}

function createFilter({ tool, module }: Options): (tool: ListedTool) => boolean {
  const category = categoryOf(tool);
  return (listed) =>
    (tool === undefined || category !== undefined || matchesGlob(tool, listed.name)) &&
    (category === undefined || listed.category === category) &&
    (module === undefined || listed.module === module);
}

/** Returns the category if `--tool` has the form `category: write`, as in a rule of a plan; otherwise undefined. */
function categoryOf(tool: string | undefined): string | undefined {
  return /^category:\s*(\S*)$/.exec(tool ?? "")?.[1];
}

const categories = ["read", "write", "delete", "side_effect"];

/**
 * Throws `USAGE_INVALID` for a filter that names a tool, a category or an entry that does not exist, because an empty list would
 * look like an answer. A name with `*` or `?` is a pattern, and may match nothing.
 */
async function refuseUnknownNames({ tool, module }: Options, tools: readonly ListedTool[]): Promise<void> {
  const category = categoryOf(tool);
  if (tool !== undefined && category === undefined && !/[*?]/.test(tool)) {
    await refuseUnknown(
      "tool",
      tool,
      tools.map(({ name }) => name),
    );
  }
  await refuseUnknown("tool", category, [...categories, ...tools.map((listed) => String(listed.category))]);
  await refuseUnknown(
    "module",
    module,
    tools.map((listed) => listed.module),
  );
}

interface Listing {
  readonly plan: string | undefined;
  /** Where the tools were read: from manifests of packages, or from the mounted modules. */
  readonly from: "manifests" | "modules";
  readonly tools: readonly ListedTool[];
}

type ListedTool = (ManifestTool | ToolInfo) & {
  readonly module: string;
  readonly calls: CallVerdict | undefined;
};

/** Lists tools from manifests, without importing a module. Null if a manifest is missing, or the plan has a lock file. */
async function listManifests(
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<Listing | null> {
  const { env: overlays } = options;
  // This imports a separate entry, because the loader's index would also load its YAML parser and schemas, which manifests do not
  // need.
  const { listPlan } = await import("@toolmount/loader/list");
  const { file, entries, isDoubtful, hasPolicy, isLocked } = await listPlan(plan, {
    cwd: shell.cwd,
    overlays,
  });
  // Only mounted tools show whether they match the lock file.
  if (isLocked) return null;
  const tools: Omit<ListedTool, "calls">[] = [];
  for (const entry of entries) {
    if (entry.tools === null) return null;
    tools.push(...entry.tools.map((tool) => ({ ...tool, module: entry.id })));
  }
  if (isDoubtful || overlays !== undefined) await refuseInvalid(plan, options, shell);
  const answers = new Map(hasPolicy ? await askPolicies(plan, options, shell) : []);
  const judged = tools.map((tool) => ({ ...tool, calls: verdictOf(tool, answers.get(tool.name) ?? []) }));
  return { plan: file, from: "manifests", tools: judged.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

async function askPolicies(plan: string | undefined, options: Options, shell: Shell) {
  const [{ askAboutTools }, { loaderOptions }] = await Promise.all([
    import("@toolmount/loader/commands"),
    import("../../host/loader-options.ts"),
  ]);
  const asked = await askAboutTools(plan, loaderOptions(options, shell));
  return asked.map(({ tool, answers }) => [tool.name, answers] as const);
}

/** Checks the whole plan without importing its modules. Throws `PLAN_INVALID`; logs if a plan with overlays has no lock. */
async function refuseInvalid(plan: string | undefined, options: Options, shell: Shell): Promise<void> {
  const [{ inspectPlan, planError }, { loaderOptions }] = await Promise.all([
    import("@toolmount/loader/commands"),
    import("../../host/loader-options.ts"),
  ]);
  const { problems } = await inspectPlan(plan, loaderOptions(options, shell));
  if (problems.length > 0) throw planError(problems);
}

async function listMounted(plan: string | undefined, options: Options, shell: Shell): Promise<Listing> {
  const { mode, stdio, http } = options;
  const [{ openHost }, { loaderOptions }] = await Promise.all([
    import("@toolmount/loader"),
    import("../../host/loader-options.ts"),
  ]);
  const input = planOfSource(plan, { ...(stdio && { stdio }), ...(http && { http }) });
  const host = await openHost(input, loaderOptions(options, shell));
  try {
    if (host.coordinator.get("mode-catalog") === null) {
      const { defaultMode } = await import("@toolmount/core/sessions");
      await refuseUnknown("mode", mode, [defaultMode]);
    }
    const offered = mode === undefined ? host.tools() : (await host.offer({ mode })).tools;
    const calls = await verdictsOfHost(host, offered, mode);
    const tools = offered.map((tool) => ({ ...tool, module: tool.owner, calls: calls.get(tool.name) }));
    return { plan: host.plan.file, from: "modules", tools };
  } finally {
    await host.close();
  }
}

function writeTools(screen: Screen, tools: readonly ListedTool[]): void {
  writeTable(screen, columnsOf(screen), tools);
  screen.line();
  const drifted = tools.filter(({ calls }) => calls === "changed" || calls === "not locked").length;
  const next = drifted === 0 ? "" : `; ${drifted} not as the lock file has it: toolmount lock`;
  screen.line(screen.paint("dim", `${countOf(tools, "tool")}${next}`));
}

async function writeSignatures(screen: Screen, tools: readonly ListedTool[]): Promise<void> {
  const { signatureOf } = await import("../../render/signature.ts");
  for (const tool of tools) {
    screen.line(screen.paint("dim", `/** ${printable(summaryOf(tool)).replaceAll("*/", "* /")} */`));
    screen.line(printable(signatureOf(tool.name, tool.inputSchema ?? {})));
  }
}

function columnsOf(screen: Screen): Column<ListedTool>[] {
  return [
    { title: "tool", cell: ({ name }) => screen.paint("bold", printable(name)) },
    { title: "category", cell: ({ category }) => printable(String(category ?? "–")) },
    {
      title: "consequence",
      cell: ({ consequenceLevel: level }) =>
        screen.paint(colours.get(level) ?? "dim", printable(String(level ?? "–"))),
    },
    { title: "calls", cell: ({ calls }) => (calls === undefined ? "–" : callText(screen, calls)) },
    { title: "module", cell: ({ module }) => printable(module) },
    { title: "summary", cell: (tool) => printable(summaryOf(tool)) },
  ];
}

// This is a Map, because a manifest may contain any value as a level.
const colours = new Map<unknown, Style>([
  ["low", "green"],
  ["medium", "yellow"],
  ["high", "red"],
]);

/** Returns what happens to calls, in colour unless they run without a question. */
function callText(screen: Screen, calls: CallVerdict): string {
  if (calls === "runs") return "run";
  if (calls === "denied") return screen.paint("red", "denied");
  if (calls === "changed") return screen.paint("red", "denied: changed");
  if (calls === "not locked") return screen.paint("red", "denied: not locked");
  return screen.paint("yellow", calls === "asks" ? "ask" : "some ask");
}
