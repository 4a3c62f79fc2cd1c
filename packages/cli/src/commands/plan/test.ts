import type { OpenedPlan } from "@toolmount/loader";
import type { PlanTestReport } from "@toolmount/record";
import type { Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { printable } from "../../screen/printable.ts";
import { shortPath } from "../../render/problems.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly mutate?: true;
}

/** `toolmount test [plan]`: runs the tests in the plan. They judge calls: no tool runs, no model is asked, nothing is stored. */
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

async function test(input: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { testPlan } = await import("@toolmount/record");
  const run = await testPlan(input, { ...loaderOptions(options, shell), mutate: options.mutate });
  report(run, options, shell);
  return run.passed ? exitCodes.done : exitCodes.failed;
}

function placeOf(plan: OpenedPlan, path: readonly (string | number)[], { cwd }: Shell): string | undefined {
  const at = plan.position(...path);
  return at === undefined ? undefined : `${shortPath(at.file, cwd)}:${at.line}:${at.column}`;
}

function report(run: PlanTestReport, { json, mutate }: Options, shell: Shell): void {
  const { calls, replays, prompts, plan } = run;
  const mutants = run.mutants.map(({ path, change, noticed }) => ({
    rule: path.at(-1) as number,
    change,
    at: placeOf(plan, path, shell),
    noticed,
  }));
  const { out } = shell;
  if (json === true)
    return out.json({
      plan: plan.file,
      tests: calls.map(({ test: { path, tool }, answer, problems }) => ({
        at: placeOf(plan, path, shell),
        tool,
        answer,
        problems,
      })),
      replays: replays.map(({ test: { path, file }, calls: count, problems }) => ({
        at: placeOf(plan, path, shell),
        file,
        calls: count,
        problems,
      })),
      ...(mutate === true ? { mutants } : {}),
      ...(prompts > 0 && { promptsLeftOut: prompts }),
    });
  for (const {
    test: { path, tool },
    answer,
    problems,
  } of calls)
    writeReport(`${tool}: ${answer}`, path, problems, plan, shell);
  for (const {
    test: { path, file },
    calls: count,
    problems,
  } of replays)
    writeReport(`replay ${file}: ${count === 1 ? "1 call" : `${count} calls`}`, path, problems, plan, shell);
  for (const { at, rule, change, noticed } of mutants)
    out.line(
      `${sign(noticed, shell)} ${at ?? `rule ${rule + 1}`} ${change}${noticed ? "" : ": no test notices"}`,
    );
  const all = [...calls, ...replays];
  const failed = all.filter(({ problems }) => problems.length > 0).length;
  const missed = mutants.filter(({ noticed }) => !noticed).length;
  out.line(
    `${countOf(all, "test")}, ${failed} failed${mutate === true ? `; ${countOf(mutants, "mutant")}, ${missed} not noticed` : ""}`,
  );
  if (all.length + prompts === 0)
    out.line(
      out.paint(
        "dim",
        "write tests into the plan: tests: [{ call: { <tool>: { … } }, expect: { answer: allow } }]",
      ),
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
