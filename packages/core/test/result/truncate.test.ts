import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeptOutputs } from "../../src/result/kept-outputs.ts";
import { truncateResult } from "../../src/result/truncate.ts";
import type { ToolResult } from "../../src/index.ts";

const origin = { tool: "t", fetchedAt: "2026-11-24T00:00:00.000Z" };

/** A bounded result, and what was kept of it. */
function bound(result: object, maxBytes: number) {
  const keeper = new KeptOutputs(100_000_000);
  const bounded = truncateResult({ ...origin, ...result } as ToolResult, maxBytes, {
    keep: (text) => keeper.keep(text, undefined),
  });
  const kept =
    bounded.truncated === undefined ? null : keeper.page(bounded.truncated.ref, { limit: 100_000_000 }).text;
  return { bounded, kept };
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const image = (length: number) => ({ type: "image", data: "A".repeat(length), mimeType: "image/png" });

describe("what a tool returns", () => {
  test("stays the same object up to the limit, and is cut one byte above it", () => {
    const result = { ...origin, data: "x".repeat(1_000) } as ToolResult;
    const exact = bytesOf({ data: result.data });
    const keeper = new KeptOutputs(10_000);

    expect(truncateResult(result, exact, { keep: (text) => keeper.keep(text, undefined) })).toBe(result);
    expect(truncateResult(result, exact - 1, { keep: (text) => keeper.keep(text, undefined) })).toMatchObject(
      {
        truncated: { bytes: 1_000 },
      },
    );
  });

  test("keeps head and tail of a long text, and says in the middle how long the whole is", () => {
    const text = `${"a".repeat(50_000)}${"b".repeat(50_000)}`;
    const { bounded, kept } = bound({ data: text }, 2_000);
    const shown = bounded.data as string;

    expect(shown).toMatch(/^a{500,}\n… \[100000 bytes in all, the middle is left out\] …\nb{500,}$/);
    expect(bytesOf({ data: shown })).toBeLessThanOrEqual(2_000);
    expect(bytesOf({ data: shown })).toBeGreaterThan(1_700);
    expect(bounded.truncated?.bytes).toBe(100_000);
    expect(bounded.omitted).toMatchObject([
      { what: "the middle of long texts", amount: `${100_000 - Buffer.byteLength(shown)} bytes of 100000` },
    ]);
    expect(kept).toBe(text);
  });

  test("with several texts cuts the longest, and leaves names as they are", () => {
    const data = {
      name: "n".repeat(256),
      short: "s".repeat(400),
      long: "l".repeat(9_000),
      list: [1, null, true],
    };
    const { bounded, kept } = bound({ data }, 3_000);
    const shown = bounded.data as typeof data;

    expect({ ...shown, long: "" }).toEqual({ ...data, long: "" });
    expect(shown.long).toContain("9000 bytes in all");
    expect(bytesOf({ data: shown })).toBeLessThanOrEqual(3_000);
    expect(kept).toBe(JSON.stringify(data));
  });

  test("of letters with many bytes and escapes is cut between letters, and fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 2_000, maxLength: 6_000 }), (text) => {
        const { bounded, kept } = bound({ data: text.toWellFormed() }, 1_500);
        if (bounded.truncated === undefined) return bytesOf({ data: text }) <= 1_500;
        expect(bytesOf({ data: bounded.data })).toBeLessThanOrEqual(1_500);
        expect((bounded.data as string).isWellFormed()).toBe(true);
        return kept === text.toWellFormed();
      }),
      { numRuns: 60 },
    );
  });

  test("without any text to cut is refused, and kept", () => {
    const data = Array.from({ length: 2_000 }, (_, at) => at);
    const { bounded, kept } = bound({ data }, 1_000);

    expect(bounded).toMatchObject({ ...origin, code: "OUTPUT_TOO_LARGE" });
    expect(bounded.error).toContain("is larger than 1000 bytes");
    expect(bounded).not.toHaveProperty("data");
    expect(bounded.truncated?.bytes).toBe(bytesOf(data));
    expect(JSON.parse(kept!)).toEqual(data);
  });

  test.each([
    [Number.NaN, "is NaN, which JSON cannot hold"],
    [[Number.POSITIVE_INFINITY], "is Infinity, which JSON cannot hold"],
    [{ a: 1n }, "is of type bigint, which JSON cannot hold"],
    [{ a: () => 1 }, "is of type function, which JSON cannot hold"],
    [[Symbol("s")], "is of type symbol, which JSON cannot hold"],
    [JSON.parse('{"a":{"__proto__":1}}'), 'has a member named "__proto__"'],
    [JSON.parse(`${"[".repeat(65)}${"]".repeat(65)}`), "is nested deeper than 64 levels"],
    [{ text: "x".repeat(9_000), later: Number.NaN }, "is NaN, which JSON cannot hold"],
  ])("that is no JSON is refused: %#", (data, problem) => {
    expect(() => bound({ data }, 4_000)).toThrow(expect.objectContaining({ message: problem }));
  });

  test("has at most 64 levels", () => {
    const data = JSON.parse(`${"[".repeat(64)}${"]".repeat(64)}`) as unknown;
    expect(bound({ data }, 4_000).bounded.data).toBe(data);
  });
});

describe("content of a result", () => {
  test("has 16 MB of images and files of its own, and its texts count with the data", () => {
    const content = [image(16_777_216)];
    expect(bound({ data: 1, content }, 1_000).bounded.content).toBe(content);
    expect(bound({ data: 1, content: [image(16_777_217)] }, 1_000).bounded).toMatchObject({
      code: "OUTPUT_TOO_LARGE",
    });
    expect(bound({ data: 1, content: [image(9_000_000), image(9_000_000)] }, 1_000).bounded.code).toBe(
      "OUTPUT_TOO_LARGE",
    );

    const file = { type: "file", uri: "a:b.pdf", data: "A".repeat(16_777_216) };
    expect(bound({ data: 1, content: [file] }, 1_000).bounded.content).toEqual([file]);
    expect(bound({ data: 1, content: [file, image(1)] }, 1_000).bounded.code).toBe("OUTPUT_TOO_LARGE");

    const text = { type: "text", text: "x".repeat(800) };
    expect(bound({ data: 1, content: [text] }, 1_000).bounded.truncated).toBeUndefined();
    const both = bound(
      {
        data: "y".repeat(800),
        content: [
          text,
          image(10),
          { type: "audio", data: "A", mimeType: "a/b" },
          { type: "resource_link", uri: "a:b", name: "n" },
        ],
      },
      1_500,
    );
    expect(both.bounded.content).toEqual([{ type: "resource_link", uri: "a:b", name: "n" }]);
    expect(both.bounded.truncated?.bytes).toBe(800);
  });

  test("of a failure is left out but for its pictures, and kept", () => {
    const text = { type: "text", text: "x".repeat(4_000) };
    const small = bound({ error: "no", content: [{ type: "text", text: "why" }] }, 1_000);
    const large = bound({ error: "no", content: [text, image(10)] }, 1_000);
    const noisy = bound({ error: "no", content: [text, image(16_777_217)] }, 1_000);

    expect(small.bounded).toMatchObject({ content: [{ text: "why" }] });
    expect(small.kept).toBeNull();
    expect(large.bounded.content).toEqual([image(10)]);
    expect(JSON.parse(large.kept!)).toEqual([text, image(10)]);
    expect(noisy.bounded.content).toEqual([]);
  });
});

describe("what stands beside a result", () => {
  test("a sentence of an error has at most 8,000 characters", () => {
    expect(bound({ error: "x".repeat(8_000) }, 100_000).bounded.error).toBe("x".repeat(8_000));
    expect(bound({ error: "x".repeat(8_001) }, 100_000).bounded.error).toBe(`${"x".repeat(7_990)} …`);
  });

  test("details that are too large are left out, and listed as omitted", () => {
    const details = { text: "x".repeat(1_000) };
    expect(bound({ error: "no", details: { a: 1 } }, 1_000).bounded).toMatchObject({ details: { a: 1 } });
    for (const result of [{ error: "no" }, { data: 1 }])
      expect(bound({ ...result, details }, 1_000).bounded).toMatchObject({
        omitted: [{ what: "details", amount: "more than 1000 bytes" }],
      });
  });

  test("warnings take a fifth, each at most 2,000 characters, at most 50, and the others are counted", () => {
    const few = ["a", "b"];
    expect(bound({ data: 1, warnings: few }, 1_000).bounded.warnings).toBe(few);
    const many = Array.from({ length: 60 }, (_, at) => `${at}`);
    expect(bound({ data: 1, warnings: many }, 1_100).bounded.warnings).toEqual([
      ...many.slice(0, 31),
      "and 29 more warnings",
    ]);
    const flood = Array.from({ length: 70_000 }, () => "w");
    expect(bound({ error: "no", warnings: flood }, 1_000_000).bounded.warnings).toEqual([
      ...flood.slice(0, 50),
      "and 69950 more warnings",
    ]);
    const long = ["x".repeat(2_001), "y".repeat(2_000), "z".repeat(30_000)];
    expect(bound({ data: 1, warnings: long }, 100_000).bounded.warnings).toEqual([
      `${"x".repeat(2_000)} …`,
      "y".repeat(2_000),
      `${"z".repeat(2_000)} …`,
    ]);
  });

  test("members of another protocol that are too large are left out, and listed as omitted", () => {
    const fits = { key: "é".repeat(400) };
    expect(bound({ data: 1, meta: fits }, 1_000).bounded).toMatchObject({ meta: fits });
    const { bounded } = bound({ data: 1, meta: { key: "x".repeat(2_000) } }, 2_000);
    expect(bounded).not.toHaveProperty("meta");
    expect(bounded.omitted).toMatchObject([
      { what: "members of another protocol", amount: "more than 2000 bytes" },
    ]);
  });
});
