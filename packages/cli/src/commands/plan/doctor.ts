import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Problem } from "@toolmount/loader";
import type { PackageWarning } from "@toolmount/loader/commands";
import type { Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { problemsOf } from "../../render/failure.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { printable } from "../../screen/printable.ts";
import { shortPath, writeProblems } from "../../render/problems.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/** `toolmount doctor [plan]`: what is there, what is missing, and how calls can really be kept apart on this machine. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await doctor(plan, options, shell));
    });
  addExamples(command, ["toolmount doctor mount-plans/coding.yaml"]);
}

/** One thing that was looked at. */
interface Finding {
  readonly what: string;
  readonly state: "ok" | "missing";
  readonly says: string;
}

interface Diagnosis {
  readonly machine: readonly Finding[];
  readonly plan: string | undefined;
  readonly modules: readonly {
    readonly id: string;
    readonly version: string | undefined;
    readonly path: string | undefined;
  }[];
  readonly doubts: readonly PackageWarning[];
  readonly problems: readonly Problem[];
}

async function doctor(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const [machine, ofPlan] = await Promise.all([lookAtMachine(shell), lookAtPlan(plan, options, shell)]);
  const diagnosis = { machine, ...ofPlan };
  if (options.json === true) shell.out.json(diagnosis);
  else writeDiagnosis(diagnosis, shell);
  if (diagnosis.problems.length > 0) return exitCodes.planInvalid;
  return diagnosis.doubts.some(({ kind }) => kind !== "unused") ? exitCodes.failed : exitCodes.done;
}

async function lookAtPlan(
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<Omit<Diagnosis, "machine">> {
  const { examinePackages, inspectPlan } = await import("@toolmount/loader/commands");
  try {
    const inspected = await inspectPlan(plan, loaderOptions(options, shell));
    const modules = inspected.entries.map(({ id, version, path }) => ({ id, version, path }));
    const doubts = await examinePackages(inspected.entries, process.versions.node);
    const problems = [
      ...inspected.problems,
      ...inspected.entries.filter(({ required }) => !required).flatMap((entry) => entry.problems),
    ];
    return { plan: inspected.plan.file, modules, doubts, problems };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    return { plan: undefined, modules: [], doubts: [], problems };
  }
}

async function lookAtMachine(shell: Shell): Promise<Finding[]> {
  const wanted: [string, string, readonly string[]][] = [
    ["npm", "npm", ["--version"]],
    ["git", "git", ["--version"]],
  ];
  const versions = wanted.map(async ([what, command, words]): Promise<Finding> => {
    const said = await ask(command, words, shell);
    return {
      what,
      state: said === undefined ? "missing" : "ok",
      says: said ?? "not there; toolmount install needs it",
    };
  });
  const node: Finding = { what: "node", state: "ok", says: process.versions.node };
  return [node, ...(await Promise.all(versions)), ...(await lookAtIsolation(shell))];
}

/** Each way of isolation is tried, not guessed from versions. */
async function lookAtIsolation(shell: Shell): Promise<Finding[]> {
  const box = [
    "--unshare-all",
    "--die-with-parent",
    "--clearenv",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "true",
  ];
  const denied = "require('node:fs').readFileSync('/')";
  const permission = [
    "--permission",
    "-e",
    `try { ${denied} } catch (e) { if (e.code === "ERR_ACCESS_DENIED") console.log("denied") }`,
  ];
  const [bubblewrap, node] = await Promise.all([
    ask("bwrap", box, shell),
    ask(process.execPath, permission, shell),
  ]);
  const works = node?.includes("denied") === true;
  return [
    { what: "process", state: "ok", says: "calls can run in processes of their own, and be killed" },
    {
      what: "permission",
      state: works ? "ok" : "missing",
      says: works
        ? "Node can keep a process from files (a belt, not a wall)"
        : "this Node has no --permission",
    },
    {
      what: "bwrap",
      state: bubblewrap === undefined ? "missing" : "ok",
      says:
        bubblewrap === undefined
          ? "bubblewrap is not there, or may not make namespaces"
          : "bubblewrap can keep a process from network and files",
    },
  ];
}

/** What a command prints; undefined when it is not there or fails. */
async function ask(
  command: string,
  words: readonly string[],
  { env, cwd }: Shell,
): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(command, [...words], {
      cwd,
      env: { PATH: env["PATH"], HOME: env["HOME"] },
      timeout: 10_000,
    });
    return stdout.trim().replace(/^git version /, "");
  } catch {
    return undefined;
  }
}

function writeDiagnosis({ machine, plan, modules, doubts, problems }: Diagnosis, shell: Shell): void {
  const { out, cwd } = shell;
  for (const { what, state, says } of machine) {
    const sign = state === "ok" ? out.paint("green", "✔") : out.paint("yellow", "•");
    out.line(`${sign} ${what.padEnd(10)} ${printable(says)}`);
  }
  out.line();
  if (plan !== undefined) out.line(`${printable(shortPath(plan, cwd))}: ${countOf(modules, "module")}`);
  for (const { id, version, path } of modules)
    out.line(
      `  ${printable(id)}  ${out.paint("dim", printable([version, path && shortPath(path, cwd)].filter(Boolean).join("  ")))}`,
    );
  for (const { entry, problem, hint } of doubts)
    out.line(
      `${out.paint("yellow", "•")} ${printable(entry)}: ${printable(problem)}${hint === undefined ? "" : `; ${printable(hint)}`}`,
    );
  if (problems.length > 0) out.line();
  writeProblems(out, problems, cwd);
}
