import { expect, test } from "vitest";
import { response, say } from "../support/exchange.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const echo = oneTool({ name: "echo", schema: "text: z.string()", body: "return data(params.text);" });
const schema = {
  type: "object",
  properties: { files: { type: "array", items: { type: "string" } }, count: { type: "integer" } },
  required: ["files", "count"],
  additionalProperties: false,
};

function agent(...exchange: object[]) {
  return workspace({
    "mount-plan.yaml": planOf("./echo.ts"),
    "echo.ts": echo,
    "answer.json": JSON.stringify(schema),
    "wrong.json": "[]",
    "broken.json": '{ "type": "objekt" }',
    "exchange.json": JSON.stringify(exchange),
  });
}

const words = ["run", "--model", "replay:exchange.json", "--schema", "answer.json", "which files?"];

test("run --schema prints the answer alone, as JSON that the schema accepts", async () => {
  const { run } = await agent(response(say('{"files":["a.ts"],"count":1}')));
  const { code, stdout, stderr } = await run(words);

  expect([code, JSON.parse(stdout)], stderr).toEqual([0, { files: ["a.ts"], count: 1 }]);
});

test("an answer that does not fit is asked for once more, with what is wrong", async () => {
  const { here: run } = await agent(
    response(say('{"files":["a.ts"],"count":"one"}')),
    response(say('{"files":["a.ts"],"count":1}')),
  );
  const { code, stdout } = await run([...words, "--session", "s1"]);
  const shown = await run(["sessions", "show", "s1"]);

  expect([code, JSON.parse(stdout)]).toEqual([0, { files: ["a.ts"], count: 1 }]);
  expect(shown.stdout).toMatch(/Your last answer cannot be used: .*count.*\. Answer again/);
});

test("an answer that does not fit twice fails, and so does a file that is no schema", async () => {
  const { here: run } = await agent(response(say("They are a.ts.")), response(say("a.ts")));
  const twice = await run(words);
  const wrong = await run(["run", "--model", "replay:exchange.json", "--schema", "wrong.json", "x"]);

  expect([twice.code, twice.stdout]).toEqual([1, ""]);
  expect(twice.stderr).toMatch(/not as outputSchema\s+asks:\s+it\s+is\s+not\s+JSON/);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("it is not a JSON Schema")]);
});

test("a schema that is not valid is refused with what is wrong in it, before a model is asked", async () => {
  const { here: run } = await agent(response(say("They are a.ts.")));
  const { code, stderr } = await run([
    "run",
    "--model",
    "replay:exchange.json",
    "--schema",
    "broken.json",
    "x",
    "--session",
    "s1",
  ]);
  const shown = await run(["sessions", "list", "--json"]);

  expect([code, stderr]).toEqual([2, expect.stringMatching(/--schema broken\.json: .*type/s)]);
  expect(shown.json()).toEqual({ sessions: [], ofClients: [] });
});

test("run --attach gives the model a file, and a prompt names none by itself", async () => {
  const { here: run } = await agent(response(say("Read.")));
  const { code } = await run([
    "run",
    "--model",
    "replay:exchange.json",
    "--session",
    "s2",
    "--attach",
    "answer.json",
    "read @mount-plan.yaml",
  ]);
  const gone = await run(["run", "--model", "replay:exchange.json", "--attach", "gone.png", "x"]);
  const { stdout } = await run(["sessions", "show", "s2"]);

  expect(code).toBe(0);
  expect(stdout).toContain('<file path="answer.json">');
  expect(stdout).not.toContain("module: ./echo.ts");
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining("@gone.png: there is no such file")]);
});
