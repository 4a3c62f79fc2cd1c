import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const greet = oneTool({
  name: "greet",
  schema: `name: z.string().describe("Who is greeted"), times: z.int().min(1).default(1), how: z.enum(["loud", "soft"]).optional()`,
  body: "return data(params.name);",
});

test("describe shows a tool's arguments as a table, and a call that works", async () => {
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./greet.ts"), "greet.ts": greet });
  const { code, stdout } = await run(["describe", "greet"]);
  const [, example = ""] = /toolmount call greet '(.+)'/.exec(stdout) ?? [];
  const called = await run(["call", "greet", example, "--json"]);

  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^greet {2}\.\/greet\.ts · side_effect · consequence medium · by itself asks for no call/,
  );
  expect(stdout).toMatch(/name +string +yes +Who is greeted\n/);
  expect(stdout).toMatch(/times +number +no +a whole number, minimum 1/);
  expect(stdout).toMatch(/how +"loud" \| "soft" +no/);
  expect(called.json()).toMatchObject({ status: "ok" });
});

test("describe of an unknown tool names near ones and ends with 1", async () => {
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./greet.ts"), "greet.ts": greet });
  const { code, stderr } = await run(["describe", "gret"]);

  expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean "greet"?')]);
});

test.each([
  ["before", ["--plan", "other.yaml", "describe", "greet", "--json"]],
  ["after", ["describe", "greet", "--plan", "other.yaml", "--json"]],
  ["as its argument", ["describe", "other.yaml", "greet", "--json"]],
])("the plan may be given %s a command's name", async (_, words) => {
  const { here: run } = await workspace({ "other.yaml": planOf("./greet.ts"), "greet.ts": greet });

  expect((await run(words)).json()).toMatchObject({ name: "greet" });
});

test("arguments of a call may be written as words", async () => {
  const { here: run } = await workspace({
    "mount-plan.yaml": planOf("./greet.ts"),
    "greet.ts": greet,
    "name.txt": "Ada",
  });
  const asText = await run(["call", "greet", "name=Ada Lovelace", "times:=2", "--json"]);
  const asFile = await run(["call", "mount-plan.yaml", "greet", "name=@name.txt", "--json"]);
  const wrong = await run(["call", "greet", "times:=two"]);

  expect([asText.json(), asFile.json()]).toMatchObject([
    { result: { data: "Ada Lovelace" } },
    { result: { data: "Ada" } },
  ]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("the value of times is not JSON")]);
});
