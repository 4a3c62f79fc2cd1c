import { expect, test } from "vitest";
import { truncateResult } from "../../src/result/truncate.ts";
import type { ContentBlock, ToolResult } from "../../src/contract/result.ts";

const facts = { tool: "read", fetchedAt: "2026-01-01T00:00:00.000Z" };

/** What a result becomes under a limit, and what is kept of it. */
function truncated(result: object, maxBytes = 2_000) {
  const kept: string[] = [];
  const keeper = { keep: (whole: string) => `ref-${kept.push(whole)}` };
  const given = { ...facts, ...result } as unknown as ToolResult;
  const end = truncateResult(given, maxBytes, keeper);
  return { end, isSame: end === given, kept };
}

const tooLarge = (excess: string, bytes: number) => ({
  ...facts,
  error: `"read" ran, and its result ${excess} and cannot be cut; ask for less`,
  code: "OUTPUT_TOO_LARGE",
  truncated: { bytes, ref: "ref-1" },
});

test.each<[string, unknown]>([
  ["a text", "x".repeat(1_000)],
  ["a text with escapes", "\n".repeat(500)],
  ["a list", Array.from({ length: 300 }, () => 1)],
  ["members", Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key-${at}`, true]))],
])("%s that takes exactly the limit is returned, and one byte less refuses or cuts it", (_, data) => {
  const bytes = JSON.stringify({ data }).length;

  expect(truncated({ data }, bytes).isSame).toBe(true);
  expect(truncated({ data }, bytes - 1).isSame).toBe(false);
});

test("data without a long text is refused, and kept whole", () => {
  const data = Array.from({ length: 1_000 }, (_, at) => at);
  const { end, kept } = truncated({ data });

  expect(end).toEqual(tooLarge("is larger than 2000 bytes", JSON.stringify(data).length));
  expect(kept).toEqual([JSON.stringify(data)]);
});

test("a long text keeps its head and its tail, and says how long it was", () => {
  const text = `${"a".repeat(3_000)}${"b".repeat(3_000)}`;
  const { end, kept } = truncated({ data: text });
  const data = end.data as string;

  expect(data).toMatch(/^a+\n… \[6000 bytes in all, the middle is left out\] …\nb+$/);
  expect(JSON.stringify({ data }).length).toBeLessThanOrEqual(2_011);
  expect(JSON.stringify({ data }).length).toBeGreaterThan(1_850);
  expect(data.indexOf("\n")).toBe(data.length - data.lastIndexOf("\n") - 1);
  expect([end.truncated, kept]).toEqual([{ bytes: 6_000, ref: "ref-1" }, [text]]);
});

test("of several long texts, the shorter leave their room to the longer, and short ones stay", () => {
  const short = "s".repeat(256);
  const data = { short, half: "h".repeat(400), long: "l".repeat(5_000), list: ["m".repeat(5_000), 1] };
  const { end, kept } = truncated({ data }, 4_000);
  const cut = end.data as typeof data;

  expect(cut.short).toBe(short);
  expect(cut.half).toBe("h".repeat(400));
  expect(cut.long.length).toBe((cut.list[0] as string).length);
  expect(cut.long.length).toBeGreaterThan(1_400);
  expect(cut.list[1]).toBe(1);
  expect(JSON.stringify(cut).length).toBeLessThanOrEqual(4_000);
  expect(end.truncated).toEqual({ bytes: JSON.stringify(data).length, ref: "ref-1" });
  expect(kept).toEqual([JSON.stringify(data)]);
});

test("where long texts would be shorter than names, the result is refused", () => {
  const data = Array.from({ length: 10 }, () => "x".repeat(1_000));
  const others = JSON.stringify({ data: data.map(() => "") }).length;

  expect(truncated({ data }, others + 10 * 256).end).not.toHaveProperty("error");
  expect(truncated({ data }, others + 10 * 256 - 1).end).toEqual(
    tooLarge(`is larger than ${others + 2_559} bytes`, JSON.stringify(data).length),
  );
});

test.each(["é", "€", "😀"])("a text of %s is never cut inside a character", (character) => {
  for (let extra = 0; extra < 5; extra++) {
    const { end } = truncated({ data: `${"x".repeat(extra)}${character.repeat(2_000)}` });
    expect(end.data as string).not.toContain("\ufffd");
    expect(Buffer.byteLength(JSON.stringify(end.data))).toBeLessThanOrEqual(2_002);
  }
});

test("a text full of escapes is cut until its JSON fits", () => {
  const { end } = truncated({ data: "\u0001".repeat(3_000) });

  expect(Buffer.byteLength(JSON.stringify(end.data))).toBeLessThanOrEqual(2_002);
});

test.each([
  ["x".repeat(8_000), "x".repeat(8_000)],
  ["x".repeat(8_001), `${"x".repeat(7_990)} …`],
])("an error of at most 8,000 characters is whole (%#)", (error, shown) => {
  expect(truncated({ error, code: "BAD" }).end).toEqual({ ...facts, error: shown, code: "BAD" });
});

test("the members of another protocol fit whole, or are left out, and listed as omitted", () => {
  const meta = { a: "x".repeat(1_992) };
  const omitted = [tooMuch("members of another protocol", 1_999)];

  expect(truncated({ data: 1, meta }, 2_000).isSame).toBe(true);
  expect(truncated({ data: 1, meta }, 1_999).end).toEqual({ ...facts, data: 1, omitted });
  const own = { what: "a", amount: "1 b", why: "c", how: "d" };
  expect(truncated({ data: 1, meta, omitted: [own] }, 1_999).end.omitted).toEqual([own, ...omitted]);
});

test("details that are too large are left out, of failures and of answers", () => {
  const details = { a: "x".repeat(700) };
  const omitted = [tooMuch("details", 2_000)];

  expect(truncated({ data: 1, details }).end).toEqual({ ...facts, data: 1, omitted });
  expect(truncated({ error: "e", code: "C", details }).end).toEqual({
    ...facts,
    error: "e",
    code: "C",
    omitted,
  });
  expect(truncated({ data: 1, details: { a: "x".repeat(600) } }).isSame).toBe(true);
});

test("warnings take a fifth of the limit, at most fifty of 2,000 characters", () => {
  const of = (warnings: readonly string[], maxBytes: number) =>
    truncated({ data: 1, warnings }, maxBytes).end.warnings!;

  expect(of(["a", "b"], 2_000)).toEqual(["a", "b"]);
  expect(of(["x".repeat(100), "y".repeat(100)], 2_000)).toEqual(["x".repeat(100), "and 1 more warnings"]);
  expect(of(["x".repeat(2_001)], 60_000)).toEqual(["x".repeat(2_001)]);
  expect(of(["x".repeat(2_001), "y".repeat(2_500)], 60_050)).toEqual([
    `${"x".repeat(2_000)} …`,
    "and 1 more warnings",
  ]);
  expect(
    of(
      Array.from({ length: 60 }, () => "w".repeat(200)),
      180_000,
    ),
  ).toEqual([...Array.from({ length: 50 }, () => "w".repeat(200)), "and 10 more warnings"]);
});

test("what is omitted takes a fifth of the limit, at most twenty entries of 500 characters each", () => {
  const entry = (what: string) => ({ what, amount: "1 file", why: "w", how: "h" });
  const of = (count: number, maxBytes: number, text = "x") =>
    truncated({ data: 1, omitted: Array.from({ length: count }, () => entry(text)) }, maxBytes).end.omitted!;

  expect(of(3, 2_000)).toEqual([entry("x"), entry("x"), entry("x")]);
  expect(of(30, 10_000)).toEqual([...Array.from({ length: 20 }, () => entry("x")), more(10)]);
  expect(of(30, 2_000)).toEqual([...Array.from({ length: 5 }, () => entry("x")), more(25)]);
  expect(of(1, 2_000, "y".repeat(600))).toEqual([entry(`${"y".repeat(500)} …`)]);
});

/** The entry of the host for what is larger than a result may be. */
function tooMuch(what: string, maxBytes: number) {
  const why = "they are larger than a result may be";
  return { what, amount: `more than ${maxBytes} bytes`, why, how: "ask for less in one call" };
}

/** The entry of the host for what it cut. */
function cutEntry(what: string, amount: string) {
  const how = "ask for less in one call; the host keeps the whole for host.output(truncated.ref)";
  return { what, amount, why: "the result is larger than 2000 bytes", how };
}

function more(count: number) {
  const why = "the list of what is left out is long";
  return { what: "more that is left out", amount: `${count} entries`, why, how: "ask for less in one call" };
}

const image = (length: number): ContentBlock => ({
  type: "image",
  mimeType: "image/png",
  data: "A".repeat(length),
});

test("what is binary has a limit of its own, for all of it together", () => {
  const half = 8_388_608;

  expect(truncated({ data: 1, content: [image(half), image(half)] }).isSame).toBe(true);
  const { end } = truncated({ data: 1, content: [image(half), image(half + 1)] });
  expect(end).toMatchObject({ code: "OUTPUT_TOO_LARGE" });
  expect(truncated({ data: 1, content: [{ type: "file", uri: "a", data: "A".repeat(4_000) }] }).isSame).toBe(
    true,
  );
  expect(
    truncated({ data: 1, content: [{ type: "audio", mimeType: "audio/mpeg", data: "A".repeat(4_000) }] })
      .isSame,
  ).toBe(true);
});

test("beside data that is cut, images and texts of content are left out, and files stay", () => {
  const file: ContentBlock = { type: "file", uri: "file:///a", text: "f" };
  const content = [image(10), { type: "text", text: "t".repeat(100) } as ContentBlock, file];
  const { end } = truncated({ data: "x".repeat(4_000), content });

  expect(end.content).toEqual([file]);
  const left = 4_000 - (end.data as string).length - 2; // the marker has two characters of three bytes
  expect(end.omitted).toEqual([
    cutEntry("the middle of long texts, and 2 blocks of content", `${left - 2} bytes of 4000`),
  ]);
  expect(JSON.stringify(end.data).length + JSON.stringify([file]).length).toBeLessThanOrEqual(2_002);
});

test("of a failure's content that is too large, the images stay and the whole is kept", () => {
  const text: ContentBlock = { type: "text", text: "t".repeat(3_000) };
  const { end, kept } = truncated({ error: "e", code: "C", content: [text, image(10)] });
  const whole = JSON.stringify([text, image(10)]);

  expect(end).toEqual({
    ...facts,
    error: "e",
    code: "C",
    content: [image(10)],
    truncated: { bytes: whole.length, ref: "ref-1" },
    omitted: [cutEntry("content beside the error", "1 block")],
  });
  expect(kept).toEqual([whole]);
  expect(
    truncated({ error: "e", code: "C", content: [{ type: "text", text: "t".repeat(1_900) }] }).isSame,
  ).toBe(true);
  expect(truncated({ error: "e", code: "C", content: [text] }).end.content).toEqual([]);
});

let deep: unknown = 1;
for (let level = 0; level < 100; level++) deep = [deep];

test.each<[string, unknown, string]>([
  ["a number", Number.NaN, "is NaN, which JSON cannot hold"],
  ["a member", { a: Number.POSITIVE_INFINITY }, "is Infinity, which JSON cannot hold"],
  ["a big number", [1n], "is of type bigint, which JSON cannot hold"],
  ["a function", { a: () => 1 }, "is of type function, which JSON cannot hold"],
  ["a prototype", JSON.parse('{"__proto__": 1}'), 'has a member named "__proto__"'],
  ["levels", { a: deep }, "is nested deeper than 64 levels"],
])("%s that JSON cannot hold is refused, also behind what is too large", (_, value, problem) => {
  const refused = expect.objectContaining({ message: problem }) as Error;

  expect(() => truncated({ data: value })).toThrow(refused);
  expect(() => truncated({ data: ["x".repeat(3_000), value] })).toThrow(refused);
});
