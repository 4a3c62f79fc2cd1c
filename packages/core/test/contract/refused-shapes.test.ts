import { data, defineTool, failure, type Logger, type Tool } from "@toolmount/core";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { tool, world } from "../world.ts";

const refusal = (problem: string, name = "probe") =>
  expect.objectContaining({
    code: "TOOL_INVALID",
    message: `tool "${name}" cannot be mounted: ${problem}`,
  }) as object;

test.each(["-rf", ".", "..", "--help", ".hidden"])("a tool named %s is refused", (name) => {
  expect(() => world([tool(undefined, { name })])).toThrow(
    refusal(
      "its name must be 1 to 128 of letters, digits, _ . and -, and begin with a letter, a digit or _",
      name,
    ),
  );
});

test("a result that is a plain object names the two functions that make a result", async () => {
  const { host } = world([tool(() => ({ hello: 1 }))]);
  const { result } = await host.call({ name: "probe" });

  expect(result.error).toContain('has no "hello"; return data(…) or failure(…)');
});

const marks = "\u0301\u0300\u0302\u0303\u0304\u0306\u0307\u0308";

describe("hidden text is refused when a tool is mounted", () => {
  const widthless = "holds characters without width";
  const turned = "changes the direction of text, so that it is not read in the order of its characters";
  const piled = "piles marks on one character, which cover the text around it";

  test.each([
    [
      "a run of joiners",
      "Reads\u0628\u200c\u200c\u200c\u0628 notes.",
      `${widthless} (U+200C): "Reads\u0628\\u{200c}\\u{200c}\\u{200c}\u0628 notes."`,
    ],
    [
      "a run of soft hyphens",
      "Reads no\u00ad\u00ad\u00adtes.",
      `${widthless} (U+00AD): "Reads no\\u{ad}\\u{ad}\\u{ad}tes."`,
    ],
    [
      "a run of direction marks",
      "\u05d0\u05d1 reads\u200e\u200f\u200e\u200f notes.",
      `${turned} (U+200E): "\u05d0\u05d1 reads\\u{200e}\\u{200f}\\u{200e}\\u{200f} notes."`,
    ],
    [
      "a closed isolate around Latin text",
      "Reads \u2067notes\u2069 only.",
      `${turned} (U+2067): "Reads \\u{2067}notes\\u{2069} only.", and 1 more like it`,
    ],
    [
      "a closed first-strong isolate around Latin text",
      "Reads \u2068notes\u2069 only.",
      `${turned} (U+2068): "Reads \\u{2068}notes\\u{2069} only.", and 1 more like it`,
    ],
    [
      "a lone carriage return",
      "Deletes everything.\rReads notes.      ",
      'holds control characters (U+000D): "Deletes everything.\\u{d}Reads notes.      "',
    ],
    ["a pile of marks", `Reads no${marks}tes.`, `${piled}: "Reads no${marks}tes."`],
  ])("%s", (_, description, problem) => {
    expect(() => world([tool(undefined, { description })])).toThrow(
      refusal(
        `its description ${problem}; remove them, or write a description of your own under tools in the module's entry`,
      ),
    );
  });

  test("four marks on each letter", () => {
    const description = Array.from("Reads notes.", (letter) => letter + marks.slice(0, 4)).join("");

    expect(() => world([tool(undefined, { description })])).toThrow(
      /: "R.{20,30}…", and 11 more like it; remove/u,
    );
  });

  test.each([
    ["a line end of Windows", "Reads notes.\r\nUse it in tests."],
    ["an isolate in Hebrew text", "\u05e7\u05d5\u05e8\u05d0 \u2068notes\u2069 \u05d5\u05e2\u05d5\u05d3"],
    ["one soft hyphen", "Reads docu\u00adments."],
    ["Vietnamese with its marks apart", "\u0110o\u0323\u0302c ghi chu\u0301."],
    [
      "Hebrew with points and accents",
      "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0\u05e9\u05c1\u05b4\u0596\u05d9\u05ea",
    ],
    ["Tibetan with stacked vowels", "\u0f68\u0f71\u0f7c\u0f7e\u0f83\u0f39"],
    ["IPA with three diacritics", "Says t\u0325\u02b0 and e\u031e\u0303\u0301."],
    ["a family emoji", "Greets \u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}."],
  ])("%s is not refused", (_, description) => {
    expect(() => world([tool(undefined, { description })])).not.toThrow();
  });
});

const classified = { category: "read", consequenceLevel: "low", requiresConfirmation: false } as const;

test.each(["inputSchema", "input_schema", "parameters"])(
  "defineTool with %s in place of schema fails there, with a hint",
  (member) => {
    const specification = {
      name: "probe",
      description: "Does what a test needs.",
      [member]: z.object({}),
      ...classified,
      execute: () => data(1),
    };

    expect(() => defineTool(specification as never)).toThrow(
      refusal(`it has no schema; did you mean schema: \u2026, for ${member}?`),
    );
  },
);

test("a schema that is only a list of names and types is refused with the two right forms", () => {
  const define = () => tool(undefined, { schema: { day: "string" } as never });

  expect(define).toThrow(
    refusal(
      "its schema is neither Zod's nor JSON Schema: it has only day; " +
        'write z.object({ day: z.string() }), or { type: "object", properties: { day: { type: "string" } } }',
    ),
  );
});

test.each([
  ["a text", "string", "its schema is not an object"],
  ["null", null, "its schema is not an object"],
  ["a list", [], "its schema is not an object"],
  [
    "of another type than object",
    { type: "string" },
    'its schema is of type "string"; arguments are an object',
  ],
])("a schema that is %s is refused when the tool is mounted", (_, schema, problem) => {
  const compiler = { compile: () => () => ({ ok: true as const, value: {} }) };
  const { host } = world([]);
  host.coordinator.mount("schema-compiler", compiler);
  const definition = { name: "probe", description: "Probes.", schema, ...classified, execute: () => data(1) };

  expect(() => host.coordinator.mount("tools", definition)).toThrow(refusal(problem));
});

test("of the outputs that are kept, the oldest are dropped first, and only when they are too many", async () => {
  const text = "x".repeat(4_000);
  // A character is counted as two bytes: three texts fit, four do not.
  const { host } = world([tool(() => data(text))], { limits: { outputBytes: 1_000, keptBytes: 25_000 } });
  const refs: string[] = [];
  const keep = async () => void refs.push((await host.call({ name: "probe" })).result.truncated!.ref);
  const isKept = (ref: string) => {
    try {
      return host.output(ref).text.includes(text);
    } catch (error) {
      expect(error).toMatchObject({ code: "OUTPUT_NOT_FOUND" });
      return false;
    }
  };
  for (let count = 0; count < 3; count++) await keep();
  expect(refs.map(isKept)).toEqual([true, true, true]);
  await keep();
  expect(refs.map(isKept)).toEqual([false, true, true, true]);
});

test.each([
  ["a missing argument", {}, "file_path is required"],
  ["a number with a fraction", { file_path: "a", limit: 1.5 }, "limit must be a whole number"],
  ["a string for a number", { file_path: "a", limit: "x" }, "limit must be a number, not a string"],
  ["null", { file_path: null }, "file_path must be a string, not null"],
  ["a missing member", { file_path: "a", edits: [{}] }, "edits[0].old is required"],
  ["a number below its bound", { file_path: "a", limit: 0 }, "limit must be more than 0"],
  ["a number above its bound", { file_path: "a", limit: 101 }, "limit must be at most 100"],
  ["a text that is too short", { file_path: "" }, "file_path must have at least 1 character"],
  ["a list that is too long", { file_path: "a", tags: ["a", "b", "c"] }, "tags must have at most 2 items"],
  ["another choice", { file_path: "a", kind: "other" }, 'kind must be one of "text", "binary"'],
  ["another constant", { file_path: "a", version: 2 }, "version must be 1"],
])("%s is reported in words for people and models", async (_, args, error) => {
  const schema = z.strictObject({
    file_path: z.string().min(1),
    limit: z.int().positive().max(100).optional(),
    edits: z.array(z.strictObject({ old: z.string() })).optional(),
    tags: z.array(z.string()).max(2).optional(),
    kind: z.enum(["text", "binary"]).optional(),
    version: z.literal(1).optional(),
  });
  const { host } = world([tool(undefined, { schema })]);
  const { result } = await host.call({ name: "probe", arguments: args });

  expect(result).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
});

test.each([
  ["requiresConfirmation", "delete", { category: "delete", consequenceLevel: "high" }],
  ["category, consequenceLevel, requiresConfirmation", "side_effect", {}],
])(
  "a plain definition without %s counts as the strictest, with a warning",
  async (missing, category, given) => {
    const lines: unknown[] = [];
    const line = (...written: unknown[]) => void lines.push(written.at(-1));
    const logger: Logger = {
      trace: line,
      debug: line,
      info: line,
      warn: line,
      error: line,
      child: () => logger,
    };
    let count = 0;
    const definition = {
      name: "probe",
      description: "Does what a test needs.",
      schema: z.object({}),
      ...given,
      execute: () => data(++count),
    };
    const { host } = world([definition], { logger });
    const { status } = await host.call({ name: "probe" });

    expect([status, count]).toEqual(["denied", 0]);
    expect(host.tools()).toMatchObject([{ category, consequenceLevel: "high", requiresConfirmation: true }]);
    expect(lines).toContainEqual(
      expect.stringContaining(`has no ${missing}: the strictest value is assumed`),
    );
  },
);

test("defineTool infers the union of what execute returns", async () => {
  const union = defineTool({
    name: "probe",
    description: "Does what a test needs.",
    schema: z.object({ kind: z.string() }),
    ...classified,
    execute: async ({ kind }) => {
      if (kind === "number") return data({ value: 1 });
      return kind === "text" ? data("text") : failure("unknown");
    },
  });
  expectTypeOf(union).toExtend<Tool<z.ZodObject<{ kind: z.ZodString }>, { value: number } | string>>();
  const { data: answer } = await union.execute({ kind: "text" });

  expectTypeOf(answer).toEqualTypeOf<{ value: number } | string | undefined>();
  expect(answer).toBe("text");
});
