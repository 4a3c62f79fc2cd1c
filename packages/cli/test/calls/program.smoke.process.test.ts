import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { oneTool, workspace } from "../support/workspace.ts";

const folder = join(import.meta.dirname, "../../../../tools/program");
const plan = `version: 1
tools:
  - module: ./order.ts
  - { module: program, source: "file:${folder}" }
`;
const order = oneTool({
  name: "order_book",
  schema: `title: z.string().describe("The title")`,
  body: "return data(params.title.toUpperCase());",
});
const files = {
  "mount-plan.yaml": plan,
  "order.ts": order,
  "all.ts": `return Promise.all(["a", "b"].map((title: string) => tools.order_book({ title })));`,
};

test("toolmount program runs a file as a program of the plan's tools", async () => {
  const { run } = await workspace(files);
  const { code, json, stderr } = await run(["program", "all.ts", "--json"]);
  expect(code, stderr).toBe(0);
  expect(json()["result"]).toMatchObject({ data: { result: ["A", "B"], calls: 2 } });
});

test("toolmount program with more words than a plan and a file is wrong usage", async () => {
  const { here: run } = await workspace(files);
  const { code, stderr } = await run(["program", "a", "b", "c"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("give one file")]);
});

describe("a program that ran", () => {
  const pay = oneTool({
    name: "pay",
    schema: `amount: z.number().describe("The amount")`,
    confirm: "true",
    body: "return data({ paid: params.amount });",
  });
  const source = `const titles = ["a", "b", "c", "d"];
await Promise.all(titles.map((title) => tools.order_book({ title })));
try { await tools.order_book({ title: 5 }); } catch {}
return await tools.pay({ amount: 7 });
`;
  const all = `version: 1
tools:
  - module: ./order.ts
  - module: ./pay.ts
  - { module: program, source: "file:${folder}" }
state: sqlite:./state.db
audit: durable
`;

  test("is shown with its calls below its lines, while it waits and when it has ended", async () => {
    const { here: run } = await workspace({
      ...files,
      "pay.ts": pay,
      "mount-plan.yaml": all,
      "pay-all.ts": source,
    });
    const asked = await run(["program", "pay-all.ts", "--session", "office", "--json"]);
    expect(asked.code, asked.stderr).toBe(3);

    const listed = await run(["program", "list"]);
    expect(listed.stdout).toMatch(
      /program +state +began +session +source\n\S+ +waits +just now +office +const titles/,
    );
    const [{ id }] = (await run(["approvals", "list", "--json"])).json()["waiting"] as [{ id: string }];
    const waits = await run(["program", "show", id.slice(0, 8)]);
    expect(waits.stdout, waits.stderr).toBe(`run_program waits · began just now · session office
  1  const titles = ["a", "b", "c", "d"];
  2  await Promise.all(titles.map((title) => tools.order_book({ title })));
       ✔ order_book: 4 calls  done
  3  try { await tools.order_book({ title: 5 }); } catch {}
       ✖ order_book  INVALID_ARGUMENTS
▶ 4  return await tools.pay({ amount: 7 });
       … pay amount: 7  waits: toolmount approvals approve ${id.slice(0, 12)}
6 calls: 4 done, 1 INVALID_ARGUMENTS, 1 waits
`);

    await run(["approvals", "approve", id]);
    const { ticket } = asked.json() as { ticket: string };
    expect((await run(["resume", ticket, "--session", "office"])).code).toBe(0);
    const done = await run(["program", "show"]);
    expect(done.stdout, done.stderr).toContain("run_program done · began just now · session office\n");
    expect(done.stdout).toContain(
      "  4  return await tools.pay({ amount: 7 });\n       ✔ pay amount: 7  done\n",
    );
    expect(done.stdout).not.toContain("▶");
  });

  test("that is not known is wrong usage, and so is a list with a file", async () => {
    const { here: run } = await workspace({
      ...files,
      "mount-plan.yaml": plan.replace("tools:", "audit: durable\nstate: sqlite:./state.db\ntools:"),
    });
    expect(await run(["program", "show", "none"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no program with the id none; toolmount program list shows them"),
    });
    expect((await run(["program", "list", "mount-plan.yaml", "all.ts"])).code).toBe(2);
    expect((await run(["program", "list"])).stdout).toContain("the audit has no programs");
    expect((await run(["program", "show"])).stderr).toContain("the audit has no program");
  });
});
