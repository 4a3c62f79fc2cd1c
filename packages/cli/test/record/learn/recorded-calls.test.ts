import { join } from "node:path";
import { tapeHeader } from "@toolmount/tape";
import { expect, test } from "vitest";
import { readCallsOf, type RecordedCall } from "@toolmount/record/internal";
import { workspace } from "../../support/workspace.ts";

async function allOf(file: string): Promise<RecordedCall[]> {
  const calls: RecordedCall[] = [];
  for await (const call of readCallsOf(file)) calls.push(call);
  return calls;
}

/** The calls of a file of these lines. */
async function callsIn(...lines: readonly (object | string)[]): Promise<RecordedCall[]> {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  const { folder } = await workspace({ "calls.jsonl": text });
  return allOf(join(folder, "calls.jsonl"));
}

const taped = {
  order: 3,
  tool: "pay",
  arguments: { to: "Bo" },
  decision: "allow",
  ran: true,
  result: { data: 1 },
};
const denied = { error: "no", code: "DENIED" };

test.each([
  [{}, "allow", null],
  [{ decision: "ask" }, "ask", "allowed"],
  [{ decision: "ask", ran: false, result: denied }, "ask", "denied"],
  [{ decision: "ask", ran: false, result: { ...denied, code: "CANCELLED" } }, "ask", null],
  [{ decision: "ask", ran: false, result: { data: 1, code: "DENIED" } }, "ask", null],
  [{ decision: "deny", ran: false, result: denied }, "deny", null],
])("a call of a tape with %j was answered with %s, and by a person: %s", async (over, answer, person) => {
  const call = {
    tool: "pay",
    arguments: { to: "Bo" },
    rules: [],
    user: undefined,
    session: undefined,
    id: "call 3",
  };

  expect(await callsIn(tapeHeader, { ...taped, ...over })).toEqual([{ ...call, answer, person }]);
});

test("what is no call with a decision is left out of a tape, and arguments that are no object are unknown", async () => {
  const { result, ...open } = taped;

  expect(result).toBeDefined();
  expect(
    await callsIn(tapeHeader, { ...taped, answer: "x" }, { ...taped, decision: "none" }, open, "", {
      ...taped,
      arguments: [1],
    }),
  ).toMatchObject([{ arguments: null }]);
});

const run = {
  kind: "end",
  at: 1,
  runId: "r1",
  tool: "pay",
  status: "ok",
  arguments: { to: "Bo" },
  userId: "ada",
};

test("an audit has records or their entries, those of a run are one call, and those without an end come last", async () => {
  expect(
    await callsIn(
      { entry: { ...run, kind: "start", runId: "r0" }, hash: "h" },
      { ...run, kind: "start", arguments: { to: "Al" } },
      { entry: { ...run, arguments: undefined, sessionId: "s1" } },
      { ...run, runId: "r2", phase: "parse" },
      { ...run, runId: "r3", phase: "find" },
      { ...run, runId: "r4", phase: "decide", arguments: "{", status: "denied" },
    ),
  ).toMatchObject([
    { id: "r1", arguments: { to: "Al" }, user: "ada", session: "s1", answer: "allow" },
    { id: "r4", arguments: null, session: undefined, answer: "deny" },
    { id: "r0", arguments: { to: "Bo" }, answer: "allow" },
  ]);
});

test.each([
  ["{", "line 2: it is not a JSON object"],
  ["[]", "line 2: it is not a JSON object"],
  ["null", "line 2: it is not a JSON object"],
  ['{"kind":"end"}', "line 2: it is neither a record of an audit nor a call of a tape"],
  ['{"runId":"r"}', "line 2: it is neither a record of an audit nor a call of a tape"],
  ['{"entry":{"kind":1,"runId":"r"}}', "line 2: it is neither a record of an audit nor a call of a tape"],
])("a file with the line %s is refused with its place", async (line, problem) => {
  await expect(callsIn(run, line)).rejects.toMatchObject({
    code: "REPLAY_INVALID",
    message: expect.stringContaining(problem),
  });
});

test("a file that is not there is refused", async () => {
  await expect(allOf("/no/such/file")).rejects.toMatchObject({
    code: "REPLAY_INVALID",
    message: expect.stringContaining("ENOENT"),
  });
});
