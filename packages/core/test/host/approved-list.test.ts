import { expect, test } from "vitest";
import { createMemoryStore, data, failure, type HostOptions, type JsonObject } from "../../src/index.ts";
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

type List = { readonly [Member in "run" | "calls" | "harmless"]: readonly JsonObject[] };
const onlyFirst = "of a list only first can be changed, the number of its calls that are made";
const notANumber = "first is not a number of its calls";

test.each<[string, (list: List) => unknown, string | null]>([
  ["as it is", (list) => list, null],
  ["cut to one call", (list) => ({ ...list, first: 1 }), null],
  ["cut to none", (list) => ({ ...list, first: 0 }), notANumber],
  ["cut to half a call", (list) => ({ ...list, first: 1.5 }), notANumber],
  ["cut to a text", (list) => ({ ...list, first: "1" }), notANumber],
  ["with more calls than it has", (list) => ({ ...list, first: 3 }), notANumber],
  ["with one member more", (list) => ({ ...list, more: 1 }), onlyFirst],
  ["without what runs", ({ run: _, ...list }) => list, onlyFirst],
  ["without its calls", ({ calls: _, ...list }) => list, onlyFirst],
  ["without a call", (list) => ({ ...list, calls: [] }), onlyFirst],
  ["with a call twice", (list) => ({ ...list, run: [...list.run, list.run[0]!] }), onlyFirst],
  ["in another order", (list) => ({ ...list, calls: list.calls.toReversed() }), onlyFirst],
  [
    "with other arguments",
    ({ calls, ...list }) => ({ ...list, calls: calls.map((one) => ({ ...one, arguments: {} })) }),
    onlyFirst,
  ],
  [
    "with another definition",
    ({ calls, ...list }) => ({ ...list, calls: calls.map((one) => ({ ...one, definition: "d" })) }),
    onlyFirst,
  ],
  [
    "with a reason more",
    ({ calls, ...list }) => ({ ...list, calls: calls.map((one) => ({ ...one, asks: ["it asks"] })) }),
    onlyFirst,
  ],
  ["with something harmless more", (list) => ({ ...list, harmless: [{ tool: "look" }] }), onlyFirst],
])("a list that its approver edits, %s: taken or refused %#", async (_, edit, problem) => {
  const { host, rehearsal, rehearsed } = listWorld({ store: createMemoryStore() });
  await rehearsal.make({ digest: await rehearsed("a", "b") });
  const [question] = await host.approvals.list();
  const edited = edit(question!.arguments as unknown as List);
  const decision = { decision: "approve", arguments: edited as never } as const;
  const decided = host.approvals.decide(question!.id, decision, "ada");

  if (problem === null) return expect((await decided).decision).toMatchObject({ arguments: edited });
  await expect(decided).rejects.toMatchObject({
    code: "OPTION_INVALID",
    details: { option: "arguments", problem },
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
