import type { OpenedHost, OpenedPlan, OpenHostOptions, PlanInput } from "@toolmount/loader";
import { listMutants } from "./mutate.ts";
import { readTests, type PlanTest, type PlanTests } from "./read.ts";
import { runReplay, type ReplayReport } from "./replay.ts";
import { createTestBench, type TestBench, type TestReport } from "./run.ts";

/** A rule of the policy that was changed, and whether a test failed because of that. */
export interface MutantReport {
  /** The path of the changed value in the plan. */
  readonly path: readonly (string | number)[];
  readonly change: string;
  readonly noticed: boolean;
}

/** The result of each test and of each replay of a plan and, with `mutate`, whether the tests noticed each changed rule. */
export interface PlanTestReport {
  readonly plan: OpenedPlan;
  /** Whether every test passed, and every mutant was noticed. */
  readonly passed: boolean;
  readonly calls: readonly TestReport[];
  readonly replays: readonly ReplayReport[];
  /** Empty unless `mutate` was set, and empty if a test failed. */
  readonly mutants: readonly MutantReport[];
  /** Number of tests that are prompts. They were not run, because only a model can answer them. */
  readonly prompts: number;
}

/** Options of `testPlan`: those of its host, and whether each rule is changed, one after the other. */
export type TestPlanOptions = OpenHostOptions & { readonly mutate?: boolean | undefined };

/**
 * Runs the tests in the `tests:` of a plan. No tool runs, no model is asked, and nothing is stored. Rejects with
 * `PLAN_INVALID` or `PLAN_VALUE_INVALID` for a plan that cannot be opened or read.
 */
export async function testPlan(
  input: PlanInput,
  { mutate = false, ...options }: TestPlanOptions = {},
): Promise<PlanTestReport> {
  const { openHost } = await import("@toolmount/loader");
  const bench = createTestBench();
  const host = await openHost(input, { ...options, ...bench.options });
  const { plan } = host;
  try {
    const tests = readTests(plan);
    const calls = await runAll(host, tests.calls, bench);
    const replays: ReplayReport[] = [];
    for (const one of tests.replays) replays.push(await runReplay(one, input, plan, options));
    const held = [...calls, ...replays].every(({ problems }) => problems.length === 0);
    const mutants = mutate && held ? await runMutants(plan, tests, options) : [];
    const passed = held && mutants.every(({ noticed }) => noticed);
    return { plan, passed, calls, replays, mutants, prompts: tests.prompts };
  } finally {
    await host.close();
  }
}

async function runAll(host: OpenedHost, tests: readonly PlanTest[], bench: TestBench): Promise<TestReport[]> {
  const reports: TestReport[] = [];
  for (const one of tests) reports.push(await bench.run(host, one)); // in order, because budgets count
  return reports;
}

/** Runs the tests for each mutant. Modules that a mutant shares with the plan stay mounted; only the policy is mounted again. */
async function runMutants(
  plan: OpenedPlan,
  tests: PlanTests,
  options: OpenHostOptions,
): Promise<MutantReport[]> {
  const { openHost } = await import("@toolmount/loader");
  const bench = createTestBench();
  // A mutant is a value without a file, so its relative paths must start at the plan's own folder.
  const given = { ...options, cwd: plan.folder, overlays: [] };
  const host = await openHost(plan.written, { ...given, ...bench.options });
  const reports: MutantReport[] = [];
  try {
    for (const { plan: mutant, path, change } of listMutants(plan.written)) {
      await host.reload(mutant);
      let noticed = (await runAll(host, tests.calls, bench)).some(({ problems }) => problems.length > 0);
      for (const one of tests.replays)
        noticed ||= (await runReplay(one, mutant, plan, given)).problems.length > 0;
      reports.push({ path, change, noticed });
    }
  } finally {
    await host.close();
  }
  return reports;
}
