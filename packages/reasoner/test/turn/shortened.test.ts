import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/provider/estimate.ts";
import {
  call,
  note,
  output,
  round,
  said,
  shortened,
  user,
  type Given,
  type Item,
} from "../support/shortened.ts";

describe("results of older calls are cleared", () => {
  const rounds = ["1", "2", "3", "4", "5"].flatMap(round);
  const whole = "x".repeat(4_000);

  test("but for those of the last three rounds, where that is enough", async () => {
    const items = [user("go"), ...rounds];
    const { texts, isShorter, reported } = await shortened(items, {
      compaction: 7_000,
      lastInputTokens: 7_001,
      counted: 11,
    });

    expect(isShorter).toBe(true);
    expect(texts).toEqual([
      "go",
      "look",
      "(cleared)",
      "look",
      "(cleared)",
      "look",
      whole,
      "look",
      whole,
      "look",
      whole,
    ]);
    const size = 7_001;
    expect(reported).toEqual([
      ["context:pre_compact", { session_id: "s", item_count: 11, input_tokens: size }],
      [
        "context:compaction",
        { session_id: "s", item_count: 11, input_tokens: size, kept_count: 11, by: "cleared" },
      ],
      ["context:post_compact", { session_id: "s", item_count: 11, dropped: 0 }],
      {
        type: "compaction",
        by: "cleared",
        beforeTokens: size,
        afterTokens: expect.any(Number) as number,
        dropped: 0,
      },
    ]);
  });

  test("all of them, where the newest rounds alone are too long", async () => {
    const { texts } = await shortened([user("go"), ...round("1")], { compaction: 500 });

    expect(texts).toEqual(["go", "look", "(cleared)"]);
  });
});

describe("older rounds are left out", () => {
  const left = (count: number) =>
    `[${count} older messages, calls and results are left out, since the conversation was too long.]`;
  const old = [user("first"), said("a".repeat(4_000)), user("second"), said("b".repeat(4_000))];

  test("with a note of how many, and the user's words and the newest turn stay", async () => {
    const { texts, reported, view } = await shortened([...old, user("third"), said("short")], {
      compaction: 1_000,
    });

    expect(texts).toEqual(["first", "second", left(2), "third", "short"]);
    expect(reported.at(-1)).toMatchObject({ type: "compaction", by: "turns", dropped: 1 });
    expect(view.summaries).toBe(0);
  });

  test("from the user's words, the newest that have room stay, and the task of the turn in any case", async () => {
    const long = "w".repeat(1_000);
    const answer = said("a".repeat(12_000));
    const given = { compaction: 2_400 };
    const before = await shortened(
      [user(`1${long}`), user(`2${long}`), answer, user("3"), call("c"), output("c", "short")],
      given,
    );
    const task = user(`task${"t".repeat(4_000)}`);
    const during = await shortened(
      [user("old"), task, ...round("1"), ...round("2"), call("c"), output("c", "short")],
      given,
    );

    // A quarter of half the limit is 300 tokens: room for the second message, and not for the first.
    expect(before.texts).toEqual([`2${long}`, left(2), "3", "look", "short"]);
    expect(during.texts).toEqual(["old", task["content"], left(4), "look", "short"]);
  });

  test("not more turns than are kept, although they would have room", async () => {
    const turns = ["1", "2", "3"].flatMap((text) => [user(text), said(`answer ${text}`)]);
    const kept = async (keepTurns: number) =>
      (await shortened([...old, ...turns], { compaction: 2_000, keepTurns })).texts;

    expect(await kept(1)).toEqual(["first", "second", "1", "2", left(4), "3", "answer 3"]);
    expect(await kept(2)).toEqual(["first", "second", "1", left(3), "2", "answer 2", "3", "answer 3"]);
  });

  test("together with a note before a message, and never between a call and its output, or reasoning and its answer", async () => {
    const items = [
      user("first"),
      said("a".repeat(4_000)),
      { type: "reasoning", summary: [] } as Item,
      call("1"),
      output("1", "one"),
      note("hook"),
      { type: "reasoning", summary: [] } as Item,
      said("end"),
    ];
    const { view } = await shortened(items, { compaction: 1_000 });

    expect(view.items.map(({ type, role }) => role ?? type)).toEqual([
      "user",
      "developer",
      "reasoning",
      "assistant",
    ]);
  });
});

describe("a conversation stays as it is", () => {
  const items = [user("go"), said("a".repeat(4_000)), user("more"), said("b")];
  const size = estimateTokens(items);

  test.each<[string, Given, boolean]>([
    ["where the plan wants no compaction", { compaction: false, contextTokens: 10 }, false],
    ["where no limit is known", {}, false],
    ["below the limit of the plan", { compaction: 5_000 }, false],
    ["but not at that limit", { compaction: 900, lastInputTokens: 900, counted: 4 }, true],
    ["one token below it", { compaction: 901, lastInputTokens: 900, counted: 4 }, false],
    ["below four fifths of the window", { contextTokens: 1_126, lastInputTokens: 900, counted: 4 }, false],
    [
      "but not at four fifths of the window",
      { contextTokens: 1_125, lastInputTokens: 900, counted: 4 },
      true,
    ],
    [
      "below four fifths of what the server refused",
      { refusedTokens: 1_126, lastInputTokens: 900, counted: 4 },
      false,
    ],
    ["but not at four fifths of that", { refusedTokens: 1_125, lastInputTokens: 900, counted: 4 }, true],
    [
      "but not above the smaller of both",
      { contextTokens: 9_000, refusedTokens: 1_125, lastInputTokens: 900, counted: 4 },
      true,
    ],
    [
      "unless what came since the server counted is too much",
      { compaction: 900, lastInputTokens: 890, counted: 1 },
      true,
    ],
  ])("%s", async (_, given, isShorter) => {
    expect(size).toBeGreaterThan(1_000);
    expect((await shortened(items, given)).isShorter).toBe(isShorter);
  });

  test("unless its server refused it: its size is remembered", async () => {
    const { isShorter, view } = await shortened(items, {
      isRefused: true,
      lastInputTokens: 1_200,
      counted: 4,
    });

    expect([isShorter, view.refusedTokens]).toEqual([true, 1_200]);
  });
});

describe("a gate may choose what is kept", () => {
  const items = [user("go"), ...round("1"), user("more")];

  test("and that is what is kept", async () => {
    const { texts, reported } = await shortened(items, {
      compaction: 10,
      kept: [user("more"), "odd"],
    });

    expect(texts).toEqual(["more"]);
    expect(reported.at(-1)).toMatchObject({ type: "compaction", by: "hook", dropped: 3 });
  });

  test.each([[[call("1")]], [[output("1")]]])(
    "but not where a call would lose its output, or an output its call",
    async (kept) => {
      const { reported, view } = await shortened(items, { compaction: 10, kept });

      expect(reported).toContainEqual([
        { session_id: "s" },
        "the items of a hook were not used: they would separate calls from their outputs",
      ]);
      expect(view.items.length).toBeGreaterThan(1);
    },
  );
});
