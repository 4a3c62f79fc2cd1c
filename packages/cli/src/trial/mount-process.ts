// The process in which `check` mounts a plan and `add` tries new entries, so that modules cannot break the command itself.
import type { ToolInfo } from "@toolmount/core";
import { toolsHere } from "@toolmount/core/internal";
import type { EntryStatus, LockChange, OpenedHost, Problem } from "@toolmount/loader";
import type { ServerProbe, ServerStatus } from "@toolmount/mcp";
import type { EditedSection, NewEntry } from "@toolmount/loader/commands";
import { createTerminalLogger, withoutFailures } from "../host/terminal-logger.ts";
import { extensions } from "../host/extensions.ts";
import type { Verbosity } from "../process/shell.ts";
import { problemsOf } from "../render/failure.ts";
import { createScreen } from "../screen/screen.ts";
import { answerTrial, readRequest } from "./trial-message.ts";

/** A plan, and the options for opening it. */
export interface MountRequest {
  readonly plan: string | undefined;
  readonly cwd: string;
  readonly overlays: readonly string[] | undefined;
  readonly verbosity: Verbosity;
  /** Whether each MCP server is also connected, and reported. */
  readonly probe?: boolean | undefined;
}

/** Entries that are mounted without the rest of the plan, before they are added to it. `cwd` is the folder of that plan. */
export interface TryRequest {
  readonly entries: readonly NewEntry[];
  readonly section: EditedSection;
  readonly cwd: string;
  readonly verbosity: Verbosity;
}

export interface TryReport {
  readonly problems: readonly Problem[];
  /** The tools of those modules that can be mounted without the rest of the plan. */
  readonly tools: readonly TriedTool[];
}

/** A tool that a trial mounted. */
export interface TriedTool {
  readonly name: string;
  /** Whether the tool itself requires a question before a call; `dynamic` if that depends on the arguments. */
  readonly asks: boolean | "dynamic";
  readonly category: string | undefined;
  readonly consequence: string | undefined;
  /** The tokens of its definition in each request to a model, as `toolmount list cost` counts them. */
  readonly tokens: number;
}

export interface MountReport {
  readonly file: string | undefined;
  readonly entries: readonly EntryStatus[];
  /** Problems of optional modules: the plan opens without them. */
  readonly problems: readonly Problem[];
  /** Settings of the plan that have no effect on the tools that it mounts. */
  readonly dead: readonly Problem[];
  /** Tools that differ from the plan's lock file. */
  readonly lockChanges: readonly LockChange[];
  /** Members that modules of the plan add to the context of tools. */
  readonly context: readonly string[];
  /** The MCP servers in the plan's order; empty without `probe`. */
  readonly servers: readonly ServerStatus[];
}

const request = readRequest() as MountRequest | TryRequest;
const screen = createScreen(process.stderr, process.env);
const logger = withoutFailures(createTerminalLogger(screen, request.verbosity));
await answerTrial((): Promise<MountReport | TryReport> =>
  "entries" in request ? tryAlone(request) : mountPlan(request),
);

async function mountPlan({ plan, cwd, overlays, probe }: MountRequest): Promise<MountReport> {
  const { openHost } = await import("@toolmount/loader");
  const options = { env: process.env, cwd, overlays, logger, extensions };
  const host = await openHost(plan, options);
  const servers = probe === true ? await probeServers(host) : [];
  const { entries, lockChanges } = host.status();
  // Internal tools count, too, because rules may apply to requests for resources and prompts of MCP servers.
  const tools = host.tools({ includeInternal: true });
  const context = toolsHere(host)[0]?.provided ?? [];
  await host.close();
  const problems = entries.flatMap((entry) => entry.problems);
  // A rule may apply to the tools of a module that could not be mounted. So if there are problems, rules without effect are not
  // searched.
  const dead = problems.length > 0 ? [] : await findDeadSettings(tools);
  return { file: host.plan.file, entries, problems, dead, lockChanges, context, servers };

  async function findDeadSettings(offered: readonly ToolInfo[]): Promise<readonly Problem[]> {
    const { lintPlan } = await import("@toolmount/loader/commands");
    // The host has already logged the plan's warnings.
    return lintPlan(plan, offered, { ...options, logger: createTerminalLogger(screen, "quiet") });
  }
}

/** Connects to all MCP servers of the plan at the same time, and returns their states. */
async function probeServers({ coordinator }: OpenedHost): Promise<readonly ServerStatus[]> {
  const { probeChannel } = await import("@toolmount/mcp");
  const probes = (await coordinator.collectContributions(probeChannel)) as readonly ServerProbe[];
  return Promise.all(probes.map((connect) => connect()));
}

async function tryAlone({ entries, section, cwd }: TryRequest): Promise<TryReport> {
  const { tryEntries } = await import("@toolmount/loader/commands");
  const options = { env: process.env, cwd, logger, extensions };
  const { problems, mountable } = await tryEntries(entries, { ...options, section, load: true });
  if (problems.length > 0 || mountable.length === 0) return { problems, tools: [] };
  const { openHost } = await import("@toolmount/loader");
  try {
    const host = await openHost({ version: 1, [section]: mountable }, options);
    const tools = await describeTools(host);
    await host.close();
    return { problems: [], tools };
  } catch (error) {
    const found = problemsOf(error);
    if (found === undefined) throw error;
    return { problems: found, tools: [] };
  }
}

async function describeTools(host: OpenedHost): Promise<readonly TriedTool[]> {
  const { measureOffer } = await import("../render/offer-cost.ts");
  const tools = host.tools();
  const { tools: costs } = await measureOffer({ ...(await host.offer()), tools }, ["mcp"]);
  return tools.map(({ name, requiresConfirmation, category, consequenceLevel }, at) => ({
    name,
    asks: requiresConfirmation,
    category,
    consequence: consequenceLevel,
    tokens: costs[at]?.tokens.mcp ?? 0,
  }));
}
