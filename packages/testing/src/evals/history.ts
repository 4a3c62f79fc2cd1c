/** One run of all evaluations, as a history keeps it. */
export interface EvalRun {
  /** The share of evaluations that passed, from 0 to 1. */
  readonly passRate: number;
  /** The tools by name: the first 12 hexadecimal digits of the digest of the definition, and the version. */
  readonly tools: Readonly<
    Record<string, { readonly definition: string; readonly version?: string | undefined }>
  >;
}

/** Number of runs in the rolling average. Source: Tool-Forge's drift monitor. */
const window = 5;

/** How far the average may be below the pass rate of the first run. Source: Tool-Forge's drift monitor. */
const tolerance = 0.1;

/** If the number of tools has grown by this factor, evaluations no longer show the choice that a model has. */
const growth = 1.5;

/**
 * Returns what changed since earlier runs, one sentence each. `runs` are oldest first, and the last is the present run.
 * Evaluations are stale if definitions changed, a version has a new major number, or the number of tools grew by half. The pass
 * rate drifts if its average over five runs is 0.1 below the first run; suspects are the tools that changed since the last run
 * in which everything passed.
 */
export function compareRuns(runs: readonly EvalRun[]): string[] {
  const now = runs.at(-1);
  const before = runs.at(-2);
  if (now === undefined || before === undefined) return [];
  return [...staleness(before, now), ...drift(runs, now)];
}

function staleness(before: EvalRun, now: EvalRun): string[] {
  const problems: string[] = [];
  for (const [name, { definition, version }] of Object.entries(now.tools)) {
    const old = before.tools[name];
    if (old === undefined) continue;
    if (majorOf(old.version) !== majorOf(version))
      problems.push(
        `${name}: version ${version ?? "none"}, was ${old.version ?? "none"}: look through its evaluations`,
      );
    else if (old.definition !== definition)
      problems.push(`${name}: its definition has changed since the last run`);
  }
  const [was, is] = [Object.keys(before.tools).length, Object.keys(now.tools).length];
  if (was > 0 && is > was * growth)
    problems.push(
      `there are ${is} tools, were ${was}: the evaluations may no longer cover what a model chooses among`,
    );
  return problems;
}

function majorOf(version: string | undefined): string | undefined {
  return version?.split(".")[0];
}

function drift(runs: readonly EvalRun[], now: EvalRun): string[] {
  const last = runs.slice(-window);
  const average = last.reduce((sum, { passRate }) => sum + passRate, 0) / last.length;
  const baseline = runs[0]!.passRate;
  // 0.1 as a double is slightly more than a tenth.
  if (baseline - average < tolerance - 1e-9) return [];
  const clean = runs.findLast(({ passRate }) => passRate === 1)?.tools ?? runs[0]!.tools;
  const suspects = Object.entries(now.tools)
    .filter(([name, { definition }]) => clean[name]?.definition !== definition)
    .map(([name]) => name);
  const share = (rate: number) => `${Math.round(rate * 100)} %`;
  return [
    `drift: ${share(average)} passed on average of ${last.length} runs, ${share(baseline)} in the first; changed since all passed: ${suspects.join(", ") || "no tool"}`,
  ];
}
