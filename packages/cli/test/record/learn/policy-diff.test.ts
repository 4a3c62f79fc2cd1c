import { expect, test } from "vitest";
import { oneTool, workspace } from "../../support/workspace.ts";

const order = oneTool({
  name: "order",
  schema: "title: z.string(), token: z.string().optional()",
  body: `return data({ ordered: params.title });`,
});

const planOf = (policy: string) =>
  `version: 1\ntools:\n  - module: ./order.ts\naudit: durable\nstate: sqlite:./state.db\npolicy: ${policy}\n`;

const files = {
  "plan.yaml": planOf("{ level: cautious, deny: ['order(*poison*)'] }"),
  "new.yaml": planOf("{ level: cautious, ask: ['order(Emma*)'], deny: ['order(*weapon*)'] }"),
  "order.ts": order,
};

interface Group {
  readonly from: string;
  readonly to: string;
  readonly rule: string;
  readonly count: number;
}

async function recorded() {
  const world = await workspace(files);
  for (const title of ["Emma", "Emma 2", "Ivanhoe", "A poison", "A weapon", ""])
    await world.here(["call", "plan.yaml", "order", `{"title":"${title}"}`]);
  return world;
}

test("policy diff shows recorded calls that a plan would answer otherwise, by rule, and runs no tool", async () => {
  const { here: run } = await recorded();
  const found = await run(["policy", "diff", "new.yaml", "--from", "audit", "--json"]);
  const same = await run(["policy", "diff", "plan.yaml", "--from", "audit"]);
  const shown = await run(["policy", "diff", "new.yaml", "--from", "audit"]);
  const audit = await run(["audit", "plan.yaml", "--json"]);

  const { groups, ...counts } = found.json() as { readonly groups: readonly Group[] };
  expect(counts).toMatchObject({ judged: 6, changed: 4, notJudged: {} });
  expect(groups.map(({ from, to, count }) => `${from} ${to} ${count}`).toSorted()).toEqual([
    "allow ask 2",
    "allow deny 1",
    "deny allow 1",
  ]);
  expect([found.code, same.code, shown.code]).toEqual([1, 0, 1]);
  expect(shown.stdout).toMatch(/allow → ask order by new\.yaml:\d+:\d+: 2 calls\n {4}\{"title":"Emma"\}/);
  // The comparison itself wrote nothing: 6 starts and ends, without the start of the denied call.
  expect(JSON.parse(audit.stdout)).toHaveLength(11);
});

test("a tape and an audit as JSON lines are compared, too; what cannot be judged is counted", async () => {
  const { here: run, write } = await recorded();
  await run(["call", "plan.yaml", "order", '{"title":"Emma"}', "--record", "calls.tape"]);
  const entries = JSON.parse((await run(["audit", "plan.yaml", "--json"])).stdout) as object[];
  await write("audit.jsonl", entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  await write(
    "cut.jsonl",
    '{"kind":"end","runId":"r","tool":"order","arguments":"{\\"title","status":"ok"}\n',
  );
  await write("gone.jsonl", '{"kind":"end","runId":"r","tool":"gone","arguments":{},"status":"ok"}\n');
  await write("bad.jsonl", "{}\n");
  const against = (file: string) => run(["policy", "diff", "new.yaml", "--from", file, "--json"]);

  expect((await against("calls.tape")).json()).toMatchObject({ judged: 1, changed: 1 });
  expect((await against("audit.jsonl")).json()).toMatchObject({ judged: 7 });
  const cut = await against("cut.jsonl");
  expect([cut.code, cut.json()]).toMatchObject([
    1,
    { judged: 0, notJudged: { "the record does not have all of its arguments": 1 } },
  ]);
  expect((await against("gone.jsonl")).json()).toMatchObject({ notJudged: { "gone: TOOL_NOT_FOUND": 1 } });
  const bad = await against("bad.jsonl");
  expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining("line 1")]);
  expect((await against("none.jsonl")).stdout).toContain("REPLAY_INVALID");
});
