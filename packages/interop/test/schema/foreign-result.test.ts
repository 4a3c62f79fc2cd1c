import { expect, test } from "vitest";
import { fromModelOutput, readBlock } from "../../src/schema/foreign-result.ts";

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
