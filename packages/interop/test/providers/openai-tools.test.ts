import type { ToolOutcome } from "@toolmount/core";
import { fromOpenAITool, toChatTools, toOpenAI } from "@toolmount/interop";
import { describe, expect, test } from "vitest";

const city = { city: { type: "string" } };
const info = (inputSchema: Readonly<Record<string, unknown>>, name = "look.up") => ({
  name,
  description: "Looks.",
  inputSchema,
});
const parametersOf = (schema: Readonly<Record<string, unknown>>) =>
  toOpenAI([info(schema)]).tools[0]!.parameters;

describe("the schema that OpenAI gets", () => {
  test.each<[Readonly<Record<string, unknown>>, object]>([
    [{}, { type: "object", properties: {}, required: [] }],
    [{ properties: city }, { type: "object", properties: city, required: [], additionalProperties: false }],
    [
      { type: "object", properties: city, required: ["city"], title: "T" },
      { type: "object", properties: city, required: ["city"], title: "T", additionalProperties: false },
    ],
    [{ properties: {} }, { type: "object", properties: {}, required: [] }],
    [{ required: "city" }, { type: "object", properties: {}, required: [] }],
  ])("of %j", (given, schema) => {
    expect(parametersOf(given)).toEqual(schema);
  });

  test.each([
    { additionalProperties: true },
    { additionalProperties: false },
    { unevaluatedProperties: { type: "string" } },
    { patternProperties: { "^x": {} } },
    { propertyNames: { maxLength: 3 } },
    { dependentSchemas: { city: {} } },
    { if: {} },
  ])("says nothing about other arguments where it has %j", (opener) => {
    const given = { type: "object", properties: city, required: [], ...opener };

    expect(parametersOf(given)).toEqual(given);
  });

  test.each([{ allOf: [{}] }, { anyOf: [{}] }, { oneOf: [{}] }, { $ref: "#/$defs/a" }])(
    "stays open where it has %j, which it loses",
    (opener) => {
      const given = { type: "object", properties: city, required: [] };
      const { description: _, ...parameters } = parametersOf({ ...given, ...opener });

      expect(parameters).toEqual(given);
    },
  );
});

test("tools go out whole, in the form of each of OpenAI's interfaces", () => {
  const out = toOpenAI([info({ properties: city })]);
  const parameters = { type: "object", properties: city, required: [], additionalProperties: false };
  const { name } = out.tools[0]!;

  expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(out.tools).toEqual([{ type: "function", name, description: "Looks.", parameters, strict: false }]);
  expect(toChatTools(out)).toEqual([
    { type: "function", function: { name, description: "Looks.", parameters, strict: false } },
  ]);
});

test.each<[unknown, object]>([
  [
    { call_id: "c", id: "i", name: "a", arguments: "{}" },
    { id: "c", name: "a", arguments: "{}" },
  ],
  [
    { id: "i", name: "a", arguments: "{}" },
    { id: "i", name: "a", arguments: "{}" },
  ],
  [
    { id: "i", function: { name: "a", arguments: '{"b":1}' } },
    { id: "i", name: "a", arguments: '{"b":1}' },
  ],
  [
    { id: 7, name: "a", arguments: { b: 1 } },
    { name: "a", arguments: "" },
  ],
  [{ name: 7 }, { name: "", arguments: "" }],
  [null, { name: "", arguments: "" }],
])("the call %j is the request %j", (item, request) => {
  expect(toOpenAI([info({}, "a")]).readCall(item)).toStrictEqual(request);
});

const outcome = (content?: readonly object[]) =>
  ({
    callId: "c",
    runId: "r",
    tool: "a",
    status: "ok",
    durationMs: 0,
    result: { tool: "a", fetchedAt: "", data: "done", ...(content && { content }) },
  }) as unknown as ToolOutcome;
const image = { type: "image", data: "AAAA", mimeType: "image/png" };
const pdf = Buffer.from("%PDF-1").toString("base64");
const file = { type: "file", uri: "a:b.pdf", name: "b.pdf", mimeType: "application/pdf", data: pdf };

test.each<[readonly object[] | undefined, object[] | string]>([
  [undefined, "done"],
  [
    [image],
    [
      { type: "input_text", text: "done" },
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
    ],
  ],
  [
    [file],
    [
      { type: "input_text", text: "done" },
      { type: "input_file", filename: "b.pdf", file_data: `data:application/pdf;base64,${pdf}` },
    ],
  ],
  [
    [image, file],
    [
      { type: "input_text", text: "done" },
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
      { type: "input_file", filename: "b.pdf", file_data: `data:application/pdf;base64,${pdf}` },
    ],
  ],
])("a result with the content %j is the item that answers its call", (content, output) => {
  expect(toOpenAI([]).writeOutput(outcome(content))).toEqual({
    type: "function_call_output",
    call_id: "c",
    output,
  });
});

test.each([
  { type: "function", name: "look", description: "Looks.", parameters: { type: "object", properties: city } },
  {
    type: "function",
    function: { name: "look", description: "Looks.", parameters: { type: "object", properties: city } },
  },
])("a function of OpenAI's form %j becomes a tool", (definition) => {
  const made = fromOpenAITool(definition, {
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: () => null,
  } as never);

  expect(made).toMatchObject({
    name: "look",
    description: "Looks.",
    schema: { type: "object", properties: city },
  });
});
