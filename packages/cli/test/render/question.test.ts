import type { ToolInfo } from "@toolmount/core";
import { expect, test } from "vitest";
import { questionLines, type AskedCall } from "../../src/render/question.ts";
import { createScreen } from "../../src/screen/screen.ts";

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
});
