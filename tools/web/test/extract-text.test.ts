import { expect, test } from "vitest";
import { extractPage } from "../src/extract/extract-page.ts";
import type { ReadAnswer, ReadJob } from "../src/extract/job.ts";
import type { Reader, ReadFailure } from "../src/extract/reader.ts";

const signal = new AbortController().signal;
const limits = { timeoutMs: 2000, memoryMb: 200 };
const whole = { leftOut: {}, lack: null, destination: null };
const read: ReadAnswer = { status: "read", text: "laid out", warnings: ["w"], ...whole };
const unreadable: ReadAnswer = { status: "unreadable", text: "why", warnings: [], ...whole };
const html = {
  kind: "html",
  source: "<p>é",
  bytes: new Uint8Array(),
  url: "http://a.test/",
  layout: true,
  whole: false,
};

/** Answers of the processes that read, in order; it notes the jobs. The processes themselves are in reader.process.test.ts. */
function readerOf(...answers: readonly (ReadAnswer | ReadFailure)[]): Reader & { readonly jobs: ReadJob[] } {
  const jobs: ReadJob[] = [];
  return { jobs, close() {}, read: async (job) => (jobs.push(job), answers[jobs.length - 1]!) };
}

const extract = (contentType: string, body: string | Buffer, reader = readerOf(), readable = true) =>
  extractPage(
    { contentType, body: Buffer.from(body), finalUrl: "http://a.test/" },
    { reader, limits, readable, whole: false, signal },
  );

const plainKinds =
  "text/plain text/x-any application/json application/xml application/javascript application/ecmascript application/x-javascript application/yaml application/x-yaml application/toml application/sql application/graphql application/x-sh application/rtf application/x-ndjson application/ld+json application/rss+xml application/atom+xml image/svg+xml application/any+json application/any+yaml message/rfc822";

test.each(plainKinds.split(" "))("%s stays as it is", async (contentType) => {
  expect(await extract(contentType, "words")).toMatchObject({ text: "words", contentType, warnings: [] });
});

test.each(["application/pdfx", "image/png", "application/jsonx", "audio/mpeg", "text"])(
  "%s has no text",
  async (type) => {
    const expected = type === "text" ? { text: "words" } : { code: "UNSUPPORTED_CONTENT" };

    expect(await extract(type, "words").catch((thrown: unknown) => thrown)).toMatchObject(expected);
  },
);

test("a type that has no text is named, in its first 100 characters", async () => {
  const type = `video/${"x".repeat(200)}`;

  expect(await extract(type, "abc").catch((thrown: unknown) => thrown)).toMatchObject({
    message: `${type.slice(0, 100)} has no text to read: http://a.test/`,
    details: { content_type: type.slice(0, 100), bytes: 3 },
  });
});

test.each([
  ["%PDF-1", "application/pdf"],
  [" \n<!DOCTYPE html>", "text/html"],
  ["<html>", "text/html"],
  ["<head>", "text/html"],
  ["<BODY>", "text/html"],
  ["%PDF", "text/plain"],
  [" %PDF-1", "text/plain"],
  ["x<html>", "text/plain"],
  [`${" ".repeat(1024)}<html>`, "text/plain"],
  [`${"a".repeat(1024)}\0`, "text/plain"],
])("a body without a type that begins with %j is %s", async (body, contentType) => {
  const reader = readerOf(read);
  const page = await extract("", body, reader);

  expect(page.contentType).toBe(contentType);
  expect(reader.jobs.map(({ kind }) => kind)).toEqual(
    contentType === "text/plain" ? [] : [contentType.split("/")[1]],
  );
});

test("a NUL in the first 1024 bytes is no text", async () => {
  const thrown = await extract("", `${"a".repeat(1023)}\0`).catch((error: unknown) => error);

  expect(thrown).toMatchObject({ details: { content_type: "application/octet-stream" } });
});

test("what a page leaves out is named, with its size and the way to it", async () => {
  const reader = readerOf({ ...read, leftOut: { navigation: 12, "hidden text": 3 } });

  expect(await extract("text/html", "<p>", reader)).toMatchObject({
    omitted: [
      {
        what: "navigation",
        amount: "12 characters",
        why: "it stands around the main part",
        how: "the same call with whole: true",
      },
      {
        what: "hidden text",
        amount: "3 characters",
        why: "a browser does not show it",
        how: "the page's source, with the plan's extract_text: false",
      },
    ],
  });
});

test.each([
  [Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0xe9]), "text/plain; charset=utf-8", 2],
  [Buffer.from("a \ufffd of the page's own"), "text/plain", 0],
  [Buffer.from([0xe9]), "text/plain", 0],
])(
  "bytes %j of %s are shown as another sign at %i places, and the result says so",
  async (body, type, count) => {
    const { omitted } = await extract(type, body);

    expect(omitted.map(({ what, amount }) => [what, amount])).toEqual(
      count === 0 ? [] : [["invalid bytes", `${count} places`]],
    );
  },
);

test("a page with nothing to read is a failure, unless it only refreshes", async () => {
  const empty = { ...read, text: "# T", lack: "the page has no text" };
  const refresh = { address: "http://a.test/next", by: "refresh" } as const;

  expect(await extract("text/html", "<p>", readerOf(empty)).catch((thrown: unknown) => thrown)).toMatchObject(
    {
      code: "UNSUPPORTED_CONTENT",
      message: "http://a.test/ has nothing to read: the page has no text",
    },
  );
  expect(await extract("text/html", "<p>", readerOf({ ...empty, destination: refresh }))).toMatchObject({
    destination: refresh,
  });
});

test("JSON that is called HTML stays as it is", async () => {
  expect(await extract("text/html", ' {"a": "<b>"}')).toMatchObject({ text: ' {"a": "<b>"}' });
});

test("a page is laid out; where that fails, it is read again as bare text", async () => {
  const first = readerOf(read);
  expect(await extract("text/html", "<p>é", first)).toEqual({
    text: "laid out",
    contentType: "text/html",
    warnings: ["w"],
    omitted: [],
    destination: null,
  });
  expect(first.jobs).toEqual([html]);
  for (const failed of [unreadable, "timeout", "memory"] as const) {
    const reader = readerOf(failed, { ...read, text: "bare" });
    expect(await extract("application/xhtml+xml", "<p>é", reader)).toMatchObject({
      text: "bare",
      warnings: ["w"],
    });
    expect(reader.jobs).toEqual([
      { ...html, kind: "xhtml" },
      { ...html, kind: "xhtml", layout: false },
    ]);
  }
  expect(await extract("text/html", "<p>é", readerOf(unreadable, unreadable))).toMatchObject({ text: "why" });
  expect(await extract("text/html", "<p>é", readerOf(), false)).toMatchObject({ text: "<p>é" });
});

const timedOut = {
  code: "FETCH_TIMED_OUT",
  message: "Timeout reading http://a.test/: more than 2000 ms",
  details: { timeout_ms: 2000 },
};
const tooLarge = {
  code: "RESPONSE_TOO_LARGE",
  message: "Cannot read http://a.test/: it needs more than 200 MB",
  details: { memory_mb: 200 },
};
const cancelled = { code: "FETCH_CANCELLED", message: "Request was cancelled", details: {} };
const broken = {
  code: "UNSUPPORTED_CONTENT",
  message: "The PDF cannot be read: it is broken or protected",
  details: {},
};

test.each<[string, readonly (ReadAnswer | ReadFailure)[], object, number]>([
  ["text/html", ["timeout", "timeout"], timedOut, 2],
  ["text/html", ["timeout", "memory"], tooLarge, 2],
  ["text/html", ["memory", "cancelled"], cancelled, 2],
  ["text/html", ["cancelled"], cancelled, 1],
  ["application/pdf", ["timeout"], timedOut, 1],
  ["application/pdf", ["memory"], tooLarge, 1],
  ["application/pdf", ["cancelled"], cancelled, 1],
  ["application/pdf", [unreadable], broken, 1],
])("%s that is read as %j is a failure", async (type, answers, failure, times) => {
  const reader = readerOf(...answers);
  const thrown: unknown = await extract(type, "x", reader).catch((error: unknown) => error);

  expect(thrown).toMatchObject(failure);
  expect(reader.jobs).toHaveLength(times);
});

const tag = (text: string) =>
  text.replaceAll(/./g, (letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!));
const flag = (name: string) => `\u{1f3f4}${tag(name)}\u{e007f}`;
const removed = expect.objectContaining({ what: "hidden characters" }) as object;

test.each([
  ["a\r\nb\rc\n\td", "a\nbc\n\td", false],
  ["a\u0000\u001b\u007f\u0085b", "ab", false],
  ["a\u202ab\u202ec\u2066d\u2069e", "abcde", true],
  ["a\u200bb\u2029c", "a\u200bb\u2029c", false],
  [`a${tag("obey")}b`, "ab", true],
  [
    `${flag("gbeng")}${flag("gbsct")}${flag("gbwls")}`,
    `${flag("gbeng")}${flag("gbsct")}${flag("gbwls")}`,
    false,
  ],
  [`${flag("gbeng")} ${tag("x")}`, `${flag("gbeng")} `, true],
  [`${tag("x")} ${flag("gbwls")}`, ` ${flag("gbwls")}`, true],
  [flag("gbnir"), "\u{1f3f4}", true],
])("of the text %j, %j is given (hidden: %s)", async (given, text, isHidden) => {
  expect(await extract("text/plain", given)).toMatchObject({ text, omitted: isHidden ? [removed] : [] });
});
