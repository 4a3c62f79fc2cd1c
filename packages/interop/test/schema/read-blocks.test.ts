import { describe, expect, test } from "vitest";
import { answerOf, fromMcpResult, plainValue, readBlock } from "../../src/schema/foreign-result.ts";

const png = { type: "image", data: "AAAA", mimeType: "image/png" };
const file = (more: object = {}) => ({ type: "file", uri: "https://a.test/x.pdf", ...more });
const attachment = (mimeType: string, name = "file", uri = name) => ({
  type: "file",
  uri: `attachment:${uri}`,
  name,
  mimeType,
  data: "AAAA",
});

/** Each library has its own form of a picture, a sound and a file. */
describe("a block is read", () => {
  test.each<[object, object | null]>([
    [{ type: "image", data: "AAAA", mimeType: "image/png" }, png],
    [{ type: "image", data: "AAAA", mediaType: "image/png" }, png],
    [{ type: "media", data: "AAAA", mediaType: "image/png" }, png],
    [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }, png],
    [
      { type: "image", source: { type: "url", url: "https://a.test/x.png" } },
      file({ uri: "https://a.test/x.png" }),
    ],
    [{ type: "image", image: "AAAA", mime_type: "image/png" }, png],
    [{ type: "image", data: "AAAA" }, png],
    [
      { type: "input_image", image_url: "data:image/jpeg;base64,AAAA" },
      { ...png, mimeType: "image/jpeg" },
    ],
    [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }, png],
    [{ type: "image-url", url: "https://a.test/x.png" }, file({ uri: "https://a.test/x.png" })],
    [{ type: "image", imageUrl: new URL("https://a.test/x.png") }, file({ uri: "https://a.test/x.png" })],
    [{ type: "image-data", data: { base64: "AAAA" } }, png],
    [
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    ],
    [
      { type: "input_audio", data: "data:audio/mpeg;base64,AAAA" },
      { type: "audio", data: "AAAA", mimeType: "audio/mpeg" },
    ],
    [
      { type: "file", data: "AAAA", mediaType: "application/pdf", filename: "a b.pdf" },
      attachment("application/pdf", "a b.pdf", "a%20b.pdf"),
    ],
    [{ type: "document", source: { data: "AAAA" } }, attachment("application/octet-stream")],
    [
      { type: "document", source: { data: "AAAA", mimeType: "text/plain" }, mimeType: "a/b" },
      attachment("text/plain"),
    ],
    [{ type: "file", data: "data:;base64,AAAA", mimeType: "a/b" }, attachment("a/b")],
    [{ type: "file", data: "data:;base64,AAAA" }, attachment("application/octet-stream")],
    [
      { type: "file-url", fileUrl: "https://a.test/x.pdf", filename: "x", mimeType: "a/b" },
      file({ name: "x", mimeType: "a/b" }),
    ],
    [{ type: "file", file: { uri: "https://a.test/x.pdf" }, name: "n" }, file({ name: "n" })],
    [{ type: "file", url: "https://a.test/x.pdf" }, file()],
    [{ type: "file", data: "no base64!" }, null],
    [{ type: "file", data: 7 }, null],
    [{ type: "file" }, null],
    [
      { type: "resource_link", uri: "a:b", name: "n", mimeType: "a/b" },
      { type: "file", uri: "a:b", name: "n", mimeType: "a/b" },
    ],
    [{ type: "resource_link", uri: 7 }, null],
    [
      { type: "resource", resource: { uri: "a:b", text: "t" } },
      { type: "file", uri: "a:b", text: "t" },
    ],
    [
      { type: "resource", resource: { uri: "a:b", blob: "AAAA", mimeType: "a/b" } },
      { type: "file", uri: "a:b", mimeType: "a/b", data: "AAAA" },
    ],
    [
      { type: "resource", resource: { uri: "a:b" } },
      { type: "file", uri: "a:b" },
    ],
    [{ type: "resource", resource: { text: "t" } }, null],
    [{ type: "resource", resource: "a:b" }, null],
    [{ type: "text", text: 7 }, null],
    [{ type: "video", data: "AAAA" }, null],
    [{}, null],
  ])("%j", (block, read) => {
    expect(readBlock(block as never)).toEqual(read);
  });
});

test.each<[unknown, unknown]>([
  [undefined, null],
  [null, null],
  [7, 7],
  [
    { at: new Date(0), none: undefined, list: [undefined] },
    { at: "1970-01-01T00:00:00.000Z", list: [null] },
  ],
])("the value %o is %j as JSON", (value, plain) => {
  expect(plainValue(value)).toEqual(plain);
});

test.each([new Uint8Array(2), new ArrayBuffer(2)])("bytes are refused: %o", (bytes) => {
  expect(() => plainValue(bytes)).toThrow(
    "the tool returned bytes; return base64 in an image or file block, or a text",
  );
});

const text = (said: string) => ({ type: "text", text: said });

test.each<[unknown, object]>([
  ["said", { data: "said" }],
  [undefined, { data: null }],
  [[], { data: [] }],
  [{ a: 1 }, { data: { a: 1 } }],
  [text("said"), { data: "said" }],
  [png, { data: null, content: [png] }],
  [[text("a"), text("b")], { data: "a\nb" }],
  [[text("a"), png], { data: "a", content: [png] }],
  [[png], { data: null, content: [png] }],
  [[text("a"), 7], { data: [text("a"), 7] }],
  [[text("a"), { type: "video" }], { data: [text("a"), { type: "video" }] }],
])("the answer %j of a library is %j", (value, result) => {
  expect({ ...answerOf(value) }).toEqual(result);
});

test.each<[object, object]>([
  [{ content: [text("a"), png] }, { data: "a", content: [png] }],
  [{ content: [text("a")], structuredContent: { n: 1 } }, { data: { n: 1 } }],
  [
    { content: [png], structuredContent: { n: 1 } },
    { data: { n: 1 }, content: [png] },
  ],
  [{ content: [] }, { data: null }],
  [{ content: "odd" }, { data: null }],
  [{ content: [text("a"), text("b"), png], isError: true }, { error: "a\nb" }],
  [{ content: [png], isError: true }, { error: "the tool failed" }],
  [{ content: [text("a"), 7] }, { data: { content: [text("a"), 7] } }],
  [{ content: [text("a")], isError: "yes" }, { data: "a" }],
])("the result %j of a server is %j", (result, read) => {
  expect({ ...fromMcpResult(result as never) }).toEqual(read);
});
