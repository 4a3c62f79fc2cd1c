import { expect, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { oneTool, workspace } from "../support/workspace.ts";

const tool = (name: string) =>
  oneTool({ name, schema: "text: z.string().optional()", body: `throw new Error("a tool ran");` });

const evals = `tests:
  - name: finds
    prompt: Find the order of Ada.
    given: { find: { data: { id: 7 } } }
    expect:
      calls: [{ find: { text: Ada } }]
      text: { contains: ["7"] }
  - name: lists
    label: ambiguous
    prompt: List the orders of Ada.
    expect: { tools: [list] }
  - name: thanks
    prompt: Thank you!
    expect: { tools: [] }
`;

const files = {
  "plan.yaml": `version: 1\ntools:\n  - module: ./find.ts\n  - module: ./list.ts\n${evals}`,
  "find.ts": tool("find"),
  "list.ts": tool("list").replace("Does", "Lists"),
};

const exchange = (second: string) =>
  JSON.stringify([
    response(call("c1", "find", { text: "Ada" })),
    response(say("It is order 7.")),
    response(call("c2", second)),
    response(say("There is one.")),
    response(say("You are welcome.")),
  ]);

test("FORGE-N20: eval asks the plan's prompts, runs no tool, and shows which tools were chosen, confused and missed", async () => {
  const { run } = await workspace({ ...files, "good.json": exchange("list"), "bad.json": exchange("find") });
  const good = await run(["eval", "plan.yaml", "--model", "replay:good.json"]);
  const bad = await run(["eval", "plan.yaml", "--model", "replay:bad.json", "--json"]);
  const gate = (share: string) =>
    run(["eval", "plan.yaml", "--model", "replay:bad.json", "--min-pass", share]);
  const [gated, refused] = [await gate("0.2"), await gate("0.6")];

  expect([good.code, good.stderr]).toEqual([0, expect.stringContaining("no model is asked")]);
  expect(good.stdout).toMatch(/✔ plan\.yaml:\d+:\d+ finds: find\n/);
  expect(good.stdout).toMatch(/tool +expected +chosen +missed +extra +confused with/);
  expect(good.stdout).toContain("3 evaluations, 0 failed");
  expect(bad.code).toBe(1);
  expect(bad.json()).toMatchObject({
    evals: [{ problems: [] }, { problems: ["the model called find, not list"] }, { problems: [] }],
    tools: [
      { tool: "find", expected: 1, chosen: 1 },
      { tool: "list", expected: 1, chosen: 0, confused: { find: 1 } },
    ],
    overlaps: [{ tools: ["find", "list"], count: 1 }],
    failures: ["pass rate 0.67, less than 1"],
  });
  expect(gated.code, gated.stdout).toBe(0);
  // 2 of 3 is above 0.6, but shows only that the rate is above 0.21.
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("interval begins at 0.21")]);
});

test("FORGE-N22, FORGE-N23, FORGE-N24: a recorded run is asked again, with a history, a swap and limits", async () => {
  const { here: run, read } = await workspace({ ...files, "good.json": exchange("list") });
  const evaluate = (...words: string[]) => run(["eval", "plan.yaml", ...words]);
  const history = ["--out", "runs.jsonl"];
  const first = await evaluate("--model", "replay:good.json", "--record", "evals.tape", ...history);
  const limits = ["--max", "cost=1", "--max", "p95=100000", "--json"];
  const second = await evaluate("--model", "replay:evals.tape", ...history, ...limits);
  const swap = (other: string, model: string) =>
    run(["test", "swap", "find", other, "plan.yaml", "--model", `replay:${model}`]);
  const swapped = await swap("list", "good.json");
  const stale = await swap("list", "evals.tape");
  const wrong = await swap("gone", "evals.tape");

  expect(first.code, first.stdout + first.stderr).toBe(0);
  expect(second.json()).toMatchObject({
    passRate: 1,
    changes: [],
    failures: ["the cost is not known: the plan has no agent.prices"],
  });
  expect((await read("runs.jsonl")).trimEnd().split("\n")).toHaveLength(2);
  // A list of exchanges answers the same whatever a description says: a real model would not.
  expect([swapped.code, swapped.stdout]).toEqual([
    1,
    expect.stringContaining("passes with the descriptions of find and list exchanged: finds"),
  ]);
  expect([stale.code, stale.stdout]).toEqual([1, expect.stringContaining("stale: 2 must be recorded")]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("mounts no tool gone")]);
});

test("evaluations that say something unknown are refused at their line", async () => {
  const { here: run } = await workspace({
    ...files,
    "plan.yaml": `version: 1\ntools:\n  - module: ./find.ts\ntests:\n  - prompt: x\n    expect: { tool: [find] }\n`,
    "empty.yaml": `version: 1\ntools:\n  - module: ./find.ts\n`,
    "good.json": exchange("list"),
  });
  const unknown = await run(["eval", "plan.yaml", "--model", "replay:good.json"]);
  const empty = await run(["eval", "empty.yaml", "--model", "replay:good.json"]);

  expect(unknown.stderr).toContain("plan.yaml:6:");
  expect(unknown.stderr).toContain('unknown key "tool"');
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining("write tests:")]);
});
