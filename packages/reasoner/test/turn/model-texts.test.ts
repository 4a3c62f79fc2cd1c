import type { ToolOutcome } from "@toolmount/core";
import type { Model } from "@toolmount/interop";
import { describe, expect, test } from "vitest";
import {
  imageItem,
  fileItem,
  readFunctionCall,
  requireImages,
  textOf,
  userMessage,
} from "../../src/provider/items.ts";
import { isMatched } from "../../src/turn/compaction.ts";
import { incompleteText, readOutput } from "../../src/turn/last-answer.ts";
import { cancelledText, outcomeText, outputItem } from "../../src/turn/model-text.ts";

const left = { what: "links", amount: "2 files", why: "they are links", how: "read_file" };
const outcome = (status: string, result: object) =>
  ({ status, tool: "look", result }) as unknown as ToolOutcome;

describe("an outcome as a model reads it", () => {
  test.each<[string, string, object, string]>([
    ["data", "ok", { data: { a: 1 } }, '{"a":1}'],
    ["a text", "ok", { data: "seen" }, "seen"],
    ["no data", "ok", { data: null }, "Success"],
    ["an empty text", "ok", { data: "" }, "Success"],
    ["warnings", "ok", { data: 1, warnings: ["one", "two"] }, "1\nWarning: one\nWarning: two"],
    [
      "a result that leaves something out",
      "ok",
      { data: 1, omitted: [left], warnings: ["w"] },
      "1\nWarning: w\nOmitted: links (2 files): they are links. To get it: read_file",
    ],
    [
      "a failure that leaves something out",
      "failed",
      { error: "it broke", omitted: [left] },
      "Error: it broke\nOmitted: links (2 files): they are links. To get it: read_file",
    ],
    ["control characters", "ok", { data: "a\u0007b" }, "ab"],
    ["a failure", "failed", { error: "it broke", code: "INTERNAL" }, "Error: it broke [INTERNAL]"],
    ["a failure without a code", "failed", { error: "it broke" }, "Error: it broke"],
    [
      "a failure with an output",
      "failed",
      { error: "it broke", code: "X", details: { output: "exit 1" } },
      "exit 1",
    ],
    [
      "a failure with an empty output",
      "failed",
      { error: "it broke", details: { output: "" } },
      "Error: it broke",
    ],
    [
      "a failure without an output",
      "failed",
      { error: "it broke", details: { output: null } },
      "Error: it broke",
    ],
    ["a tool that is not there", "not_found", { error: 'no tool "look"' }, "Error: Tool 'look' not found."],
    [
      "a tool with a near name",
      "not_found",
      { error: 'no tool "look"; did you mean "book"?' },
      "Error: Tool 'look' not found. Did you mean \"book\"?",
    ],
    [
      "a cancelled call",
      "cancelled",
      { error: "stopped" },
      '{"error":"stopped","cancelled":true,"tool":"look"}',
    ],
    [
      "a denied call",
      "denied",
      { error: '"look" was not run: no' },
      "Error: the call was not approved: no [DENIED]",
    ],
    [
      "a denied call with another text",
      "denied",
      { error: "no" },
      "Error: the call was not approved: no [DENIED]",
    ],
  ])("%s", (_title, status, result, text) => {
    expect(outcomeText(outcome(status, result), "person")).toBe(text);
  });

  test("names a hook that denied it, and a call that was cancelled without a reason", () => {
    const denied = outcome("denied", { error: '"look" was not run: no' });
    expect(outcomeText(denied, "hook")).toBe("Denied by hook: no");
    expect(JSON.parse(cancelledText("look"))).toEqual({
      error: expect.stringMatching(/cancel/),
      cancelled: true,
      tool: "look",
    });
  });

  test("has the images and files of a result after its text", () => {
    const content = [
      { type: "text", text: "more" },
      { type: "image", mimeType: "image/png", data: "AA==" },
      { type: "audio", mimeType: "audio/mp3", data: "AA==" },
      { type: "file", uri: "file:///a.txt", name: "a.txt", text: "hi" },
      { type: "file", uri: "file:///a.pdf", name: "a.pdf", data: "JVBERi0=" },
      { type: "other" },
    ];
    expect(outputItem("c1", outcome("ok", { data: "seen", content }), "person")).toEqual({
      type: "function_call_output",
      call_id: "c1",
      output: [
        { type: "input_text", text: "seen" },
        { type: "input_text", text: "more" },
        imageItem("image/png", "AA=="),
        { type: "input_text", text: "(audio of the type audio/mp3, which a model cannot read here)" },
        { type: "input_text", text: "The file a.txt:\nhi" },
        fileItem("a.pdf", "application/pdf", "JVBERi0="),
      ],
    });
    expect(outputItem("c1", outcome("ok", { data: "seen" }), "person")["output"]).toBe("seen");
  });
});

describe("the answer of a turn with a schema", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "number" }, note: { type: "string" } },
    required: ["n"],
    additionalProperties: false,
  };
  const place = { provider: "p", model: "m" } as Model;
  const read = (text: string, of: object = schema) => {
    const output = readOutput(text, of as never, place);
    return output.ok ? output.value : output.error.failure.problem;
  };

  test.each<[string, unknown]>([
    ['{"n":1}', { n: 1 }],
    ['Here it is:\n```json\n{"n":1}\n```\nDone.', { n: 1 }],
    ['```\n{"n":1}\n```', { n: 1 }],
    ['So {"n":1} it is', { n: 1 }],
    ['{"n":1,"note":null}', { n: 1 }],
    ["none", "its answer is not as outputSchema asks: it is not JSON"],
    ["{n:1}", "its answer is not as outputSchema asks: it is not JSON"],
  ])("%j is read as %j", (text, value) => {
    expect(read(text)).toEqual(value);
  });

  test("is refused with the place of what is wrong, and at most five of them", () => {
    expect(read('{"n":"x"}')).toMatch(/^its answer is not as outputSchema asks: n: /);
    expect(read("[1]", { type: "object" })).toMatch(/^its answer is not as outputSchema asks: the answer: /);
    expect(read("[1,2]", { type: "array" })).toEqual([1, 2]);
    const many = { type: "array", items: { type: "string" } };
    const said = read("[1,2,3,4,5,6,7]", many) as string;
    expect(said.split("; ").length).toBeLessThanOrEqual(5);
  });

  test.each([
    [
      "max_output_tokens",
      "the answer was cut at the limit of tokens; raise maxOutputTokens, or ask for less at once",
    ],
    ["content_filter", "a filter of the provider blocked the answer"],
    ["refusal", "the model refused to answer"],
    ["empty", "the model gave no answer, also when it was asked again"],
    ["other", "the answer was cut: other"],
  ])("that is incomplete by %s says so", (reason, text) => {
    expect(incompleteText(reason)).toBe(text);
  });
});

describe("items of a conversation", () => {
  const problem = (at: number) => ({
    code: "OPTION_INVALID",
    details: {
      option: "images",
      problem: `image ${at} is not { mimeType: "image/…", data: base64 without a data: prefix }`,
    },
  });

  test("images are base64 of an image's type", () => {
    const good = { mimeType: "image/svg+xml", data: "AAA=" };
    expect(() => requireImages([good, { mimeType: "image/png", data: "A" }])).not.toThrow();
    expect(() => requireImages()).not.toThrow();
    for (const bad of [
      { mimeType: "text/plain", data: "AA==" },
      { mimeType: "image/", data: "AA==" },
      { mimeType: "image/png", data: "data:image/png;base64,AA==" },
      { mimeType: "image/png", data: "" },
    ])
      expect(() => requireImages([good, bad])).toThrow(expect.objectContaining(problem(2)));
  });

  test("a message of the user has its images after its text", () => {
    expect(userMessage("hi")).toEqual({ type: "message", role: "user", content: "hi" });
    expect(userMessage("hi", [{ mimeType: "image/png", data: "AA==" }])).toEqual({
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "hi" },
        { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AA==" },
      ],
    });
    expect(fileItem("a", "text/plain", "AA==")).toEqual({
      type: "input_file",
      filename: "a",
      file_data: "data:text/plain;base64,AA==",
    });
  });

  test.each<[object, object | null]>([
    [
      { type: "function_call", call_id: "a", name: "n", arguments: "{}" },
      { callId: "a", name: "n", arguments: "{}", custom: false },
    ],
    [
      { type: "custom_tool_call", call_id: "a", name: "n", input: "x" },
      { callId: "a", name: "n", arguments: "x", custom: true },
    ],
    [
      { type: "function_call", call_id: "a" },
      { callId: "a", name: "", arguments: "null", custom: false },
    ],
    [{ type: "function_call", call_id: 7 }, null],
    [{ type: "message", call_id: "a" }, null],
  ])("%j is the call %j", (item, call) => {
    expect(readFunctionCall(item as never)).toEqual(call);
  });

  test.each<[readonly object[], string]>([
    [
      [
        { type: "message", content: "a" },
        { type: "message", content: [{ text: "b" }, "c", { refusal: "d" }, 7, {}] },
      ],
      "abcd",
    ],
    [[{ type: "reasoning", content: [{ text: "x" }] }], ""],
    [[{ type: "message" }], ""],
  ])("%j says %j", (items, text) => {
    expect(textOf(items as never)).toBe(text);
  });

  const call = (id: string) => ({ type: "function_call", call_id: id });
  const output = (id: string) => ({ type: "function_call_output", call_id: id });
  test.each<[string, readonly object[], boolean]>([
    ["no call", [{ type: "message" }], true],
    ["a call with its output", [call("a"), output("a")], true],
    ["two calls with their outputs", [call("a"), call("b"), output("b"), output("a")], true],
    ["a call without its output", [call("a")], false],
    ["an output before its call", [output("a"), call("a")], false],
    ["an output that comes twice", [call("a"), output("a"), output("a")], false],
  ])("with %s can be sent: %s", (_title, items, expected) => {
    expect(isMatched(items as never)).toBe(expected);
  });
});
