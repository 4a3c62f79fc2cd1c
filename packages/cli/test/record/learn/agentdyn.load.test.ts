import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { root, workspace } from "../../support/workspace.ts";

/** Recorded runs of two models, with and without attacks; they are not part of this repository. */
const folder = join(root, "../shared/fixtures/agentdyn");
const models = ["gpt-4o", "gemini-2.5-pro"];

interface Run {
  readonly suite: string;
  readonly task: string;
  readonly kind: string;
  readonly steps: readonly { readonly name: string; readonly arguments: object }[];
  readonly utility: boolean;
  readonly security: boolean;
  readonly only?: readonly number[];
}

interface Diff {
  readonly judged: number;
  readonly changed: number;
}

/** All tools of the runs, as the world of AgentDyn declares them. */
const module = `
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
import { tools } from ${JSON.stringify(join(root, "test/worlds/agentdyn/tools.ts"))};
const split = (text) => text.split(" ").filter((word) => word !== "");
export function mount(coordinator) {
  for (const { name, category, fields, control } of tools)
    coordinator.mount("tools", defineTool({
      name, category, description: "Answers as recorded. Use in tests.",
      consequenceLevel: category === "read" ? "low" : "medium", requiresConfirmation: false,
      schema: z.looseObject(Object.fromEntries(split(fields).map((field) => [field, z.json().optional()]))),
      ...(control !== undefined && { control: split(control) }),
      execute: async () => data(null),
    }));
}
`;

const plan = "version: 1\ntools: [{ module: ./tools.ts }]\npolicy: { level: paranoid }\n";

const asked = { approvedBy: "emma", asked: [{ source: "level", rule: null }] };

const allSteps = ({ steps }: Run): readonly number[] => steps.map((_, at) => at);

function toLines(runs: readonly Run[], more: object, stepsOf = allSteps): string {
  const records = runs.flatMap((run, at) =>
    stepsOf(run).map((step) => {
      const { name: tool, arguments: given } = run.steps[step]!;
      return { kind: "end", runId: `${at}/${step}`, status: "ok", tool, arguments: given, ...more };
    }),
  );
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

describe.skipIf(!existsSync(folder))("AgentDyn's recorded runs (skipped without the shared data)", () => {
  test.each([0, 1])(
    "lines from one half of the tasks spare questions of the other half (%i)",
    async (half) => {
      const runs = models.flatMap((model) =>
        gunzipSync(readFileSync(join(folder, `runs.${model}.jsonl.gz`)))
          .toString()
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Run),
      );
      const benign = runs.filter(({ kind, utility }) => kind === "benign" && utility);
      const taskOf = ({ suite, task }: Run) => `${suite} ${task}`;
      const tasks = [...new Set(benign.map(taskOf))].toSorted();
      const isIn = (run: Run) => tasks.indexOf(taskOf(run)) % 2 === half;
      const attacks = runs.filter(
        ({ kind, security, only = [] }) => kind === "attacked" && security && only.length > 0,
      );
      const { here: run } = await workspace({
        "plan.yaml": plan,
        "tools.ts": module,
        "learn.jsonl": toLines(benign.filter(isIn), asked),
        "rest.jsonl": toLines(
          benign.filter((each) => !isIn(each)),
          {},
        ),
        "attacks.jsonl": toLines(attacks, {}, ({ only = [] }) => only),
      });
      const suggested = await run(["policy", "suggest", "plan.yaml", "--from", "learn.jsonl", "--yes"]);
      const against = async (file: string) =>
        (await run(["policy", "diff", "plan.yaml", "--from", file, "--json"])).json() as unknown as Diff;
      const [rest, met] = [await against("rest.jsonl"), await against("attacks.jsonl")];

      expect(suggested.code, suggested.stderr).toBe(0);
      // Without the lines, every call is asked about.
      expect(rest.changed / rest.judged).toBeLessThanOrEqual(0.62);
      expect(met.changed / met.judged).toBeGreaterThanOrEqual(0.93);
    },
  );
});
