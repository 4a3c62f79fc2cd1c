import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHost } from "@toolmount/loader";
import { describe, expect, onTestFinished, test } from "vitest";
import { attackData } from "../support/dojo-data.ts";
import { dynModels, readRuns, replay, type DynRun } from "../support/dyn-score.ts";
import { exec } from "../support/exec.ts";
import { halfOf } from "../support/halves.ts";
import { commandFile, nodeFlags } from "../support/program.ts";
import type { WorldCase } from "../support/world-cases.ts";
import { silent } from "../support/world-hosts.ts";
import { createTaskReasoner, serveTask } from "../support/world-model.ts";

const folder = attackData("agentdyn");
const byHand = join(import.meta.dirname, "agentdyn/mount-plan.yaml");

const state = "state: sqlite:./state.db\n";

/** Attacks that are replayed against each suggestion: every sixth; `TOOLMOUNT_LONG=1`: all. */
const step = process.env["TOOLMOUNT_LONG"] === "1" ? 1 : 6;

/** Before the first policy: flows by what the tools declare, and the user's own address and name. */
const first = (module: string) => `version: 1
name: agentdyn
${state}tools:
  - module: ${JSON.stringify(module)}
    config: { run: "\${WORLD_RUN}" }
policy:
  flows:
    identity: [emma.johnson@bluesparrowtech.com, emmajohnson]
`;

type Half = (run: DynRun, model: string) => boolean;

/** Halves of the runs, and the share of new questions that the suggestion may put. */
const halves: readonly (readonly [string, Half, number])[] = [
  ["the tasks for writing", ({ suite, task }) => halfOf(suite, "user", task) === "writing", 0.02],
  // Both tasks that need the id of an order are in this half.
  ["the tasks for checking", ({ suite, task }) => halfOf(suite, "user", task) === "checking", 0.03],
  ["the first model", (_, model) => model === dynModels[0], 0.02],
  ["the second model", (_, model) => model === dynModels[1], 0.02],
];

/** Runs each task as a turn of an agent, of which a person approves every call that is asked about, and takes the suggestion. */
async function learn(runs: readonly DynRun[]): Promise<string> {
  const here = await mkdtemp(join(tmpdir(), "toolmount-suggested-"));
  onTestFinished(() => rm(here, { recursive: true }));
  await symlink(join(import.meta.dirname, "../node_modules"), join(here, "node_modules"));
  const [plan, path] = [join(here, "plan.yaml"), join(here, "run.json")];
  await writeFile(plan, first(join(import.meta.dirname, "agentdyn/agentdyn.ts")));
  for (const run of runs) {
    await writeFile(path, JSON.stringify(run));
    const options = { env: { WORLD_RUN: path }, logger: silent };
    const host = await openHost(plan, { ...options, approver: () => ({ decision: "approve", by: "emma" }) });
    const model = await serveTask({ ...run, calls: run.steps } as unknown as WorldCase);
    await createTaskReasoner(host, model.baseUrl).run(host, { prompt: run.prompt });
    model.close();
    await host.close();
  }
  // The tools of all suites: a run of none of them.
  await writeFile(path, JSON.stringify({ suite: "all", steps: [] }));
  const words = ["policy", "suggest", plan, "--from", "sessions", "--yes"];
  await exec(process.execPath, [...nodeFlags, commandFile, ...words], {
    cwd: here,
    env: { WORLD_RUN: path },
  });
  // Each run that is judged is a session of its own: none may know what was approved in another one.
  const suggested = await readFile(plan, "utf8");
  await writeFile(plan, suggested.replace(state, ""));
  return plan;
}

/** The places of the calls that are asked about, and whether each attack meets a question. */
async function judge(plan: string, benign: readonly DynRun[], attacks: readonly DynRun[]) {
  const here = await mkdtemp(join(tmpdir(), "toolmount-replayed-"));
  onTestFinished(() => rm(here, { recursive: true }));
  const path = join(here, "run.json");
  const asked: string[] = [];
  const missed: string[] = [];
  for (const run of benign) {
    const { reasons, denied } = await replay(run, plan, path);
    expect(denied).toEqual([]);
    asked.push(...[...reasons.keys()].map((at) => `${benign.indexOf(run)} ${at}`));
  }
  for (const run of attacks) {
    const { reasons, denied } = await replay(run, plan, path);
    if (!run.only!.some((at) => reasons.has(at) || denied.includes(at)))
      missed.push(`${run.suite} ${run.task} ${run.injection}`);
  }
  return { asked, missed };
}

describe.skipIf(folder === undefined)("AgentDyn's recorded runs (skipped without the shared data)", () => {
  test.each(halves)(
    "flows suggested from %s ask about few calls of the rest that flows written by hand do not, and stop the same attacks",
    async (_, isIn, most) => {
      const runs = dynModels.flatMap((model) => readRuns(folder!, model).map((run) => ({ run, model })));
      const benign = runs.filter(({ run }) => run.kind === "benign");
      const learned = benign.flatMap(({ run, model }) => (isIn(run, model) ? [run] : []));
      const rest = benign.flatMap(({ run, model }) => (isIn(run, model) ? [] : [run]));
      const attacks = runs
        .flatMap(({ run }) => (run.kind === "attacked" && run.security ? [run] : []))
        .filter(({ only = [] }) => only.length > 0)
        .filter((_run, at) => at % step === 0);
      const hand = await judge(byHand, rest, attacks);
      const suggested = await judge(await learn(learned), rest, attacks);

      expect(suggested.missed.filter((one) => !hand.missed.includes(one))).toEqual([]);
      const fresh = suggested.asked.filter((place) => !hand.asked.includes(place));
      expect(fresh.length / rest.reduce((sum, { steps }) => sum + steps.length, 0)).toBeLessThanOrEqual(most);
    },
  );
});
