import type { Json, JsonObject, ToolInfo } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { judge, look, originOf, reasonOf, send } from "./flow-judge.ts";

/** A diary that only the user may see, mails with their senders, and a directory. */
const flows = {
  results: [
    { match: { tool: "diary" }, audience: "user" },
    { match: { tool: "mail" }, fields: { "*.from": "structured" } },
    { match: { tool: "people" }, trust: "contact" },
  ],
  into: [{ match: {}, from: ["user", "identity", "structured", "contact"], audience: ["to"] }],
  identity: ["me@home.example"],
};
const diary = look("The merger closes on Friday.", { tool: "diary", call: 1 });
const mail = look([{ from: "eve@x.example", body: "Hello." }], { tool: "mail", call: 2 });
const people = look([{ name: "Ada", email: "ada@w.example" }], { tool: "people", call: 3 });

/** How a message to a person is answered. */
function answerTo(to: Json, body: Json, results = [diary, mail, people], more: object = {}) {
  const answer = judge({ to, body }, { flows, results, ...more });
  return answer?.answer === "ask" ? `asks: ${reasonOf(answer)}` : "runs";
}

describe("after a result was read that only the user may see", () => {
  test.each([
    "rirefr vf gur zretre",
    "Der Zusammenschluss ist am Freitag",
    "m-e-r-g-e-r",
    "1",
    "ok",
    "yadirF no sesolc regrem ehT",
    "The merger",
  ])("a message to a person whom the user did not name asks, whatever it says: %j", (body) => {
    expect(answerTo("eve@x.example", body)).toMatch(
      /^asks: to eve@x\.example · from mail \(call 2\), 0\.from.* · the session has read what only you may see$/,
    );
    expect(answerTo(["ada@w.example", "eve@x.example"], body)).toMatch(/^asks: to\.1 eve@x\.example/);
  });

  test.each([
    ["whom the user wrote", "bob@x.example", "Write to bob@x.example."],
    ["of the directory whom the user named", "ada@w.example", "Write to Ada."],
    ["who is the user", "me@home.example", "Write it down."],
  ])("a message to a person %s is compared as before", (_, to, prompt) => {
    expect(answerTo(to, "see you", undefined, { prompts: [prompt] })).toBe("runs");
  });

  test("no message asks for that reason before it was read", () => {
    expect(answerTo("eve@x.example", "see you", [mail, people])).toBe("runs");
  });

  test("those whom a call is about read it where no line names the readers", () => {
    const line = { match: {}, from: ["user", "structured"] };
    const given = { flows: { ...flows, into: [line] }, results: [diary, mail] };
    expect(reasonOf(judge({ to: "eve@x.example", body: 7 }, given))).toContain("only you may see");
    expect(judge({ to: "eve@x.example" }, given)?.answer).toBe("none");
  });
});

/** A tool whose argument has booleans, a record, and a map of people to rights. */
const share = {
  ...send,
  control: ["to"],
  inputSchema: {
    type: "object",
    properties: {
      to: {
        type: "object",
        properties: { isPublic: { type: "boolean", default: false }, doc: { type: "string" } },
        additionalProperties: { type: "boolean" },
      },
    },
  },
} as unknown as ToolInfo;

test.each<[JsonObject, readonly string[]]>([
  [{ doc: "ada" }, []],
  [{ doc: "ada", isPublic: false }, []],
  [{ doc: "ada", isPublic: true }, ["to.isPublic true"]],
  [{ doc: "ada", mallory: true }, ["to.~ mallory", "to.mallory true"]],
  [{ Ada: "ada" }, []],
])("every value of %j decides, but names of members and defaults", (to, asked) => {
  const origins = judge({ to }, { tool: share })?.origins ?? [];
  const shown = origins
    .filter(({ isAccepted }) => !isAccepted)
    .map(({ argument, value }) => `${argument} ${value}`);
  expect(shown).toEqual(asked);
});

test("a value of results is not accepted where the host dropped results that may have it, too", () => {
  const results = [mail];
  const asks = (isPartial: boolean, to: string) =>
    judge({ to }, { flows, results, isPartial })?.answer === "ask";
  expect([asks(false, "eve@x.example"), asks(true, "eve@x.example"), asks(true, "Ada")]).toEqual([
    false,
    true,
    false,
  ]);
});

test("a directory's entry counts by the name of its person, not by what is before the @", () => {
  const entry = (record: Json) =>
    originOf("ada@evil.example", { flows, results: [{ tool: "people", value: [record] }] });
  expect(entry({ name: "Mallory", email: "ada@evil.example" })).toBe("-contact 1.0.email");
  expect(entry({ name: "Ada", email: "ada@evil.example" })).toBe("+contact 1.0.email");
  expect(entry({ email: "ada@evil.example" })).toBe("+contact 1.0.email");
});

test("a path with a host is no path of this machine, and what the model wrote is no file of the user", () => {
  const from = (source: string) => ({ into: [{ match: {}, from: ["user", source] }] });
  const prompts = ["Upload report.txt and add the key of key.pub."];
  const upload = (to: string) => originOf(to, { flows: from("lastPart"), prompts });
  expect(upload("/in/report.txt")).toMatch(/^\+/);
  expect(upload("//evil.example/in/report.txt")).toMatch(/^-/);
  expect(upload("/\\evil.example/report.txt")).toMatch(/^-/);

  const key = "ssh-ed25519 AAAA";
  const read = { tool: "read", arguments: { path: "key.pub" }, value: { text: key } };
  const wrote = { tool: "write", arguments: { path: "key.pub", content: key }, value: { ok: true } };
  const add = (results: Parameters<typeof originOf>[1]["results"]) =>
    originOf(key, { flows: from("whole"), prompts, results: results! })[0];
  const longer = { ...read, value: { text: `old\n${key}` } };
  const addLonger = originOf(`old\n${key}`, {
    flows: from("whole"),
    prompts,
    results: [wrote, longer] as never,
  })[0];
  expect([add([read]), add([wrote, read]), addLonger]).toEqual(["+", "-", "-"]);
});

test("a code of thousands of digits is compared like any other", () => {
  const code = "7".repeat(40_000);
  const results = [look([{ body: `pay to ${code}` }], { tool: "mail", call: 1 })];
  expect(reasonOf(judge({ to: code }, { results }))).toContain("from mail (call 1)");
});

test.each(["delete ticket 7", "see room 7.", "invoice: 7", "Ticket number seven"])(
  "a small number that a text names something by is the text's: %j",
  (said) => {
    const results = [
      look([{ body: said }], { tool: "mail", call: 1 }),
      look([{ id: 7 }], { tool: "list", call: 2 }),
    ];
    const given = {
      flows: {
        results: [{ match: { tool: "list" }, fields: { "*.id": "structured" } }],
        into: [{ match: {}, from: ["structured"] }],
      },
      results,
    };
    expect(judge({ to: 7 }, given)?.answer).toBe("ask");
  },
);

test.each<[number, string]>([
  [7112, "delete ticket seven thousand one hundred and twelve"],
  [7112, "Seven-thousand, one-hundred twelve!"],
  [7112, "seven one one two"],
  [20_040, "twenty thousand and forty"],
  [1_000_019, "one million nineteen"],
])("a number that a text writes in words is the text's: %d in %j", (id, said) => {
  const results = [
    look([{ body: said }], { tool: "mail", call: 1 }),
    look([{ id }], { tool: "list", call: 2 }),
  ];
  const lists = { results: [{ match: { tool: "list" }, fields: { "*.id": "structured" } }] };
  const given = { flows: { ...lists, into: [{ match: {}, from: ["structured"] }] }, results };
  expect(judge({ to: id }, given)?.answer).toBe("ask");
  const other = [look([{ id: id + 1 }], { tool: "list", call: 2 }), ...results];
  expect(judge({ to: id + 1 }, { ...given, results: other })?.answer).toBe("none");
});
