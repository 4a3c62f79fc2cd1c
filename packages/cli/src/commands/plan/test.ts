import type { OpenedHost, OpenedPlan } from "@toolmount/loader";
import type { Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { listMutants } from "../../plan-tests/mutate.ts";
import { readTests, type PlanTest, type PlanTests } from "../../plan-tests/read.ts";
import { runReplay, type ReplayReport } from "../../plan-tests/replay.ts";
import { createTestBench, type TestReport } from "../../plan-tests/run.ts";
import { printable } from "../../screen/printable.ts";
import { shortPath } from "../../render/problems.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly mutate?: true;
}

/** `toolmount test [plan]`: runs the plan's own tests. No tool runs, no model is asked, nothing is stored. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--mutate", "flip each rule of the policy, one after the other: a test must fail for each")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) =>
      shell.end(await test(plan, options, shell)),
    );
  addExamples(command, ["toolmount test mount-plans/coding.yaml --mutate"]);
}

/** One changed rule, and whether a test failed for it. */
interface MutantReport {
  readonly rule: number;
  readonly change: string;
  readonly at: string | undefined;
  readonly noticed: boolean;
}

async function test(input: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { openHost } = await import("@toolmount/loader");
  const bench = createTestBench();
  // A plan as a value begins at the plan's own folder, so that its mutants mount as it does.
  const host = await openHost(input, { ...loaderOptions(options, shell), ...bench.options });
  const { plan } = host;
  try {
    const tests = readTests(plan);
    const reports = await runAll(host, tests.calls, bench);
    const replays: ReplayReport[] = [];
    for (const one of tests.replays)
      replays.push(await runReplay(one, input, plan, loaderOptions(options, shell)));
    const failed = [...reports, ...replays].filter(({ problems }) => problems.length > 0);
    const mutants =
      options.mutate === true && failed.length === 0 ? await runMutants(plan, tests, options, shell) : [];
    report({ reports, replays, mutants, prompts: tests.prompts, plan }, options, shell);
    const missed = mutants.some(({ noticed }) => !noticed);
    return failed.length === 0 && !missed ? exitCodes.done : exitCodes.failed;
  } finally {
    await host.close();
  }
}

async function runAll(
  host: OpenedHost,
  tests: readonly PlanTest[],
  bench: ReturnType<typeof createTestBench>,
): Promise<TestReport[]> {
  const reports: TestReport[] = [];
  for (const one of tests) reports.push(await bench.run(host, one)); // in order: budgets count
  return reports;
}

/** Modules that a mutant shares with the plan stay mounted; the policy is mounted again for each. */
async function runMutants(
  plan: OpenedPlan,
  tests: PlanTests,
  options: Options,
  shell: Shell,
): Promise<MutantReport[]> {
  const { openHost } = await import("@toolmount/loader");
  const bench = createTestBench();
  const given = { ...loaderOptions(options, shell), cwd: plan.folder, overlays: [] };
  const host = await openHost(plan.written, { ...given, ...bench.options });
  const reports: MutantReport[] = [];
  try {
    for (const { plan: mutant, path, change } of listMutants(plan.written)) {
      await host.reload(mutant);
      let noticed = (await runAll(host, tests.calls, bench)).some(({ problems }) => problems.length > 0);
      for (const one of tests.replays)
        noticed ||= (await runReplay(one, mutant, plan, given)).problems.length > 0;
      reports.push({ rule: path.at(-1) as number, change, at: placeOf(plan, path, shell), noticed });
    }
  } finally {
    await host.close();
  }
  return reports;
}

function placeOf(plan: OpenedPlan, path: readonly (string | number)[], { cwd }: Shell): string | undefined {
  const at = plan.position(...path);
  return at === undefined ? undefined : `${shortPath(at.file, cwd)}:${at.line}:${at.column}`;
}

interface TestRun {
  readonly reports: readonly TestReport[];
  readonly replays: readonly ReplayReport[];
  readonly mutants: readonly MutantReport[];
  readonly prompts: number;
  readonly plan: OpenedPlan;
}

function report(run: TestRun, { json, mutate }: Options, shell: Shell): void {
  const { reports, replays, mutants, prompts, plan } = run;
  const { out } = shell;
  if (json === true)
    return out.json({
      plan: plan.file,
      tests: reports.map(({ test: { path, tool }, answer, problems }) => ({
        at: placeOf(plan, path, shell),
        tool,
        answer,
        problems,
      })),
      replays: replays.map(({ test: { path, file }, calls, problems }) => ({
        at: placeOf(plan, path, shell),
        file,
        calls,
        problems,
      })),
      ...(mutate === true ? { mutants } : {}),
      ...(prompts > 0 && { promptsLeftOut: prompts }),
    });
  for (const {
    test: { path, tool },
    answer,
    problems,
  } of reports)
    writeReport(`${tool}: ${answer}`, path, problems, plan, shell);
  for (const {
    test: { path, file },
    calls,
    problems,
  } of replays)
    writeReport(`replay ${file}: ${calls === 1 ? "1 call" : `${calls} calls`}`, path, problems, plan, shell);
  for (const { at, rule, change, noticed } of mutants)
    out.line(
      `${sign(noticed, shell)} ${at ?? `rule ${rule + 1}`} ${change}${noticed ? "" : ": no test notices"}`,
    );
  const all = [...reports, ...replays];
  const failed = all.filter(({ problems }) => problems.length > 0).length;
  const missed = mutants.filter(({ noticed }) => !noticed).length;
  out.line(
    `${countOf(all, "test")}, ${failed} failed${mutate === true ? `; ${countOf(mutants, "mutant")}, ${missed} not noticed` : ""}`,
  );
  if (prompts > 0)
    out.line(out.paint("dim", `${countOf(prompts, "prompt")} not run: toolmount test prompts asks a model`));
}

function writeReport(
  text: string,
  path: readonly [string, number],
  problems: readonly string[],
  plan: OpenedPlan,
  shell: Shell,
): void {
  const place = placeOf(plan, path, shell) ?? `test ${path[1] + 1}`;
  shell.out.line(`${sign(problems.length === 0, shell)} ${place} ${printable(text)}`);
  for (const problem of problems) shell.out.line(`    ${printable(problem)}`);
}

function sign(holds: boolean, { out }: Shell): string {
  return holds ? out.paint("green", "✔") : out.paint("red", "✖");
}
