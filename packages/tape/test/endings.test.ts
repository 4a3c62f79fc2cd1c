import { expect, test } from "vitest";
import { z } from "zod";
import { createHost, data, defineTool, type HostOptions, type JsonObject } from "@toolmount/core";
import { createRedactor } from "@toolmount/core/text";
import { createReplay, parseTape, recordCalls, tapeHeader, type TapeCall } from "../src/index.ts";

/** Whether and how often the tools below ran. */
function open(options: HostOptions = {}) {
  const host = createHost(options);
  const ran: string[] = [];
  const add = (name: string, execute: (given: JsonObject) => unknown, more: object = {}) =>
    host.coordinator.mount("tools", {
      ...defineTool({
        name,
        description: `The tool ${name}. Use in tests.`,
        schema: z.looseObject({}),
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: false,
        execute: (given) => {
          ran.push(name);
          return execute(given as JsonObject) as ReturnType<typeof data>;
        },
      }),
      ...more,
    });
  add("look", () => data("seen"));
  add("old", () => data("old"), { status: "deprecated" });
  add("throw", () => {
    throw new Error("broken");
  });
  add("misshape", () => ({ data: 1, error: "both" }));
  return { host, ran };
}

function recording(options: HostOptions = {}) {
  const calls: TapeCall[] = [];
  const { host, ran } = open(options);
  const stop = recordCalls(host, { redact: createRedactor(), write: (call) => calls.push(call) });
  return { host, ran, calls, stop };
}

const look: TapeCall = {
  order: 1,
  tool: "look",
  definition: null,
  arguments: {},
  decision: "allow",
  ran: true,
  result: { data: "seen" },
};

/** The digest of the definition of `look`. */
async function definitionOfLook() {
  const { host, calls } = recording();
  await host.call({ name: "look", arguments: {} });
  return calls[0]!.definition;
}

/** What a replay of these calls finds, where `made` are made, and how each of those ends. */
async function replay(
  recorded: readonly Partial<TapeCall>[],
  made: readonly (readonly [tool: string, given: unknown])[],
  isWatched = false,
) {
  const definition = await definitionOfLook();
  const lines = recorded.map((call, index) =>
    JSON.stringify({ ...look, definition, order: index + 1, ...call }),
  );
  const tapeReplay = createReplay(parseTape([tapeHeader, ...lines, ""].join("\n")));
  const { host, ran } = open({ runner: tapeReplay.runner });
  if (isWatched) tapeReplay.watch(host);
  const outcomes = [];
  for (const [name, given] of made) outcomes.push(await host.call({ name, arguments: given as JsonObject }));
  expect(ran, "tools that ran").toEqual([]);
  return { problems: tapeReplay.finish(), outcomes };
}

test("a tape begins with its name and version", () => {
  expect(tapeHeader).toBe('{"toolmount":"tape","version":1}');
  expect(() => parseTape("{}\n")).toThrow(
    expect.objectContaining({ message: "line 1: the first line is not the header of a tape" }),
  );
});

test("a tool that failed while it ran is recorded as one that ran", async () => {
  const { host, calls } = recording();
  for (const name of ["look", "throw", "misshape", "gone"]) await host.call({ name, arguments: {} });

  expect(calls.map(({ order, tool, ran, result }) => [order, tool, ran, result.code])).toEqual([
    [1, "look", true, undefined],
    [2, "throw", true, "TOOL_FAILED"],
    [3, "misshape", true, "CONTRACT_VIOLATION"],
    [4, "gone", false, "TOOL_NOT_FOUND"],
  ]);
});

test("a call of a deprecated tool is recorded with the digest of its definition", async () => {
  const { host, calls } = recording();
  for (const name of ["old", "look", "gone"]) await host.call({ name, arguments: {} });

  expect(calls.map(({ definition }) => definition)).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/),
    expect.stringMatching(/^[0-9a-f]{64}$/),
    null,
  ]);
});

test("a recorder that was stopped records no more calls", async () => {
  const { host, calls, stop } = recording();
  await host.call({ name: "look", arguments: {} });
  stop();
  for (const name of ["look", "throw", "gone"]) await host.call({ name, arguments: {} });

  expect(calls).toHaveLength(1);
});

/** Each ends as it ended when it was recorded, though no tool runs. */
test.each([
  [{ data: "seen" }, "ok"],
  [{ data: null, warnings: ["partly"] }, "ok"],
  [{ error: "no such note" }, "failed"],
  [{ error: "no such note", code: "NOTE_MISSING", details: { id: 1 } }, "failed"],
  [{ error: "broken", code: "TOOL_FAILED" }, "failed"],
  [{ error: "took too long", code: "TIMED_OUT", details: { tool: "look", timeoutMs: 5 } }, "timed_out"],
  [{ error: "was cancelled", code: "CANCELLED" }, "cancelled"],
  [{ error: "it is not known how it ended", code: "OUTCOME_UNKNOWN" }, "unknown"],
] as const)("the recorded result %j ends a call as %s", async (result, status) => {
  const { outcomes, problems } = await replay([{ result }], [["look", {}]]);

  expect(outcomes).toMatchObject([{ status, result }]);
  expect(Object.keys(outcomes[0]!.result).toSorted()).toEqual(
    [...Object.keys(result), "tool", "fetchedAt"].toSorted(),
  );
  expect(problems).toEqual([]);
});

test("a call that is not as on the tape fails and says why, and no problem is reported twice", async () => {
  const denied = { decision: "deny", ran: false } as const;
  const mismatch = (problem: string) => ({
    status: "failed",
    result: {
      code: "REPLAY_MISMATCH",
      error: `this call is not as it was recorded: ${problem}; record again if the change is intended`,
    },
  });
  const early = await replay(
    [{ ...denied, result: { error: "not today", code: "DENIED" } }],
    [["look", {}]],
    true,
  );
  expect(early.problems).toEqual(["call 1: look: it would run now; it ended before that: not today"]);
  expect(early.outcomes).toMatchObject([mismatch("look: it would run now; it ended before that: not today")]);

  const withData = await replay([denied], [["look", {}]], true);
  expect(withData.problems).toEqual([
    "call 1: look: it would run now; it ended before that: its tool did not run",
  ]);

  const more = await replay([], [["look", {}]]);
  expect(more.outcomes).toMatchObject([mismatch("look {} is not on the tape, which has ended")]);
});

test("a call out of order is taken from the tape, and those before it stay", async () => {
  const recorded = [{ arguments: { at: 1 } }, { arguments: { at: 2 } }, { arguments: { at: 3 } }];
  const { problems } = await replay(recorded, [
    ["look", { at: 2 }],
    ["look", { at: 1 }],
  ]);

  expect(problems).toEqual([
    'call 1: look {"at":2} came out of order: the tape has look {"at":1} here',
    'call 3 of the tape was not made: look {"at":3}',
  ]);
});

test("the members that differ are named in order, also where one is null or absent", async () => {
  const kept = { list: [1, { deep: true }] };
  const { problems } = await replay(
    [{ arguments: { ...kept, z: 1, nothing: null, same: null } }],
    [["look", { ...kept, z: 2, empty: null, same: null }]],
  );

  expect(problems).toEqual([
    "call 1: look: empty is null, was absent; nothing is absent, was null; z is 2, was 1",
  ]);
});
