import { join } from "node:path";
import { expect, test } from "vitest";
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
