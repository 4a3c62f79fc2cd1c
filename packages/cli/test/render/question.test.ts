import type { ToolInfo } from "@toolmount/core";
import { expect, test } from "vitest";
import { questionDetails, questionLines, type AskedCall } from "../../src/render/question.ts";
import { createScreen } from "../../src/screen/screen.ts";
import { markedScreen } from "../support/marked-screen.ts";

const facts = {
  name: "send_money",
  category: "side_effect",
  consequenceLevel: "high",
  irreversible: true,
  control: ["account"],
  inputSchema: { type: "object", required: ["subject"] },
  owner: "@acme/bank",
} as unknown as ToolInfo;

function asked(over: Partial<AskedCall> = {}): AskedCall {
  return {
    tool: "send_money",
    facts,
    arguments: { subject: "Invoice 4711", account: "DE89 3704", amount: 1299 },
    reasons: [],
    prompt: "",
    info: { callId: "c", runId: "r", tool: "send_money", depth: 0 },
    ...over,
  };
}

function textOf(call: AskedCall, columns?: number): string {
  const screen = createScreen({ isTTY: columns !== undefined, columns, write: () => {} }, { NO_COLOR: "1" });
  return questionLines(call, screen).join("\n");
}

test("a question is a sentence, its risk, what decides with its origin first, and what an approval does", () => {
  const from = { tool: "read_file", call: 3, path: "text", line: 12 };
  const origins = [
    { argument: "account", value: "DE89 3704", origin: "untrusted", from, isAccepted: false },
    { argument: "amount", value: "1299", origin: "user", isAccepted: true },
  ] as const;
  const reasons = [{ source: "rule", reason: "the account must be the user's word", origins }] as const;

  expect(textOf(asked({ reasons, prompt: 'Run "send_money"? the account must be the user\'s word' }))).toBe(`
Send money DE89 3704
side_effect · high consequence · tool send_money

  account  DE89 3704
           read in text that others can write: read_file, call 3, line 12; not accepted here
  subject  Invoice 4711
  amount   1299
           the user wrote it

because the account must be the user's word
if you approve: send_money runs once, with exactly these arguments. It cannot be undone.
`);
});

test("the prompt that a gate wrote is the sentence", () => {
  expect(textOf(asked({ prompt: "Pay ACME 1,299.00 €?" }))).toContain("\nPay ACME 1,299.00 €?\n");
});

test("no value can look like another argument, at any width", () => {
  const long = `${"word ".repeat(20)}  amount   5  `.trim();
  const given = { subject: `${long}\n  amount   1`, amount: 1299, note: "7", empty: "", hidden: "a\u202eb" };
  for (const columns of [40, 60, 80, 120]) {
    const text = textOf(asked({ arguments: given }), columns);
    expect(text.match(/^ {2}amount /gm)).toHaveLength(1);
    expect(text.match(/^ {2}\S/gm)).toHaveLength(5);
  }
  expect(textOf(asked({ arguments: given }))).toContain(
    '  note     "7"\n  empty    ""\n  hidden   "a\\u202eb"',
  );
});

test("of a list of calls, a person reads what each would change and cost, and where its values came from", () => {
  const listed = {
    tool: "pay",
    arguments: { to: "ACME", amount: 12.5 },
    effects: [{ target: "account of ACME", change: "change", cost: { amount: 12.5, currency: "EUR" } }],
    canUndo: false,
    asks: [],
    origins: [
      {
        argument: "to",
        value: "ACME",
        origin: "untrusted",
        from: { tool: "read_file", call: 3, path: "", line: 2 },
        isAccepted: false,
      },
    ],
  };
  const call = asked({ arguments: { run: [listed], calls: [listed], harmless: [] } });
  expect(textOf({ ...call, tool: "make_approved_calls" }).split("\n")).toEqual(
    expect.arrayContaining([
      '  1 pay {"to":"ACME","amount":12.5}',
      "    to: read in text that others can write: read_file, call 3, line 2; not accepted here",
      "    change account of ACME for 12.5 EUR",
      "    cannot be undone",
    ]),
  );
  const harmless = [{ tool: "run_program", definition: "d", argumentsDigest: "a", asks: ["the plan asks"] }];
  const made = asked({ arguments: { run: [listed], calls: [listed], harmless } });
  expect(textOf({ ...made, tool: "make_approved_calls" })).toContain("  run_program asks: the plan asks");
});

const marked = (call: AskedCall, waiting = 0, columns?: number) =>
  questionLines(call, markedScreen(columns).screen, waiting);

test("a question's parts have styles, and a risk that grows redder", () => {
  const calm = {
    ...facts,
    category: "write",
    consequenceLevel: "medium",
    control: [],
  } as unknown as ToolInfo;
  const risk = (more: object) => marked(asked({ facts: { ...calm, ...more } }))[2];

  expect(marked(asked({ facts: calm, arguments: { a: 1 } }), 2)).toEqual([
    "",
    "bold(Send money 1)dim(  (2 more wait behind it))",
    "yellow(write · medium consequence)dim( · )dim(tool send_money)",
    "",
    "  a  1",
    "",
    "dim(if you approve:) send_money runs once, with exactly these arguments. It cannot be undone.",
    "",
  ]);
  expect(marked(asked(), 1)[1]).toBe("bold(Send money DE89 3704)dim(  (1 more waits behind it))");
  expect(risk({ consequenceLevel: "low" })).toMatch(/^green\(write · low consequence\)/);
  expect(risk({ consequenceLevel: "high" })).toMatch(/^bold\+red\(write · high consequence\)/);
  expect(risk({ category: "delete" })).toMatch(/^bold\+red\(delete · medium consequence\)/);
  expect(marked(asked({ facts: undefined }))[2]).toMatch(/^bold\+red\(unclassified · unknown consequence\)/);
});

test("a question says whose call it is, where it is, and each reason", () => {
  const lines = marked(
    asked({
      info: { ...asked().info, userId: "ada\u0007", sessionId: "s\u0007" },
      reasons: [
        { source: "rule", reason: "it\nsends" },
        { source: "level", reason: "it is high" },
      ],
      prompt: "",
    }),
  );

  expect(lines[2]).toBe(
    "bold+red(side_effect · high consequence)dim( · )dim(tool send_money)dim( · )for ada\\u0007dim( · )session s\\u0007",
  );
  expect(lines.slice(-5)).toEqual([
    "",
    "dim(because) it\\nsends",
    "dim(because) it is high",
    "dim(if you approve:) send_money runs once, with exactly these arguments. It cannot be undone.",
    "",
  ]);
});

test.each<[object, string]>([
  [{ facts: { ...facts, irreversible: false, undoable: true } }, "toolmount undo can undo it."],
  [{ facts: { ...facts, irreversible: false } }, "The tool has no undo."],
  [{ facts: undefined }, "The tool has no undo."],
])("what happens after an approval of %j ends with: %s", (more, end) => {
  expect(textOf(asked(more))).toContain(
    `if you approve: send_money runs once, with exactly these arguments. ${end}\n`,
  );
});

test("an undo and a list of calls have sentences of their own", () => {
  const undo = textOf(asked({ info: { ...asked().info, undoOf: "r1" } }));
  const list = textOf(
    asked({ tool: "make_approved_calls", arguments: { run: [], calls: [], harmless: [] } }),
  );

  expect(undo).toContain("\nUndo: Send money DE89 3704\n");
  expect(undo).toContain("if you approve: an earlier call of send_money is undone.\n");
  expect(list).toContain("\nMake all calls of this list, in this order\n");
  expect(list).toContain(
    "if you approve: these calls run once, in this order; a call that fails ends the list, and any other change asks.\n",
  );
});

test.each<[object, string]>([
  [{}, "Send money"],
  [{ account: "", subject: "x" }, "Send money x"],
  [{ account: 7.5 }, "Send money 7.5"],
  [{ account: { a: 1 }, other: "o" }, "Send money o"],
  [{ account: "y".repeat(60) }, `Send money ${"y".repeat(60)}`],
  [{ account: "y".repeat(61) }, `Send money ${"y".repeat(60)}…`],
  [{ account: " one \ntwo" }, "Send money one …"],
  [{ account: " one " }, "Send money one"],
])("the arguments %j make the sentence %s", (given, sentence) => {
  expect(textOf(asked({ arguments: given as AskedCall["arguments"] })).split("\n")[1]).toBe(sentence);
});

test.each<[unknown, string[]]>([
  ["plain", ["plain"]],
  ["", ['""']],
  [" a", ['" a"']],
  ["a ", ['"a "']],
  ['a"b', ['"a\\"b"']],
  ["true", ['"true"']],
  ["1.5", ['"1.5"']],
  ["[x", ['"[x"']],
  ["| a", ['"| a"']],
  ["a\nb\u0007", ["| a", "| b\\u0007"]],
  [null, ["null"]],
  [[1], ["[", "  1", "]"]],
])("the value %j is shown as %j", (value, lines) => {
  const text = textOf(asked({ arguments: { a: value }, facts: undefined }));

  expect(text.split("\n").slice(4, 4 + lines.length)).toEqual(
    lines.map((line, at) => `${at === 0 ? "  a  " : "     "}${line}`),
  );
});

test("names of arguments share a column of at most 24, and those that decide are bold", () => {
  const long = "n".repeat(25);
  const lines = marked(asked({ arguments: { [long]: "x", account: "y" } }));

  expect(lines.slice(4, 6)).toEqual([`  bold(${"account".padEnd(24)})  y`, `  ${long}  x`]);
  expect(marked(asked({ arguments: {} }))[4]).toBe("dim(  no arguments)");
  expect(marked(asked({ arguments: { a: "one two three four five" } }), 0, 26).slice(4, 6)).toEqual([
    "  a  one two three four",
    "     five",
  ]);
});

test("the details of a question are the digest, the rules, the module and the arguments as the tool gets them", () => {
  const reasons = [
    { source: "rule", reason: "a", rule: "plan.yaml:3:5" },
    { source: "level", reason: "b" },
  ] as const;
  const call = asked({ reasons, arguments: { a: "\u0007" } });

  expect(questionDetails(call, "abc", markedScreen().screen)).toEqual([
    "",
    "  dim(digest   ) sha256 abc",
    "  dim(rule     ) plan.yaml:3:5: a",
    "  dim(rule     ) level: b",
    "  dim(module   ) @acme/bank",
    "  dim(arguments) 14 bytes of JSON",
    "    {",
    '      "a": "\\u0007"',
    "    }",
    "",
  ]);
  expect(questionDetails({ ...call, facts: undefined }, "abc", markedScreen().screen).join()).not.toContain(
    "module",
  );
});
