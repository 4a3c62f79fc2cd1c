import { expect, test } from "vitest";
import { answerOf, fromMcpResult, fromModelOutput, readBlock } from "../../src/schema/foreign-result.ts";

test.each<[object, object | undefined]>([
  [{ type: "text", value: "hello" }, { data: "hello" }],
  [{ type: "text", value: 1 }, undefined],
  [{ type: "json", value: { n: 1 } }, { data: { n: 1 } }],
  [{ type: "json" }, undefined],
  [{ type: "error-text", value: "no" }, { error: "no" }],
  [{ type: "error-text", value: "" }, { error: "the tool failed" }],
  [{ type: "error-text" }, undefined],
  [{ type: "error-json", value: { code: 3 } }, { error: '{"code":3}' }],
  [{ type: "error-json" }, { error: "the tool failed" }],
  [
    { type: "execution-denied", reason: "not today" },
    { error: "not today", code: "REFUSED" },
  ],
  [{ type: "execution-denied" }, { error: "the tool refused to run", code: "REFUSED" }],
  [{ type: "content", value: [{ type: "text", text: "hello" }] }, { data: "hello" }],
  [{ type: "content", value: "hello" }, undefined],
  [{ type: "other", value: [] }, undefined],
])("the output %j of toModelOutput is read", (output, expected) => {
  const read = fromModelOutput(output);

  if (expected === undefined) expect(read).toBeUndefined();
  else expect({ ...read }).toMatchObject(expected);
});

test.each(["text", "input_text", "output_text"])(
  "a block of the type %s is text, where it has one",
  (type) => {
    expect(readBlock({ type, text: "hello" })).toEqual({ type: "text", text: "hello" });
    expect(readBlock({ type, text: 3 })).toBeNull();
  },
);

test.each<[object, object | null]>([
  [
    { type: "image", data: "iVBORw0=", mimeType: "image/png" },
    { type: "image", data: "iVBORw0=", mimeType: "image/png" },
  ],
  [
    { type: "image", source: { type: "base64", data: "iVBORw0=", media_type: "image/png" } },
    { type: "image", mimeType: "image/png" },
  ],
  [
    { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
    { type: "audio", mimeType: "audio/wav" },
  ],
  [
    { type: "image", data: "iVBORw0=" },
    { type: "image", data: "iVBORw0=", mimeType: "image/png" },
  ],
  [{ type: "resource_link", uri: "https://a.test/x.pdf" }, {}],
  [{ type: "resource_link" }, null],
  [{ type: "video", data: "AAAA" }, null],
  [{ text: "hello" }, null],
  [{ type: 3 }, null],
])("the block %j is content, or is not", (block, expected) => {
  const read = readBlock(block as never);

  if (expected === null) expect(read).toBeNull();
  else expect(read).toMatchObject(expected);
});

const png = { type: "image", data: "iVBORw0=", mimeType: "image/png" };

test.each<[string, object, object | null]>([
  ["OpenAI", { type: "input_image", image_url: "data:image/png;base64,iVBORw0=" }, png],
  ["LangChain", { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0=" } }, png],
  ["OpenAI Agents", { type: "image", image: { data: "iVBORw0=", mediaType: "image/png" } }, png],
  ["the AI SDK", { type: "image-data", data: "iVBORw0=", mediaType: "image/png" }, png],
  ["the AI SDK, version 4", { type: "image", data: "iVBORw0=", mime_type: "image/png" }, png],
  ["Anthropic", { type: "image", source: { type: "base64", data: "iVBORw0=" } }, png],
  [
    "an address",
    { type: "image-url", url: "https://a.example/x.png", mediaType: "image/png", name: "x" },
    { type: "file", uri: "https://a.example/x.png", name: "x", mimeType: "image/png" },
  ],
  [
    "a URL object",
    { type: "file-url", url: new URL("https://a.example/x"), filename: "x" },
    { type: "file", uri: "https://a.example/x", name: "x" },
  ],
  [
    "a file with bytes",
    { type: "file-data", data: "AAAA", filename: "a b.bin" },
    {
      type: "file",
      uri: "attachment:a%20b.bin",
      name: "a b.bin",
      mimeType: "application/octet-stream",
      data: "AAAA",
    },
  ],
  [
    "a file without a name",
    { type: "document", source: { type: "base64", data: "AAAA", media_type: "application/pdf" } },
    { type: "file", uri: "attachment:file", name: "file", mimeType: "application/pdf", data: "AAAA" },
  ],
  [
    "a resource with a text",
    { type: "resource", resource: { uri: "a:b", text: "hello", mimeType: "text/plain" } },
    { type: "file", uri: "a:b", mimeType: "text/plain", text: "hello" },
  ],
  [
    "a resource with bytes",
    { type: "resource", resource: { uri: "a:b", blob: "AAAA" } },
    { type: "file", uri: "a:b", data: "AAAA" },
  ],
  ["a resource alone", { type: "resource", resource: { uri: "a:b" } }, { type: "file", uri: "a:b" }],
  ["a resource without an address", { type: "resource", resource: { text: "hello" } }, null],
  ["no base64", { type: "image", data: "not base64!" }, null],
  ["nothing", { type: "image", image: 7 }, null],
])("a block of %s is read", (_, block, expected) => {
  expect(readBlock(block as never)).toEqual(expected);
});

const text = (words: string) => ({ type: "text", text: words });
const only = ({ data, error, content, code }: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries({ data, error, content, code }).filter(([, value]) => value !== undefined),
  );

test.each<[unknown, object]>([
  [undefined, { data: null }],
  ["hello", { data: "hello" }],
  [[], { data: [] }],
  [{ at: new Date(0), gone: undefined }, { data: { at: "1970-01-01T00:00:00.000Z" } }],
  [text("hello"), { data: "hello" }],
  [png, { data: null, content: [png] }],
  [[text("a"), text("b")], { data: "a\nb" }],
  [[text("a"), png], { data: "a", content: [png] }],
  [[png], { data: null, content: [png] }],
  [[text("a"), { type: "other" }], { data: [text("a"), { type: "other" }] }],
  [["a", "b"], { data: ["a", "b"] }],
])("what a tool of a library returned, %j, is the result %j", (value, result) => {
  expect(only(answerOf(value) as never)).toEqual(result);
});

test("bytes are refused with what to return instead", () => {
  for (const bytes of [new Uint8Array(1), new ArrayBuffer(1)])
    expect(() => answerOf(bytes)).toThrow("return base64 in an image or file block, or a text");
});

test.each<[object, object]>([
  [{ content: [text("a"), text("b")] }, { data: "a\nb" }],
  [
    { content: [text("a"), png], structuredContent: { n: 1 } },
    { data: { n: 1 }, content: [png] },
  ],
  [{}, { data: null }],
  [{ isError: true, content: [text("no"), png, text("way")] }, { error: "no\nway" }],
  [{ isError: true }, { error: "the tool failed" }],
  [{ content: [{ type: "other" }] }, { data: { content: [{ type: "other" }] } }],
])("the result %j of MCP is %j", (given, result) => {
  expect(only(fromMcpResult(given as never) as never)).toEqual(result);
});
