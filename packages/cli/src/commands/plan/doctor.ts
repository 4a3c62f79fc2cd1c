import type { LockChange, Problem } from "@toolmount/loader";
import type { ServerStatus } from "@toolmount/mcp";
import type { Command } from "commander";
import { describeWay, findDirectServers, type DirectServer } from "../../clients/direct-servers.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { examineMachine, type MachineFinding } from "../../host/machine.ts";
import {
  describeLack,
  examineProviders,
  lacksOf,
  tryModel,
  type KnownProvider,
  type PlanModel,
} from "../../host/model-providers.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import type { PackageWarning } from "../../install/examine-packages.ts";
import { withStatus } from "../../process/with-status.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell, Verbosity } from "../../process/shell.ts";
import { problemsOf } from "../../render/failure.ts";
import { writeDrift } from "../../render/lock-changes.ts";
import { shortPath, writeProblems } from "../../render/problems.ts";
import { countModules } from "../../render/written-entries.ts";
import { countOf } from "../../screen/count.ts";
import type { Screen } from "../../screen/screen.ts";
import { printable } from "../../screen/printable.ts";
import { isLocked, mountInProcess } from "../../trial/mount-plan.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/** `toolmount doctor [plan]`: reports which programs, packages, keys and servers are missing or do not work. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await doctor(plan, options, shell));
    });
  addExamples(command, ["toolmount doctor mount-plans/coding.yaml"]);
}

interface Diagnosis {
  readonly machine: readonly MachineFinding[];
  /** The providers of models, each with what is missing before it can be used. */
  readonly models: readonly KnownProvider[];
  /** The model of the plan, and whether it can be asked; null for a plan without a model. */
  readonly planModel: PlanModel | null;
  readonly plan: string | undefined;
  readonly modules: readonly {
    readonly id: string;
    readonly section: string;
    readonly version: string | undefined;
    readonly path: string | undefined;
  }[];
  readonly doubts: readonly PackageWarning[];
  readonly problems: readonly Problem[];
  /** Tools that differ from the plan's lock file; empty if it has none. */
  readonly lockChanges: readonly LockChange[];
  /** The plan's MCP servers, after an attempt to connect to each. */
  readonly servers: readonly ServerStatus[];
  /** Servers of the plan that a client on this machine also starts or reaches without the plan. */
  readonly direct: readonly DirectServer[];
}

async function doctor(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const diagnosis = await withStatus(shell, "trying everything", (inner) => examine(plan, options, inner));
  if (options.json === true) shell.out.json(diagnosis);
  else writeDiagnosis(diagnosis, shell);
  if (diagnosis.problems.length > 0) return exitCodes.planInvalid;
  if (diagnosis.lockChanges.length > 0) return exitCodes.failed;
  if (diagnosis.servers.some((server) => !isReached(server))) return exitCodes.failed;
  return diagnosis.doubts.some(({ kind }) => kind !== "unused") ? exitCodes.failed : exitCodes.done;
}

async function examine(plan: string | undefined, options: Options, shell: Shell): Promise<Diagnosis> {
  const [machine, ofPlan] = await Promise.all([examineMachine(shell), examinePlan(plan, options, shell)]);
  // A plan that is not found is already one of the problems, so the providers are then looked up from the current folder.
  const models = await examineProviders(ofPlan.plan, shell);
  const { agent, ...found } = ofPlan;
  return { machine, models, planModel: await tryModel(agent, models, shell.env), ...found };
}

async function examinePlan(
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<Omit<Diagnosis, "machine" | "models" | "planModel"> & { readonly agent?: unknown }> {
  const { inspectPlan, readMcpServers } = await import("@toolmount/loader/commands");
  const { examinePackages } = await import("../../install/examine-packages.ts");
  try {
    const inspected = await inspectPlan(plan, loaderOptions(options, shell));
    const modules = inspected.entries.map(({ id, section, version, path }) => ({
      id,
      section,
      version,
      path,
    }));
    const doubts = await examinePackages(inspected.entries, process.versions.node);
    const problems = [
      ...inspected.problems,
      ...inspected.entries.filter(({ required }) => !required).flatMap((entry) => entry.problems),
    ];
    const { file, written } = inspected.plan;
    // A plan with problems is not mounted, because mounting would report the same problems again.
    const { servers } = await readMcpServers(file, loaderOptions(options, shell));
    const direct = await findDirectServers(servers, shell);
    const mounted =
      problems.length > 0 ? notMounted : await tryMount(file, options, shell, servers.length > 0);
    const all = [...problems, ...mounted.problems];
    return { plan: file, agent: written["agent"], modules, doubts, ...mounted, direct, problems: all };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    return { plan: undefined, modules: [], doubts: [], problems, lockChanges: [], servers: [], direct: [] };
  }
}

type Mounted = Pick<Diagnosis, "lockChanges" | "servers" | "problems">;

const notMounted: Mounted = { lockChanges: [], servers: [], problems: [] };

/**
 * Mounts a plan if it has a lock file or MCP servers, because only mounting shows the tools that differ from the lock, and which
 * servers answer.
 */
async function tryMount(
  plan: string | undefined,
  options: Options,
  shell: Shell,
  hasServers: boolean,
): Promise<Mounted> {
  if (!hasServers && !(await isLocked(plan, options))) return notMounted;
  try {
    const result = await mountInProcess(plan, options, shell, hasServers);
    if (result.kind !== "report") return notMounted;
    const { lockChanges, servers: reached, problems } = result.report;
    return { lockChanges, servers: reached, problems };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    return { ...notMounted, problems };
  }
}

function isReached({ state }: ServerStatus): boolean {
  return state === "connected" || state === "asleep";
}

const signs = {
  ok: { style: "green", sign: "✔" },
  missing: { style: "yellow", sign: "•" },
} as const;

function writeDiagnosis(
  { machine, models, planModel, plan, modules, doubts, problems, lockChanges, servers, direct }: Diagnosis,
  shell: Shell,
): void {
  const { out, cwd, settings } = shell;
  for (const finding of machine) writeFinding(finding, out, settings.verbosity);
  writeModels(models, planModel, out);
  out.line();
  // A plan that is not valid has no list of modules.
  const isListed = modules.length > 0 || problems.length === 0;
  if (plan !== undefined && isListed)
    out.line(`${printable(shortPath(plan, cwd))}: ${countModules(modules)}`);
  for (const { id, version, path } of modules)
    out.line(
      `  ${printable(id)}  ${out.paint("dim", printable([version, path && shortPath(path, cwd)].filter(Boolean).join("  ")))}`,
    );
  for (const { entry, problem, hint } of doubts)
    out.line(
      `${out.paint("yellow", "•")} ${printable(entry)}: ${printable(problem)}${hint === undefined ? "" : `; ${printable(hint)}`}`,
    );
  for (const server of servers) writeServer(server, out);
  for (const way of direct)
    out.line(
      `${out.paint("yellow", "•")} ${describeWay(way)}; ${way.isMoved ? `toolmount connect ${way.client} moves it` : "remove it there"}`,
    );
  writeDrift(out, lockChanges);
  if (problems.length > 0 && isListed) out.line();
  writeProblems(out, problems, cwd);
}

/**
 * Writes the model of the plan. For a plan without a model, writes the providers that are ready, and the number of the others.
 */
function writeModels(models: readonly KnownProvider[], planModel: PlanModel | null, out: Screen): void {
  const line = (isReady: boolean, text: string) => {
    const { style, sign } = signs[isReady ? "ok" : "missing"];
    out.line(`${out.paint(style, sign)} ${"model".padEnd(10)} ${printable(text)}`);
  };
  if (planModel !== null) return line(planModel.problem === null, describeModel(planModel));
  const ready = models.filter((row) => lacksOf(row).length === 0);
  for (const row of ready) line(true, `${row.name}: ${describeLack(row)}`);
  const others = countOf(models.length - ready.length, "provider");
  line(ready.length > 0, `${others} lack a key, a package or a server: toolmount doctor models`);
}

function describeModel({ model, problem, answered }: PlanModel): string {
  if (problem !== null) return `${model}, of the plan: ${problem}`;
  return `${model}, of the plan: ${answered ? "its server answers" : "ready, and not asked"}`;
}

/** Writes a finding. With `--verbose`, it also writes each attempt to break out of the border, one a line. */
function writeFinding(
  { what, state, says, stopped = [] }: MachineFinding,
  out: Screen,
  verbosity: Verbosity,
): void {
  const { style, sign } = signs[state];
  const isLong = verbosity === "verbose" || verbosity === "debug";
  const tried = `${stopped.length} ways out of it were tried, and none worked`;
  const more = stopped.length === 0 ? "" : `; ${tried}${isLong ? ":" : " (--verbose names them)"}`;
  out.line(`${out.paint(style, sign)} ${what.padEnd(10)} ${printable(says)}${more}`);
  if (isLong) for (const way of stopped) out.line(out.paint("dim", `  ${"".padEnd(10)} ${way}`));
}

function writeServer(server: ServerStatus, out: Screen): void {
  const { name, state, cause, protocol, server: version } = server;
  const { style, sign } = signs[isReached(server) ? "ok" : "missing"];
  const next = state === "needs_auth" ? `toolmount auth ${name}` : undefined;
  const says = [state, version, protocol, cause, next].filter((part) => part !== undefined).join("; ");
  out.line(`${out.paint(style, sign)} ${printable(`MCP server ${name}: ${says}`)}`);
  for (const oddity of [server.way ?? [], server.oddities ?? []].flat())
    out.line(out.paint("dim", `  ${printable(oddity)}`));
}
