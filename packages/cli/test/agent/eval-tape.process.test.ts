import { expect, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { oneTool, workspace } from "../support/workspace.ts";
import { startModel } from "../support/scripted-model.ts";

const tool = (name: string, description: string) =>
  oneTool({ name, schema: "text: z.string().optional()", body: `throw new Error("a tool ran");` }).replace(
    "Does what a test wants.",
    description,
  );

const planOf = (prompt: string, given = "7") => `version: 1
tools:
  - module: ./find.ts
  - module: ./list.ts
tests:
  - name: finds
    prompt: Find the order of Ada.
    given: { find: { data: { id: ${given} } } }
    expect: { tools: [find] }
  - name: lists
    prompt: ${prompt}
    expect: { tools: [list] }
  - name: thanks
    prompt: Thank you!
    expect: { tools: [] }
`;

const answers = JSON.stringify([
  response(call("c1", "find", { text: "Ada" })),
  response(say("It is order 7.")),
  response(call("c2", "list")),
  response(say("There is one.")),
  response(say("You are welcome.")),
]);

const files = {
  "plan.yaml": planOf("List the orders of Ada."),
  "find.ts": tool("find", "Finds an order."),
  "list.ts": tool("list", "Lists orders."),
  "answers.json": answers,
};

interface Output {
  readonly stale: readonly string[];
  readonly passRate: number;
}

const record = ["eval", "plan.yaml", "--model", "replay:answers.json", "--record", "evals.tape"];
const replay = ["eval", "plan.yaml", "--model", "replay:evals.tape", "--json"];

test("a recorded answer is stale when the prompt, a description, the instructions or a result is another one", async () => {
  const { here: run, write } = await workspace(files);
  await run(record);
  const staleWith = async (file: string, text: string, before: string) => {
    await write(file, text);
    const ended = await run(replay);
    await write(file, before);
    const { stale } = ended.json() as unknown as Output;
    return [ended.code, stale];
  };
  const plan = files["plan.yaml"];
  const all = ["finds", "lists", "thanks"];

  expect((await run(replay)).code).toBe(0);
  expect(await staleWith("plan.yaml", planOf("Delete everything of Bob."), plan)).toEqual([1, ["lists"]]);
  expect(await staleWith("plan.yaml", planOf("List the orders of Ada.", "8"), plan)).toEqual([1, ["finds"]]);
  const coffee = tool("find", "Makes coffee. Never use for orders.");
  expect(await staleWith("find.ts", coffee, files["find.ts"])).toEqual([1, all]);
  const instructed = `${plan}agent: { model: m, instructions: Be brief. }\n`;
  expect(await staleWith("plan.yaml", instructed, plan)).toEqual([1, all]);
});

test("only stale answers are recorded again, and the tape then has no others", async () => {
  const { here: run, write, read } = await workspace(files);
  await run(record);
  const before = (await read("evals.tape")).split("\n");
  await write("plan.yaml", planOf("Delete everything of Bob."));
  const baseUrl = await startModel({ "Delete everything of Bob.": [[call("c9", "list")], [say("Done.")]] });
  const asked = ["--model", "gpt", "--base-url", baseUrl, "--record", "evals.tape"];
  const again = await run(["eval", "plan.yaml", ...asked]);
  const after = (await read("evals.tape")).split("\n");

  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("3 answers kept, 2 new")]);
  expect(after).toHaveLength(before.length);
  expect(before.filter((line) => line !== "" && after.includes(line))).toHaveLength(4);
  expect((await run([...replay, "--concurrency", "3"])).json()).toMatchObject({ stale: [], passRate: 1 });
});

test("turns overlap only where answers do not depend on their order", async () => {
  const { here: run } = await workspace(files);
  const ended = await run(["eval", "plan.yaml", "--model", "replay:answers.json", "--concurrency", "2"]);
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining("answered in its order")]);
});
