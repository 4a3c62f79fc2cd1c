import fc from "fast-check";
import { digestOfSecret } from "@toolmount/core/text";
import { describe, expect, test } from "vitest";
import { namesDate } from "../src/flows/dates.ts";
import { UserWords } from "../src/flows/words.ts";

describe("a value in the user's words", () => {
  test.each<[string, string | number, boolean]>([
    ["Pay 1,200 to Ada.", 1200, true],
    ["Pay 1200 to Ada.", 120, false],
    ["Write to ada@a.example.Then rest.", "ada@a.example", true],
    ["See www.a.example/x.", "https://a.example/x", true],
    ["The account is DE89 3704-0044.", "DE8937040044", true],
    ["The account is DE89 3704-0044.", "DE8937040045", false],
    ["Come on 5 May 2026.", "2026-05-05", true],
    ["", "ada", false],
  ])("%j names %j: %s", (prompt, value, expected) => {
    expect(new UserWords([prompt]).name(value)).toBe(expected);
  });

  test("one that a person approved counts as typed, and names no action", () => {
    const words = new UserWords(["Go on."], ["Send It", `sha256 ${"0".repeat(64)}`]);

    expect([words.name("send it"), words.confirmed("SEND IT"), words.confirmed("go")]).toEqual([
      true,
      true,
      false,
    ]);
    expect([words.asks("send"), words.has("send")]).toEqual([false, false]);
  });

  test("an approved secret is known by its digest, and is not among the words", () => {
    const words = new UserWords(["Go on."], [digestOfSecret("hunter2-hunter2")]);

    expect([words.name("hunter2-hunter2"), words.confirmed("hunter2-hunter2")]).toEqual([true, true]);
    expect(words.name("hunter3")).toBe(false);
    expect(words.text).toBe("\ngo on.\n");
  });

  test("without prompts nothing is known of the user", () => {
    expect([new UserWords(undefined).isKnown, new UserWords([]).isKnown]).toEqual([false, true]);
  });
});

test.each([
  ["email", "Email Ada.", true],
  ["email", "Read the email of Ada.", false],
  ["email", "Read every email.", false],
  ["email", "I am emailing Ada.", true],
  ["email", "Tell me about emailing.", false],
  ["email", "Ada emailed you.", true],
  ["email", "Read emails.", false],
  ["book", "Please book it.", true],
  ["book", "Buy this book.", false],
  ["book", "Before booking, ask.", false],
  ["call off", "Call off the lunch.", true],
  ["call off", "Call Ada.", false],
])("the verb %s is asked for by %j: %s", (verb, prompt, expected) => {
  expect(new UserWords([prompt]).asks(verb)).toBe(expected);
});

test.each([
  ["transaction", "All transactions, please.", true],
  ["reply", "Ada replies.", true],
  ["plan", "We planned it.", true],
  ["note", "My notes.", true],
  ["noted", "A note.", true],
  ["bus", "by bus", true],
  ["bu", "by bus", false],
  ["standing order", "Stop the standing order.", true],
  ["standing order", "An order that is standing.", false],
])("the word %s is in %j in any ending: %s", (word, prompt, expected) => {
  expect(new UserWords([prompt]).has(word)).toBe(expected);
});

test.each([
  ["Open (https://a.example/x), please.", "a.example", true],
  ["Open www.a.example!", "a.example", true],
  ["Open b.a.example.", "a.example", false],
  ["Write to ada@a.example.", "a.example", false],
])("%j names the host %s: %s", (prompt, host, expected) => {
  expect(new UserWords([prompt]).namesHost(host)).toBe(expected);
});

test.each<[string, string, boolean | null]>([
  ["2026-05-05", "on may 5th", true],
  ["2026-05-05T00:00", "on may 5th", true],
  ["2026-05-05T01:00", "on may 5th", false],
  ["2026-05-05T00:30", "on may 5th", false],
  ["2026-05-05T01:00", "on may 5th at 1 am", true],
  ["2026-05-05T14:00", "on the 5th of may at 2 pm", true],
  ["2026-05-05", "on may 15th", false],
  ["2026-13-05", "on may 5th", false],
  ["no date", "on may 5th", null],
])("the date %s is named by %j: %s", (value, text, expected) => {
  expect(namesDate(value, text)).toBe(expected);
});

/** Words of which some are forms of another, and some stand before nouns. */
const token = fc.constantFrom(
  ..."send sends sending book books booking booked the about plan planned planning set setting pay".split(
    " ",
  ),
);

test("a word is found among the words that begin alike as it is among all of them", () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 8 }), token, (all, word) => {
      const words = new UserWords([all.join(" ")]);
      const each = all.map((_, at) => new UserWords([all.slice(Math.max(at - 1, 0), at + 1).join(" ")]));
      expect(words.has(word)).toBe(each.some((one) => one.has(word)));
      const isAsked = all.some((one, at) => {
        const isForm = one === word || (/(?:ing|ed)$/.test(one) && new UserWords([one]).has(word));
        const before = all[at - 1];
        return isForm && before !== "the" && !(before === "about" && one.endsWith("ing"));
      });
      expect(words.asks(word)).toBe(isAsked);
    }),
  );
});
