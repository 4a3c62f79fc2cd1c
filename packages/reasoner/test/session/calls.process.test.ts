import { expect, test } from "vitest";
import { call, response, say, tool, world } from "../support/world.ts";

const look = tool("look", (given) => ({ found: given }));
const write = tool("write", () => "written", { requiresConfirmation: true });

test("the calls of a session are read with what the user had written before, also after a compaction and a rewind", async () => {
  const answers = [
    response([call("a", "look", { for: "Emma" })]),
    response([say("here")]),
    response([call("b", "write", { title: "x" }), call("c", "missing")], {
      usage: { input_tokens: 200, output_tokens: 1 },
    }),
    response([say("done")]),
  ];
  const settings = { compaction: 90, keepTurns: 1, summary: false };
  const decisions = ["approve", "deny"] as const;
  let at = 0;
  const approver = () => ({ decision: decisions[at++ % 2]! });
  const { reasoner, host, run } = await world([...answers, ...answers], {
    tools: [look, write],
    settings,
    host: { approver },
  });
  for (const prompt of ["Find Emma.", "Write it.", "Find Emma again.", "Write that."]) await run(prompt);
  await reasoner.rewind(host, "s", 2);

  const calls = await reasoner.calls("s");
  expect(
    calls.map(({ tool: name, prompts, status, isAsked }) => [name, prompts.length, status, isAsked]),
  ).toEqual([
    ["look", 1, "ok", false],
    ["missing", 2, "not_found", false],
    ["write", 2, "ok", true],
    ["look", 3, "ok", false],
    ["missing", 4, "not_found", false],
    ["write", 4, "denied", true],
  ]);
  expect(calls[0]).toMatchObject({
    arguments: { for: "Emma" },
    output: { found: { for: "Emma" } },
    isCopied: false,
  });
  expect(calls[2]!.output).toBe("written");
});

test("a copy has the calls of its original as copied ones, and its own", async () => {
  const answers = [
    response([call("a", "look")]),
    response([say("here")]),
    response([call("b", "look")]),
    response([say("here")]),
  ];
  const { reasoner, host, run } = await world(answers, { tools: [look] });
  await run("Look.");
  await reasoner.fork(host, "s", "copy");
  await reasoner.run(host, { sessionId: "copy", prompt: "Once more." });

  const calls = await reasoner.calls("copy");
  expect(calls.map(({ isCopied, prompts }) => [isCopied, prompts])).toEqual([
    [true, ["Look."]],
    [false, ["Look.", "Once more."]],
  ]);
  await expect(reasoner.calls("none")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
});
