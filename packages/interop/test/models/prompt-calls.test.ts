import { describe, expect, test } from "vitest";
import { toPrompt } from "../../src/models/prompt.ts";

const v4 = { provider: "acme.chat", specificationVersion: "v4" } as const;
const v3 = { provider: "acme.chat", specificationVersion: "v3" } as const;
const own = { provider: "acme.chat", metadata: { acme: { id: "x" } } };
const png = "data:image/png;base64,iVBO";
const pdf = "data:application/pdf;base64,JVBE";

const promptOf = (items: readonly object[], language: typeof v3 | typeof v4 = v4) =>
  toPrompt("", items as never, language);
const assistant = (...content: object[]) => ({ role: "assistant", content });
const said = (text: string) => ({ type: "text", text });

describe("calls and their outputs", () => {
  const call = (given: string, more: object = {}) => ({
    type: "function_call",
    call_id: "c1",
    name: "look",
    arguments: given,
    ...more,
  });
  const asked = (input: unknown) => ({ type: "tool-call", toolCallId: "c1", toolName: "look", input });

  test.each<[object, unknown]>([
    [call('{"a":1}'), { a: 1 }],
    [call(""), {}],
    [call("[1]"), { value: [1] }],
    [call("7"), { value: 7 }],
    [call("{oops"), { invalid_json: "{oops" }],
    [
      call(`${"[".repeat(5_000)}${"]".repeat(5_000)}`),
      { invalid_json: `${"[".repeat(5_000)}${"]".repeat(5_000)}` },
    ],
    [{ type: "custom_tool_call", call_id: "c1", name: "look", input: '{"b":2}' }, { b: 2 }],
  ])("the call %j has an object as its input", (item, input) => {
    expect(promptOf([item])).toStrictEqual({ messages: [assistant(asked(input))], omitted: [] });
  });

  test("a call has the metadata of the same provider", () => {
    expect(promptOf([call("{}", { provider_metadata: own })]).messages).toStrictEqual([
      assistant({ ...asked({}), providerOptions: own.metadata }),
    ]);
  });

  const text = (value: string) => ({ type: "text", value });
  const image = { type: "input_image", image_url: png };

  test.each<[unknown, object, typeof v3 | typeof v4]>([
    ["done", text("done"), v4],
    ["", text(""), v4],
    ["Error: no", { type: "error-text", value: "Error: no" }, v4],
    [
      [
        { type: "input_text", text: "a" },
        { type: "input_text", text: "" },
        7,
        { type: "input_text", text: "b" },
      ],
      text("a\nb"),
      v4,
    ],
    [null, text(""), v4],
    [
      [{ type: "input_text", text: "a" }, image],
      {
        type: "content",
        value: [said("a"), { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBO" } }],
      },
      v4,
    ],
    [
      [image],
      {
        type: "content",
        value: [said("(a file)"), { type: "image-data", mediaType: "image/png", data: "iVBO" }],
      },
      v3,
    ],
    [
      [{ type: "input_file", file_data: pdf }],
      {
        type: "content",
        value: [
          said("(a file)"),
          { type: "file-data", mediaType: "application/pdf", filename: "", data: "JVBE" },
        ],
      },
      v3,
    ],
  ])("the output %j is one text, with its files after it", (output, made, language) => {
    const items = [call("{}"), { type: "function_call_output", call_id: "c1", output }];

    expect(promptOf(items, language).messages[1]).toStrictEqual({
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c1", toolName: "look", output: made }],
    });
  });

  test("an output of a call that is not there has no name, and outputs that follow are one message", () => {
    const items = [
      { type: "function_call_output", call_id: "c9", output: "a" },
      { type: "custom_tool_call_output", call_id: "c8", output: "b" },
    ];

    expect(promptOf(items).messages).toStrictEqual([
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c9", toolName: "", output: text("a") },
          { type: "tool-result", toolCallId: "c8", toolName: "", output: text("b") },
        ],
      },
    ]);
  });

  test("an item of another type is left out, and that is said", () => {
    expect(promptOf([{ type: "web_search_call" }, { type: "web_search_call" }, {}])).toEqual({
      messages: [],
      omitted: ["an item of the type web_search_call", "an item of the type "],
    });
  });
});
