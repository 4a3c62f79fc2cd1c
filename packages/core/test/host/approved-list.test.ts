import { expect, test } from "vitest";
import { createMemoryStore, data, failure, type HostOptions } from "../../src/index.ts";
import { tool, world } from "../world.ts";

/** Notes that a call sets in one step. The tool fails for the note "locked". */
function listWorld(options: HostOptions = {}) {
  const notes: unknown[] = [];
  const set = tool(
    (params) =>
      params["key"] === "locked"
        ? failure("it is locked", { code: "LOCKED" })
        : data(notes.push(params["key"])),
    {
      name: "set_note",
      category: "write",
      requiresConfirmation: true,
      preview: (params) => ({
        effects: [{ target: String((params as { key: unknown }).key), change: "create" }],
        result: data(1),
      }),
    },
  );
  const made = world(
    [
      set,
      tool((_, { call }) => call({ name: "set_note", arguments: { key: "a" } }).then(() => data(1)), {
        name: "outer",
        category: "side_effect",
      }),
    ],
    options,
  );
  const rehearsal = made.host.session("s").rehearse();
  const rehearsed = async (...keys: string[]) => {
    for (const key of keys) await rehearsal.call({ name: "set_note", arguments: { key } });
    return rehearsal.digest;
  };
  return { ...made, notes, rehearsal, rehearsed };
}

const approve: HostOptions = { approver: () => ({ decision: "approve", by: "ada" }) };
const madeOf = (tools: readonly unknown[]) =>
  tools.map((one) => ({ tool: "set_note", runId: expect.any(String) as string, status: "ok", data: one }));

test.each([
  [undefined, ["a", "b", "c"], 3],
  [3, ["a", "b", "c"], 3],
  [2, ["a", "b"], 2],
  [1, ["a"], 1],
])("of a list of three, the first %s are made", async (first, keys, count) => {
  const { rehearsal, rehearsed, notes } = listWorld(approve);
  const digest = await rehearsed("a", "b", "c");
  const outcome = await rehearsal.make(first === undefined ? { digest } : { digest, first });

  expect(notes).toEqual(keys);
  expect(outcome.result).toEqual({
    tool: "make_approved_calls",
    fetchedAt: expect.any(String) as string,
    data: { made: madeOf(Array.from({ length: count }, (_, at) => at + 1)) },
  });
});

test("a call that fails ends the list, with what was made before and how many calls are left", async () => {
  const { rehearsal, rehearsed, notes } = listWorld(approve);
  const digest = await rehearsed("a", "locked", "b", "c");
  const { status, result } = await rehearsal.make({ digest });

  expect(notes).toEqual(["a"]);
  expect([status, result]).toEqual([
    "failed",
    {
      tool: "make_approved_calls",
      fetchedAt: expect.any(String) as string,
      error: 'call 2 of 4, "set_note", ended as failed: it is locked',
      code: "APPROVED_CALL_FAILED",
      details: {
        made: [
          ...madeOf([1]),
          {
            tool: "set_note",
            runId: expect.any(String) as string,
            status: "failed",
            error: "it is locked",
            code: "LOCKED",
          },
        ],
        left: 2,
      },
    },
  ]);
});

test("the question of a list has its calls with what they change, and asks as one tool", async () => {
  const asked: unknown[] = [];
  const { rehearsal, rehearsed } = listWorld({
    approver: (question) => (asked.push(question.arguments), { decision: "deny" }),
  });
  const digest = await rehearsed("a");
  await rehearsal.make({
    digest,
    run: [{ name: "outer" }, { name: "set_note", arguments: { key: "z" } }],
    first: 1,
  });

  expect(asked).toEqual([
    {
      run: [
        { tool: "outer", arguments: {} },
        { tool: "set_note", arguments: { key: "z" } },
      ],
      calls: [
        {
          tool: "set_note",
          definition: expect.stringMatching(/^[\da-f]{64}$/) as string,
          arguments: { key: "a" },
          effects: [{ target: "a", change: "create" }],
          canUndo: null,
          asks: ['"set_note" asks for confirmation'],
          origins: [],
        },
      ],
      harmless: [],
      first: 1,
    },
  ]);
});

const call = { tool: "set_note", arguments: { key: "a" } };
const listed = { ...call, definition: "d", asks: [] };
const quiet = { tool: "look", definition: "d", argumentsDigest: "a", asks: [] };
const whole = { run: [call], calls: [listed], harmless: [quiet] };

test.each<[string, object, boolean]>([
  ["as it is", whole, true],
  ["cut to one call", { ...whole, first: 1 }, true],
  ["without a call", { run: [], calls: [], harmless: [] }, true],
  ["cut to none", { ...whole, first: 0 }, false],
  ["cut to half a call", { ...whole, first: 1.5 }, false],
  ["with one member more", { ...whole, more: 1 }, false],
  ["without what runs", { calls: [listed], harmless: [] }, false],
  ["without its calls", { run: [call], harmless: [] }, false],
  ["without what is harmless", { run: [call], calls: [listed] }, false],
  ["with a call that is no object", { ...whole, run: [7] }, false],
  ["with a call without a name", { ...whole, run: [{ arguments: {} }] }, false],
  [
    "with a call without arguments",
    { ...whole, calls: [{ tool: "set_note", definition: "d", asks: [] }] },
    false,
  ],
  ["with a call that does not say which tool it means", { ...whole, calls: [{ ...call, asks: [] }] }, false],
  [
    "with a call that does not say whether it asks",
    { ...whole, calls: [{ ...call, definition: "d" }] },
    false,
  ],
  ["with a reason that is no text", { ...whole, calls: [{ ...listed, asks: [7] }] }, false],
  ["with something harmless that is no call", { ...whole, harmless: [7] }, false],
  [
    "with something harmless without arguments",
    { ...whole, harmless: [{ ...quiet, argumentsDigest: 7 }] },
    false,
  ],
])("a list that its approver edits, %s: taken %#", async (_, edited, isTaken) => {
  const { host, rehearsal, rehearsed } = listWorld({ store: createMemoryStore() });
  await rehearsal.make({ digest: await rehearsed("a") });
  const [question] = await host.approvals.list();
  const decided = host.approvals.decide(
    question!.id,
    { decision: "approve", arguments: edited as never },
    "ada",
  );

  if (isTaken) return expect((await decided).decision).toMatchObject({ arguments: edited });
  await expect(decided).rejects.toMatchObject({
    code: "OPTION_INVALID",
    details: { option: "arguments", problem: "this is not a list of calls" },
  });
});

test("a list of its own calls is cut, and a program that is approved with a cut list asks after it", async () => {
  const { rehearsal, rehearsed, notes } = listWorld({
    approver: ({ tool: { name } }) => ({ decision: name === "make_approved_calls" ? "approve" : "deny" }),
  });
  const digest = await rehearsed("a", "b");
  const run = ["a", "b"].map((key) => ({ name: "set_note", arguments: { key } }));
  await rehearsal.make({ digest, run, first: 1 });
  expect(notes).toEqual(["a"]);
  const { result } = await rehearsal.make({ digest, run: [...run, run[0]!], first: 1 });

  expect(notes).toEqual(["a", "a"]);
  expect(result).toMatchObject({
    error: 'call 2 of 3, "set_note", ended as denied: "set_note" was not run: the approver denied it',
    details: { left: 1 },
  });
});

test.each<[object, RegExp | string]>([
  [{ digest: "0" }, "it is not the digest of the list as it is now"],
  [{ digest: "0", first: 1 }, "it is not the digest of the list as it is now"],
])("a rehearsal that is made with %j is refused", async (given, problem) => {
  const { rehearsal, rehearsed } = listWorld(approve);
  await rehearsed("a");

  expect(() => rehearsal.make(given as never)).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID", details: { option: "digest", problem } }),
  );
});

test("a rehearsal that ended early is approved up to there, or as the program that it is", async () => {
  const { rehearsal, rehearsed, host, notes } = listWorld(approve);
  host.coordinator.mount(
    "tools",
    tool(() => data(1), { name: "read_all" }),
  );
  await rehearsed("a", "b");
  await rehearsal.call({ name: "read_all" });
  const { digest } = rehearsal;
  const problem =
    'the rehearsal ended early: "read_all" may read what "set_note" would change, and it cannot see staged changes';

  for (const given of [{ digest }, { digest, first: 2 }])
    expect(() => rehearsal.make(given)).toThrow(
      expect.objectContaining({ details: { option: "digest", problem } }),
    );
  expect(() => rehearsal.approve({ digest, by: "ada" })).toThrow(
    expect.objectContaining({ details: { option: "digest", problem } }),
  );
  expect((await rehearsal.make({ digest, first: 1 })).status).toBe("ok");
  expect(notes).toEqual(["a"]);
  expect(
    (await rehearsal.make({ digest, run: [{ name: "set_note", arguments: { key: "a" } }] })).status,
  ).toBe("ok");
  expect(notes).toEqual(["a", "a"]);
});

test("a rehearsed call has the origins of its values, and why it would ask", async () => {
  const { rehearsal, rehearsed, host } = listWorld();
  const origin = { argument: "key", value: "a", origin: "untrusted", isAccepted: false } as const;
  host.coordinator.mount("policies", {
    name: "origins",
    prepare: () => () => ({ answer: "ask", reason: "it is not the user's", rule: "r", origins: [origin] }),
  });
  await rehearsed("a");

  expect(rehearsal.calls.map(({ origins, asks }) => ({ origins, asks }))).toEqual([
    { origins: [origin], asks: ["it is not the user's", '"set_note" asks for confirmation'] },
  ]);
});
