import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createReadFile } from "@toolmount/tool-filesystem";
import { expect, test } from "vitest";
import { scratch } from "./scratch.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

function reader(files: Record<string, string | Buffer>, settings: object = {}) {
  const folder = scratch(files);
  return { folder, read: createReadFile({ working_dir: folder.base, ...settings }) };
}

test("AMP-21, AMP-28, APTIX-77: read_file shows numbered lines and reports where they stand", async () => {
  const { read } = reader({ "a.txt": "one\ntwo\nthree\n" });

  expect(await read.execute({ file_path: "a.txt" })).toEqual({
    tool: "read_file",
    fetchedAt: expect.any(String),
    data: {
      file_path: "a.txt",
      content: "     1\tone\n     2\ttwo\n     3\tthree",
      total_lines: 3,
      lines_read: 3,
      offset: 1,
    },
  });
});

test("an absolute path inside the roots is read too", async () => {
  const { folder, read } = reader({ "a.txt": "one" });
  const { data } = await read.execute({ file_path: folder.path("a.txt") });

  expect(data).toMatchObject({ content: "     1\tone" });
});

test("a page begins at its offset, and reports where the next one begins", async () => {
  const { read } = reader({ "a.txt": "1\n2\n3\n4\n5\n" });

  expect((await read.execute({ file_path: "a.txt", offset: 2, limit: 2 })).data).toEqual({
    file_path: "a.txt",
    content: "     2\t2\n     3\t3",
    total_lines: 5,
    lines_read: 2,
    offset: 2,
    next_offset: 4,
  });
  const last = await read.execute({ file_path: "a.txt", offset: 4, limit: 2 });
  expect(last.data).not.toHaveProperty("next_offset");
});

test("a page that begins behind the end is empty and says so", async () => {
  const { read } = reader({ "a.txt": "1\n2\n" });
  const result = await read.execute({ file_path: "a.txt", offset: 9 });

  expect(result).toMatchObject({
    data: { content: "", total_lines: 2, lines_read: 0, offset: 9 },
    warnings: ["the file ends at line 2, before offset 9"],
  });
});

test("a page is at most 2000 lines unless more are asked for", async () => {
  const { read } = reader({ "a.txt": "x\n".repeat(3000) });

  expect((await read.execute({ file_path: "a.txt" })).data).toMatchObject({
    lines_read: 2000,
    next_offset: 2001,
  });
  expect((await read.execute({ file_path: "a.txt", limit: 9000 })).data).toMatchObject({ lines_read: 3000 });
});

test("the ends of long lines are counted", async () => {
  const { read } = reader({ "a.txt": `${"x".repeat(2_003)}\n${"y".repeat(2_001)}\n` });

  expect((await read.execute({ file_path: "a.txt" })).omitted).toMatchObject([
    { what: "the ends of long lines", amount: "4 characters" },
  ]);
});

test("a page ends at a whole line when the output limit is reached", async () => {
  const { read } = reader({ "a.txt": "0123456789\n".repeat(100) }, { max_output_bytes: 100 });
  const result = await read.execute({ file_path: "a.txt" });

  expect(result).toMatchObject({
    data: { lines_read: 5, next_offset: 6, total_lines: 100 },
    omitted: [
      {
        what: "the lines from 6 on",
        amount: "95 lines",
        why: "the page has no room for more",
        how: "read_file with offset 6",
      },
    ],
  });
});

test("a line of more than 2000 characters is cut and says how its rest is read", async () => {
  const { read } = reader({ "a.txt": `${"x".repeat(2001)}\n${"y".repeat(2000)}\n` });
  const { data } = await read.execute({ file_path: "a.txt" });
  const [first, second] = (data as { content: string }).content.split("\n");

  expect(first).toBe(`     1\t${"x".repeat(2000)}... [1 more characters: offset 1, column 2001]`);
  expect(second).toBe(`     2\t${"y".repeat(2000)}`);
  expect(await read.execute({ file_path: "a.txt", column: 2001 })).toMatchObject({
    data: { content: "     1\tx", next_offset: 2 },
  });
});

test("an empty file is read with the original's warning", async () => {
  const { read } = reader({ "a.txt": "" });

  expect((await read.execute({ file_path: "a.txt" })).data).toMatchObject({
    content: "",
    total_lines: 0,
    lines_read: 0,
    warning: "File exists but has empty contents",
  });
});

test("line ends of Windows are not shown", async () => {
  const { read } = reader({ "a.txt": "one\r\ntwo\r\n" });

  expect((await read.execute({ file_path: "a.txt" })).data).toMatchObject({
    content: "     1\tone\n     2\ttwo",
  });
});

test.each([
  { title: "UTF-8 with a mark", bytes: Buffer.from("\ufeffgr\u00fc\u00df\n"), encoding: undefined },
  {
    title: "UTF-16 of Windows",
    bytes: Buffer.from("\ufeffgr\u00fc\u00df\n", "utf16le"),
    encoding: "utf-16le",
  },
  {
    title: "UTF-16 the other way",
    bytes: Buffer.from("\ufeffgr\u00fc\u00df\n", "utf16le").swap16(),
    encoding: "utf-16be",
  },
  { title: "Latin-1", bytes: Buffer.from("gr\u00fc\u00df\n", "latin1"), encoding: "latin1" },
])("$title is read as text", async ({ bytes, encoding }) => {
  const { read } = reader({ "a.txt": bytes });
  const { data, warnings } = await read.execute({ file_path: "a.txt" });

  expect(data).toMatchObject({
    content: "     1\tgr\u00fc\u00df",
    ...(encoding === undefined ? {} : { encoding }),
  });
  expect(warnings).toEqual(
    encoding === "latin1" ? ["the file is not UTF-8; it was read as Latin-1"] : undefined,
  );
});

test.each([
  { title: "a binary", bytes: Buffer.from([1, 0, 2]), mime: "application/octet-stream" },
  { title: "a program", bytes: Buffer.from("\x7fELF\0\0", "latin1"), mime: "application/x-elf" },
  { title: "a PDF", bytes: Buffer.from("%PDF-1.7\0"), mime: "application/pdf" },
  { title: "text with a NUL", bytes: Buffer.from("text\0text"), mime: "application/octet-stream" },
])("$title is described, not shown as text", async ({ bytes, mime }) => {
  const { read } = reader({ file: bytes });
  const result = await read.execute({ file_path: "file" });

  expect(result.data).toEqual({
    file_path: "file",
    content: `Binary file (${mime}, ${bytes.length} bytes), not shown as text`,
    is_binary: true,
    mime_type: mime,
    bytes: bytes.length,
  });
  expect(result.content).toBeUndefined();
});

test("an image stands beside the answer, for models that can look", async () => {
  const { read } = reader({ "a.png": png });
  const result = await read.execute({ file_path: "a.png" });

  expect(result).toMatchObject({
    data: { is_binary: true, mime_type: "image/png", bytes: png.length },
    content: [{ type: "image", data: png.toString("base64"), mimeType: "image/png" }],
  });
});

test("an image over the limit is only described", async () => {
  const { read } = reader({ "a.png": png }, { max_image_bytes: 10 });
  const result = await read.execute({ file_path: "a.png" });

  expect(result.data).toMatchObject({ mime_type: "image/png" });
  expect(result.content).toBeUndefined();
});

test("a folder is answered with its entries, folders first", async () => {
  const { folder, read } = reader({ "d/b.txt": "", "d/a.txt": "", "d/sub/x": "" });
  symlinkSync("a.txt", folder.path("d/link"));

  expect((await read.execute({ file_path: "d" })).data).toEqual({
    file_path: "d",
    content: "DIR  sub\nFILE a.txt\nFILE b.txt\nLINK link",
    is_directory: true,
    entry_count: 4,
  });
});

test.each([
  { title: "nothing", params: {}, error: "file_path is required" },
  { title: "an empty path", params: { file_path: "" }, error: "file_path is required" },
  {
    title: "an offset of zero",
    params: { file_path: "a", offset: 0 },
    error: expect.stringContaining("offset"),
  },
  {
    title: "a negative offset",
    params: { file_path: "a", offset: -5 },
    error: expect.stringContaining("offset"),
  },
  { title: "a limit of zero", params: { file_path: "a", limit: 0 }, error: expect.stringContaining("limit") },
  {
    title: "an offset as text",
    params: { file_path: "a", offset: "2" },
    error: expect.stringContaining("offset"),
  },
  { title: "a path that is a number", params: { file_path: 7 }, error: expect.stringContaining("file_path") },
  {
    title: "an argument that is not declared",
    params: { path: "a", file_path: "a" },
    error: expect.stringContaining("path"),
  },
])("AMP-12, APTIX-77: $title is refused", async ({ params, error }) => {
  const { read } = reader({ a: "a" });

  expect(await read.execute(params)).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
});

test.each([
  { path: "nope.txt", error: "Path not found: nope.txt", code: "NOT_FOUND" },
  { path: "a.txt/x", error: "Path not found: a.txt/x", code: "NOT_FOUND" },
  { path: "../x", error: "Access denied: ../x is not within allowed read paths", code: "ACCESS_DENIED" },
  {
    path: "/etc/passwd",
    error: "Access denied: /etc/passwd is not within allowed read paths",
    code: "ACCESS_DENIED",
  },
  { path: "a\0b", error: "Invalid path: it contains a NUL character", code: "INVALID_PATH" },
  {
    path: "@docs:intro.md",
    error: "@mention paths require mention_resolver capability (not available)",
    code: "MENTION_UNAVAILABLE",
  },
])("AMP-21, APTIX-77: $path fails with $code", async ({ path, error, code }) => {
  const { read } = reader({ "a.txt": "a" });

  expect(await read.execute({ file_path: path })).toMatchObject({ error, code });
});

test.each([
  { asked: "README.MD", near: "readme.md" },
  { asked: "src/index.js", near: "src/index.ts" },
  { asked: "./caf\u00e9.txt", near: "cafe\u0301.txt" },
])("a name that is nearly there is reported: $asked", async ({ asked, near }) => {
  const { read } = reader({ "readme.md": "", "src/index.ts": "", "cafe\u0301.txt": "" });
  const { error, code } = await read.execute({ file_path: asked });

  expect(code).toBe("NOT_FOUND");
  expect(error).toBe(`Path not found: ${asked} (did you mean ${near}?)`);
});

test("a file whose name is no UTF-8 is said to be one that a command can read", async () => {
  const { folder, read } = reader({});
  writeFileSync(Buffer.from(folder.path("caf\xe9.txt"), "latin1"), "x");

  expect(await read.execute({ file_path: "caf\ufffd.txt" })).toMatchObject({
    error: "caf\ufffd.txt cannot be read by its name, which is not UTF-8; a command can",
    code: "NOT_FOUND",
  });
});

test("a file over the limit is refused before it is read", async () => {
  const { read } = reader({ "a.txt": "x".repeat(11) }, { max_read_bytes: 10 });

  expect(await read.execute({ file_path: "a.txt" })).toMatchObject({
    error: "File too large: a.txt has 11 bytes, the limit is 10; look for the part you need with grep",
    code: "FILE_TOO_LARGE",
    details: { bytes: 11, maxBytes: 10 },
  });
});

test("a name that only begins with @ is a name", async () => {
  const { read } = reader({ "@types/node.d.ts": "declare" });

  expect((await read.execute({ file_path: "@types/node.d.ts" })).data).toMatchObject({ total_lines: 1 });
});

test("a mention leads where the host says, and no further than the roots", async () => {
  const folder = scratch({ "docs/intro.md": "hello" });
  const paths: Record<string, string> = {
    "@docs:intro.md": folder.path("docs/intro.md"),
    "@docs:out": "/etc/passwd",
  };
  const resolveMention = () => (mention: string) => paths[mention] ?? null;
  const read = createReadFile({ working_dir: folder.base }, { resolveMention });

  expect((await read.execute({ file_path: "@docs:intro.md" })).data).toMatchObject({
    content: "     1\thello",
  });
  expect(await read.execute({ file_path: "@docs:out" })).toMatchObject({ code: "ACCESS_DENIED" });
  expect(await read.execute({ file_path: "@docs:nope" })).toMatchObject({
    error: "@mention not found: @docs:nope",
  });
});

test("FORGE-30, FORGE-31, FORGE-N8: a read that was cancelled before opens nothing", async () => {
  const { read } = reader({ "a.txt": "a" });
  const result = await read.execute({ file_path: "nope" }, { abortSignal: AbortSignal.abort() });

  expect(result).toMatchObject({ error: "Request was cancelled", code: "CANCELLED" });
});

test("a folder that holds many entries says how many were left out", async () => {
  const { folder, read } = reader({});
  for (let at = 0; at < 1003; at++) mkdirSync(folder.path(`d${at}`));
  const result = await read.execute({ file_path: "." });

  expect(result).toMatchObject({
    data: { entry_count: 1003 },
    omitted: [{ what: "more entries of the folder", amount: "3 entries", how: "list_directory with offset" }],
  });
});

test("a path with a slash at its end names no file", async () => {
  const { read, folder } = reader({ "a.txt": "old" });

  expect(await read.execute({ file_path: "a.txt/" })).toMatchObject({ code: "NOT_A_DIRECTORY" });
  expect(folder.text("a.txt")).toBe("old");
});
