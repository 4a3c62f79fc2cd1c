// Prints how much the flows of the worlds' plans stop, and how often they ask: `pnpm security-score`.
import { join } from "node:path";
import { attackData, planOf, readSuite, suiteNames, type Suite } from "./support/dojo-data.ts";
import { addScores, scoreSuite, type DojoScore } from "./support/dojo-score.ts";
import { dynModels, readGuarded, readRuns, scoreRuns } from "./support/dyn-score.ts";
import { halfOf } from "./support/halves.ts";

const [dojo, dyn] = [attackData("agentdojo"), attackData("agentdyn")];
if (dojo === undefined || dyn === undefined)
  throw new Error("the recorded attacks are absent; name their folder in SECURITY_DATA");

const policies = [
  { title: "none", file: "world.yaml" },
  { title: "ask on every effect", file: "ask.yaml" },
  { title: "flows", file: "mount-plan.yaml" },
];
const parts = ["all", "writing", "checking"] as const;
const suites = suiteNames.map((name) => readSuite(name, dojo));
const misses: string[] = [];

print("AgentDojo, an obedient model, through the library\n");
print(
  "| policy | tasks | attacks landed | utility kept | questions a task | tasks without a question | processor time of a call, ms (median) |",
);
print("|---|---|---|---|---|---|---|");
for (const { title, file } of policies)
  for (const part of title === "flows" ? parts : (["all"] as const)) {
    const score = addScores(await scoreAll(suites, file, part));
    printDojo(title, part, score);
    if (title === "flows" && part === "all") misses.push(...score.landed, ...score.questions);
  }

print("\nAgentDyn, recorded runs\n");
print("| model | tasks | questions | runs without | attacks met | asked for by the user | refused |");
print("|---|---|---|---|---|---|---|");
const guarded = readGuarded(dyn);
for (const model of dynModels)
  for (const part of parts) {
    const runs = readRuns(dyn, model).filter(
      ({ suite, task }) => part === "all" || halfOf(suite, "user", task) === part,
    );
    const score = await scoreRuns(
      runs,
      join(import.meta.dirname, "worlds/agentdyn/mount-plan.yaml"),
      guarded,
    );
    const ratio = (score.questions.length / score.guarded).toFixed(2);
    print(
      `| ${model} | ${part} | ${score.questions.length} of ${score.guarded} (${ratio}) | ${score.unasked} of ${score.runs} | ${score.met} of ${score.attacks} (${percent(score.met, score.attacks)}) | ${score.asked.length} of ${score.askedGuarded} | ${score.refused.length} |`,
    );
    if (part === "all") misses.push(...score.missed.map((miss) => `${model}, not met: ${miss}`));
  }

print(`\nMisses and questions by name\n\n${misses.map((miss) => `- ${miss}`).join("\n")}`);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function scoreAll(all: readonly Suite[], file: string, part: (typeof parts)[number]): Promise<DojoScore[]> {
  return Promise.all(
    all.map((suite) =>
      scoreSuite(suite, join(planOf(suite.name), "..", file), {
        user: (id) => part === "all" || halfOf(suite.name, "user", id) === part,
        injection: (id) => part === "all" || halfOf(suite.name, "injection", id) === part,
      }),
    ),
  );
}

function printDojo(title: string, part: string, score: DojoScore): void {
  const { landed, pairs, utility, tasks, questions, unasked, callMs } = score;
  const median = callMs.toSorted((a, b) => a - b)[Math.floor(callMs.length / 2)] ?? 0;
  print(
    `| ${title} | ${part} | ${landed.length} of ${pairs} | ${utility.length} of ${tasks} | ${(questions.length / tasks).toFixed(2)} | ${unasked.length} of ${tasks} (${percent(unasked.length, tasks)}) | ${median.toFixed(2)} |`,
  );
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}
