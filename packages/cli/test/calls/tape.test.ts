import { stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const files = {
  "plan.yaml": planOf("./note.ts"),
  "note.ts": oneTool({
    name: "note",
    schema: "text: z.string()",
    body: `return data("noted " + params.text + " " + process.env.RUN);`,
  }),
};

test("call --record writes a tape of its owner, and --replay answers from it without the tool", async () => {
  const { run, folder } = await workspace(files);
  const call = (...words: string[]) =>
    run(["call", "plan.yaml", "note", "text=a", "--json", ...words], { env: { RUN: words[0] ?? "" } });
  const first = await call("--record", "calls.tape");
  const again = await call("--replay", "calls.tape");
  const over = await call("--record", "calls.tape");

  expect([first.code, again.code, again.stderr]).toEqual([0, 0, ""]);
  expect(again.json()).toMatchObject({ status: "ok", result: { data: "noted a --record" } });
  expect((await stat(`${folder}/calls.tape`)).mode & 0o777).toBe(0o600);
  expect([over.code, over.json()]).toMatchObject([1, { error: { code: "RECORD_FAILED" } }]);
});

test("call --replay reports how a call differs, and ends with 1", async () => {
  const { run } = await workspace(files);
  await run(["call", "plan.yaml", "note", "text=a", "--record", "calls.tape"]);
  const other = await run(["call", "plan.yaml", "note", "text=b", "--replay", "calls.tape"]);
  const both = await run(["call", "plan.yaml", "note", "text=b", "--replay", "calls.tape", "--record", "x"]);

  expect(other.code).toBe(1);
  expect(other.stderr).toContain('replay differs: call 1: note: text is "b", was "a"');
  expect(both.code).toBe(2);
});
