import { expect, test } from "vitest";
import { contentOf, dataUrl, fileOf, leftOut } from "../../src/providers/seen-content.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const file = (more: object) => fileOf({ type: "file", uri: "file:///notes/a.txt", ...more });

test.each<[string, object, string | object]>([
  ["with a text", { text: "hello", name: "a" }, "The file a:\nhello"],
  ["with a text and no name", { text: "hello" }, "The file a.txt:\nhello"],
  ["of plain text", { data: base64("hi"), mimeType: "text/plain" }, "The file a.txt:\nhi"],
  ["of JSON", { data: base64("{}"), mimeType: "application/json" }, "The file a.txt:\n{}"],
  ["of a kind of XML", { data: base64("<a/>"), mimeType: "image/svg+xml" }, "The file a.txt:\n<a/>"],
  ["that is elsewhere", { mimeType: "text/plain" }, "(the file a.txt is at file:///notes/a.txt)"],
  [
    "of another type",
    { data: "AAAA", mimeType: "application/zip" },
    "(the file a.txt is left out: it is of the type application/zip, and models read PDF and text; its address is file:///notes/a.txt)",
  ],
  [
    "of no type",
    { data: "AAAA" },
    "(the file a.txt is left out: it is of no known type, and models read PDF and text; its address is file:///notes/a.txt)",
  ],
  [
    "that is a PDF, whatever it says",
    { data: base64("%PDF-1.7"), mimeType: "text/plain", name: "b" },
    { name: "b", uri: "file:///notes/a.txt", data: base64("%PDF-1.7"), mimeType: "application/pdf" },
  ],
])("a model reads a file %s", (_, given, seen) => {
  expect(file(given)).toEqual(seen);
});

test("the name of a file is the last part of its address", () => {
  const named = (uri: string) => fileOf({ type: "file", uri, text: "" });

  expect([named("a:b/c/"), named("attachment:x"), named("/:")]).toEqual([
    "The file c:\n",
    "The file x:\n",
    "The file /::\n",
  ]);
});

test("of a content a model sees images and PDFs, and a sentence in place of all else", () => {
  const pdf = { type: "file", uri: "a:b", data: base64("%PDF-1"), name: "b" } as const;

  expect(
    contentOf([
      { type: "text", text: "hello" },
      { type: "image", data: "AA==", mimeType: "image/webp" },
      { type: "image", data: "AA==", mimeType: "image/tiff" },
      { type: "audio", data: "AA==", mimeType: "audio/wav" },
      pdf,
      { type: "file", uri: "a:c", name: "c" },
    ]),
  ).toEqual({
    images: [{ data: "AA==", mimeType: "image/webp" }],
    files: [{ name: "b", uri: "a:b", data: pdf.data, mimeType: "application/pdf" }],
    notes: [
      "(an image of the type image/tiff)",
      "(audio of the type audio/wav, which a model cannot read here)",
      "(the file c is at a:c)",
    ],
  });
  expect(contentOf()).toEqual({ images: [], files: [], notes: [] });
});

test("what a model's server takes in no result is named, with where a file is", () => {
  const image = { data: "AA==", mimeType: "image/png" } as const;
  const files = [{ name: "b", uri: "a:b", data: "AA==", mimeType: "application/pdf" }] as const;

  expect(leftOut({ images: [image], files })).toEqual([
    "(an image of the type image/png is left out: this model gets none from results)",
    "(the file b is left out: this model gets none from results; its address is a:b)",
  ]);
  expect(dataUrl(image)).toBe("data:image/png;base64,AA==");
});

test.each(["image/png", "image/jpeg", "image/webp", "image/gif"])(
  "a model sees an image of the type %s",
  (mimeType) => {
    const image = { data: "AA==", mimeType };

    expect(contentOf([{ type: "image", ...image }])).toEqual({ images: [image], files: [], notes: [] });
  },
);
