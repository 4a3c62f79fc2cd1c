import { statSync, chmodSync } from "node:fs";
import { createEditFile, createReadFile } from "@toolmount/tool-filesystem";
import { expect, test } from "vitest";
import { scratch, session } from "./scratch.ts";

function editor(files: Record<string, string | Buffer>, settings: object = {}) {
  const folder = scratch(files);
  const all = { working_dir: folder.base, ...settings };
  return { folder, edit: createEditFile(all), read: createReadFile(all) };
}

test("AMP-21, APTIX-77: edit_file replaces one text and reports what it did", async () => {
  const { folder, edit } = editor({ "a.txt": "one two three\n" });
  const { data } = await edit.execute({ file_path: "a.txt", old_string: "two", new_string: "2" });

  expect(data).toEqual({ file_path: "a.txt", replacements_made: 1, bytes_written: 12 });
  expect(folder.text("a.txt")).toBe("one 2 three\n");
});

test("all occurrences are replaced when that is asked for, and text can be taken out", async () => {
  const { folder, edit } = editor({ "a.txt": "aXbXc" });
  const params = { file_path: "a.txt", old_string: "X", new_string: "", replace_all: true };

  expect((await edit.execute(params)).data).toMatchObject({ replacements_made: 2 });
  expect(folder.text("a.txt")).toBe("abc");
});

test.each(["$&", "$1", "$$", "$`", "\\1", "\\n"])("%s is text, not a pattern", async (strange) => {
  const { folder, edit } = editor({ "a.txt": "a(.*)b" });
  await edit.execute({ file_path: "a.txt", old_string: "(.*)", new_string: strange });

  expect(folder.text("a.txt")).toBe(`a${strange}b`);
});

test.each([
  { title: "UTF-8 with a mark", bytes: Buffer.from("\ufeff\u00fc=1"), after: Buffer.from("\ufeff\u00e4=1") },
  {
    title: "UTF-16",
    bytes: Buffer.from("\ufeff\u00fc=1", "utf16le"),
    after: Buffer.from("\ufeff\u00e4=1", "utf16le"),
  },
  {
    title: "UTF-16 the other way",
    bytes: Buffer.from("\ufeff\u00fc=1", "utf16le").swap16(),
    after: Buffer.from("\ufeff\u00e4=1", "utf16le").swap16(),
  },
  { title: "Latin-1", bytes: Buffer.from("\u00fc=1", "latin1"), after: Buffer.from("\u00e4=1", "latin1") },
])("$title stays what it is", async ({ bytes, after }) => {
  const { folder, edit } = editor({ "a.txt": bytes });
  await edit.execute({ file_path: "a.txt", old_string: "\u00fc", new_string: "\u00e4" });

  expect(folder.bytes("a.txt")).toEqual(after);
});

test("line ends of Windows are found by plain ones, and kept", async () => {
  const { folder, edit } = editor({ "a.txt": "one\r\ntwo\r\nthree\r\n" });
  await edit.execute({ file_path: "a.txt", old_string: "one\ntwo", new_string: "1\n1.5\n2" });

  expect(folder.text("a.txt")).toBe("1\r\n1.5\r\n2\r\nthree\r\n");
});

test("in a file of mixed line ends only what was asked for changes", async () => {
  const { folder, edit } = editor({ "a.txt": "one\r\ntwo\nthree\n" });
  await edit.execute({ file_path: "a.txt", old_string: "two\nthree", new_string: "2\n3" });

  expect(folder.text("a.txt")).toBe("one\r\n2\n3\n");
});

test("an old text of any length is found, and looked for in steps of its own length", async () => {
  const long = `${"(a+)+".repeat(20_000)}\r\n`;
  const { folder, edit } = editor({ "a.txt": `one\r\n${long}end\r\n`, "b.txt": "x\n".repeat(150_000) });
  const { data } = await edit.execute({ file_path: "a.txt", old_string: long, new_string: "2\r\n" });
  const { code } = await edit.execute({
    file_path: "b.txt",
    old_string: "x\n".repeat(5000) + "y",
    new_string: "",
  });

  expect(data).toMatchObject({ replacements_made: 1 });
  expect(folder.text("a.txt")).toBe("one\r\n2\r\nend\r\n");
  expect(code).toBe("TEXT_NOT_FOUND");
});

test("permissions are kept", async () => {
  const { folder, edit } = editor({ "a.sh": "one" });
  chmodSync(folder.path("a.sh"), 0o755);
  await edit.execute({ file_path: "a.sh", old_string: "one", new_string: "two" });

  expect(statSync(folder.path("a.sh")).mode & 0o777).toBe(0o755);
});

const whole = { file_path: "a.txt", old_string: "one", new_string: "two" };

test.each([
  { title: "no path", params: { ...whole, file_path: undefined }, error: "file_path is required" },
  { title: "no old text", params: { file_path: "a.txt", new_string: "x" }, error: "old_string is required" },
  { title: "an empty old text", params: { ...whole, old_string: "" }, error: "old_string is required" },
  {
    title: "no new text",
    params: { file_path: "a.txt", old_string: "one" },
    error: "new_string is required",
  },
  {
    title: "the same text twice",
    params: { ...whole, new_string: "one" },
    error: "old_string and new_string must be different (no changes to make)",
  },
])("AMP-12, APTIX-77: $title is refused in the original's words", async ({ params, error }) => {
  const { edit } = editor({ "a.txt": "one" });

  expect(await edit.execute(params)).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
});

test.each([
  {
    title: "a folder",
    params: { ...whole, file_path: "sub" },
    error: "Cannot edit directory: sub",
    code: "IS_A_DIRECTORY",
  },
  {
    title: "no file",
    params: { ...whole, file_path: "nope" },
    error: "File not found: nope",
    code: "NOT_FOUND",
  },
  {
    title: "a path outside",
    params: { ...whole, file_path: "../x" },
    error: "Access denied: ../x is not within allowed write paths",
    code: "ACCESS_DENIED",
  },
  {
    title: "a denied path",
    params: { ...whole, file_path: "keep/a.txt" },
    error: "Access denied: keep/a.txt is within denied directories",
    code: "ACCESS_DENIED",
  },
  {
    title: "a text that is not there",
    params: { ...whole, old_string: "nope" },
    error: "old_string not found in file: a.txt",
    code: "TEXT_NOT_FOUND",
    details: { old_string: "nope" },
  },
  {
    title: "a text with the line numbers of read_file",
    params: { ...whole, old_string: "     1\tone" },
    error: "old_string not found in file: a.txt",
    code: "TEXT_NOT_FOUND",
    details: { hint: "leave the line numbers of read_file out" },
  },
  {
    title: "a text that is there twice",
    params: { ...whole, file_path: "twice.txt" },
    error:
      "old_string appears 2 times in file. Either provide more context to make it unique or set replace_all=true",
    code: "TEXT_NOT_UNIQUE",
    details: { occurrences: 2 },
  },
  {
    title: "a binary",
    params: { ...whole, file_path: "binary" },
    error: "Cannot read file: binary (not a text file or encoding issue)",
    code: "NOT_TEXT",
  },
])("AMP-21, APTIX-77: $title fails with $code", async ({ params, error, code, details }) => {
  const files = {
    "a.txt": "one",
    "twice.txt": "one one",
    binary: Buffer.from([0, 1]),
    "keep/a.txt": "one",
    "sub/x": "",
  };
  const { folder, edit } = editor(files, { denied_write_paths: ["keep"] });

  expect(await edit.execute(params)).toMatchObject({
    error,
    code,
    ...(details === undefined ? {} : { details }),
  });
  expect(folder.text("a.txt")).toBe("one");
  expect(folder.text("twice.txt")).toBe("one one");
});

test("a character that the file's encoding lacks is refused", async () => {
  const { folder, edit } = editor({ "a.txt": Buffer.from("\u00fc", "latin1") });
  const params = { file_path: "a.txt", old_string: "\u00fc", new_string: "\u20ac" };

  expect(await edit.execute(params)).toMatchObject({ code: "ENCODING_UNFIT" });
  expect(folder.bytes("a.txt")).toEqual(Buffer.from("\u00fc", "latin1"));
});

test("an edit that would make the file too large is refused", async () => {
  const { edit } = editor({ "a.txt": "aa" }, { max_write_bytes: 10 });
  const params = { file_path: "a.txt", old_string: "a", new_string: "x".repeat(9), replace_all: true };

  expect(await edit.execute(params)).toMatchObject({ code: "FILE_TOO_LARGE" });
});

test("a file that changed since the session read it is not edited, even in the same moment and of the same size", async () => {
  const { folder, edit, read } = editor({ "a.txt": "one\n---\n" });
  const context = { session: session() };
  await read.execute({ file_path: "a.txt" }, context);
  folder.put("a.txt", "one\n+++\n");

  expect(await edit.execute(whole, context)).toMatchObject({ code: "FILE_CHANGED" });
  expect(folder.text("a.txt")).toBe("one\n+++\n");
});

test("edits of one file at once are made one after the other, and none is lost", async () => {
  const { folder, edit } = editor({ "a.txt": Array.from({ length: 30 }, (_, at) => `<${at}>`).join("\n") });
  const context = { session: session() };
  const edits = Array.from({ length: 30 }, (_, at) =>
    edit.execute({ file_path: "a.txt", old_string: `<${at}>`, new_string: `[${at}]` }, context),
  );

  for (const result of await Promise.all(edits)) expect(result).toHaveProperty("data");
  expect(folder.text("a.txt")).not.toContain("<");
});

test("what may be written but not read is not edited: an edit would tell what is in it", async () => {
  const settings = { allowed_read_paths: ["docs"], allowed_write_paths: ["out"] };
  const { edit } = editor({ "out/a.txt": "one", "docs/a.txt": "" }, settings);

  expect(await edit.execute({ ...whole, file_path: "out/a.txt" })).toMatchObject({
    error: "Access denied: out/a.txt is not within allowed read paths",
  });
});

test("FORGE-31: an edit that was cancelled before changes nothing", async () => {
  const { folder, edit } = editor({ "a.txt": "one" });

  expect(await edit.execute(whole, { abortSignal: AbortSignal.abort() })).toMatchObject({
    code: "CANCELLED",
  });
  expect(folder.text("a.txt")).toBe("one");
});

test.each([
  ["line ends of any kind", "a\r\nb\nc\r\n", "a\nb\nc", "1\n2", "1\r\n2\r\n"],
  ["CRLF for a file of LF", "a\nb\n", "a\r\nb", "1\n2", "1\n2\n"],
  ["a new line in a line of a CRLF file", "a\r\nb\r\n", "a", "1\n2", "1\r\n2\r\nb\r\n"],
  ["CRLF that becomes LF", "a\r\nb\r\n", "a\r\nb", "a\nb", "a\nb\r\n"],
  ["signs of regular expressions", "a-b/[c].*\n", "-b/[c].*", "$&x", "a$&x\n"],
])("an edit is found as read_file shows it: %s", async (_title, before, old_string, new_string, after) => {
  const folder = scratch({ "a.txt": before });
  const edit = createEditFile({ working_dir: folder.base });

  expect(await edit.execute({ file_path: "a.txt", old_string, new_string })).not.toHaveProperty("error");
  expect(folder.text("a.txt")).toBe(after);
});

test.each([
  ["cafe\u0301 au lait", "caf\u00e9 au lait", "it differs in the normal form of accents"],
  ["say \u201chello\u201d", 'say "hello"', "it differs in quotes and dashes"],
  ["\tif (x) {\n\t\treturn", "    if (x) {\n        return", "it differs in blanks"],
  ["zero\u200bwidth", "zerowidth", "it differs in invisible characters"],
  ["Hello World", "hello world", "it differs in upper and lower case"],
  ["one\ntwo\nthree", "one\ntwo\nfour", "its line 3 is other than line 3 of old_string"],
])("an edit of %j by %j names the nearest text: %s", async (there, old_string, hint) => {
  const folder = scratch({ "a.txt": `first\n${there}\nlast\n` });
  const edit = createEditFile({ working_dir: folder.base });

  expect(await edit.execute({ file_path: "a.txt", old_string, new_string: "x" })).toMatchObject({
    error: `old_string not found in file: a.txt; line 2 is near: ${hint}`,
    details: { line: 2, near: there, hint },
  });
});
