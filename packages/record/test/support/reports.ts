import type { EvalReport } from "../../src/plan-evals/run.ts";

interface Run {
  readonly problems?: readonly string[];
  readonly calls?: readonly string[];
  readonly ms?: number;
  readonly cost?: number | undefined;
  readonly isStale?: boolean;
}

const ran = ({ problems = [], calls = ["find"], ms = 1_500, cost, isStale = false }: Run) => ({
  turn: { calls: calls.map((tool) => ({ tool })), durationMs: ms, tokens: 100, cost, text: "" },
  problems,
  isStale,
});

/** The report of an evaluation that expects a call of `find`, with the end of each of its runs. */
export const evaluated = (name: string, at: number, runs: readonly Run[], more: object = {}): EvalReport =>
  ({
    test: { name, path: ["tests", at], prompt: name, expect: { tools: ["find"] }, ...more },
    runs: runs.map(ran),
  }) as unknown as EvalReport;

/** What a run says that did not find. */
export const missed = "the model called list, not find";
/** One that passes, one that passes once, and one that fails. */
export const good = evaluated("finds <it>", 0, [{}, {}], { label: "edge" });
export const flaky = evaluated("lists & finds", 1, [
  { problems: [missed], calls: ["list"] },
  { calls: ["find", "list"] },
]);
const bad = evaluated("thanks", 2, [{ problems: [missed, "b\u0007"] }, { problems: [missed], calls: [] }]);
export const all = [good, flaky, bad];

/** One side of a comparison. */
export const side = (name: string, passes: readonly (0 | 1)[]) => ({
  name,
  reports: [
    evaluated(
      "a",
      0,
      passes.map((pass) => ({ problems: pass === 1 ? [] : [missed] })),
    ),
    evaluated("same", 1, [{}]),
  ],
});
