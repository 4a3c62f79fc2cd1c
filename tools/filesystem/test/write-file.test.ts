import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { createReadFile, createWriteFile } from "@toolmount/tool-filesystem";
import { expect, test } from "vitest";
import { scratch, session } from "./scratch.ts";

function writer(files: Record<string, string> = {}, settings: object = {}) {
  const folder = scratch(files);
  const all = { working_dir: folder.base, ...settings };
  return { folder, write: createWriteFile(all), read: createReadFile(all) };
}

test("AMP-21, APTIX-77: write_file writes a file and the folders above it", async () => {
  const { folder, write } = writer();
  const { data } = await write.execute({ file_path: "a/b/c.txt", content: "gr\u00fc\u00df\n" });

  expect(data).toEqual({ file_path: "a/b/c.txt", bytes: 7 });
  expect(folder.text("a/b/c.txt")).toBe("gr\u00fc\u00df\n");
});

test("what was there is replaced, with its permissions kept and nothing left beside it", async () => {
  const { folder, write } = writer({ "a.sh": "old" });
  chmodSync(folder.path("a.sh"), 0o750);
  await write.execute({ file_path: "a.sh", content: "new" });

  expect(folder.text("a.sh")).toBe("new");
  expect(statSync(folder.path("a.sh")).mode & 0o777).toBe(0o750);
  expect(readdirSync(folder.base)).toEqual(["a.sh"]);
});

test("an empty content makes an empty file, when it is said", async () => {
  const { folder, write } = writer({ "a.txt": "old" });
  const { data } = await write.execute({ file_path: "a.txt", content: "" });

  expect(data).toEqual({ file_path: "a.txt", bytes: 0 });
  expect(folder.text("a.txt")).toBe("");
});

test.each([
  { title: "no path", params: { content: "x" }, error: "file_path is required" },
  { title: "an empty path", params: { file_path: "", content: "x" }, error: "file_path is required" },
  { title: "no content", params: { file_path: "a.txt" }, error: "content is required" },
  {
    title: "content that is no text",
    params: { file_path: "a.txt", content: 1 },
    error: expect.stringContaining("content"),
  },
  {
    title: "an argument that is not declared",
    params: { file_path: "a", content: "", mode: 1 },
    error: expect.stringContaining("mode"),
  },
])("AMP-12, APTIX-77: $title is refused, and nothing is written", async ({ params, error }) => {
  const { folder, write } = writer({ "a.txt": "old" });

  expect(await write.execute(params)).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
  expect(folder.text("a.txt")).toBe("old");
});

test.each([
  { path: "sub", error: "Cannot write to directory: sub", code: "IS_A_DIRECTORY" },
  { path: "../x", error: "Access denied: ../x is not within allowed write paths", code: "ACCESS_DENIED" },
  {
    path: "read-only/x",
    error: "Access denied: read-only/x is not within allowed write paths",
    code: "ACCESS_DENIED",
  },
  {
    path: "sub/keep/x",
    error: "Access denied: sub/keep/x is within denied directories",
    code: "ACCESS_DENIED",
  },
  { path: "sub/a.txt/x", error: "Not a directory: sub/a.txt/x", code: "NOT_A_DIRECTORY" },
  { path: `sub/${"n".repeat(300)}`, error: "Invalid path: a name in it is too long", code: "INVALID_PATH" },
])("AMP-21, APTIX-77: $path fails with $code", async ({ path, error, code }) => {
  const { folder, write } = writer(
    { "sub/a.txt": "a", "read-only/a.txt": "a" },
    { allowed_write_paths: ["sub"], denied_write_paths: ["sub/keep"] },
  );
  mkdirSync(folder.path("sub/keep"));

  expect(await write.execute({ file_path: path, content: "x" })).toMatchObject({ error, code });
});

test("content over the limit is refused before anything is written", async () => {
  const { folder, write } = writer({}, { max_write_bytes: 3 });

  expect(await write.execute({ file_path: "a.txt", content: "\u00fc\u00fc" })).toMatchObject({
    code: "FILE_TOO_LARGE",
    details: { bytes: 4, maxBytes: 3 },
  });
  expect(readdirSync(folder.base)).toEqual([]);
});

test("half a character is refused, not written as something else", async () => {
  const { write } = writer();

  expect(await write.execute({ file_path: "a.txt", content: "a\ud800" })).toMatchObject({
    code: "ENCODING_UNFIT",
  });
});

test("a file that changed since the session read it is not written over", async () => {
  const { folder, write, read } = writer({ "a.txt": "first" });
  const context = { session: session() };
  await read.execute({ file_path: "a.txt" }, context);
  folder.put("a.txt", "other");

  expect(await write.execute({ file_path: "a.txt", content: "mine" }, context)).toMatchObject({
    error: "File was changed since it was last read: a.txt. Read it again, then repeat the change.",
    code: "FILE_CHANGED",
  });
  await read.execute({ file_path: "./a.txt" }, context);
  expect((await write.execute({ file_path: "a.txt", content: "mine" }, context)).data).toBeDefined();
  expect(folder.text("a.txt")).toBe("mine");
});

test("what a session wrote itself it knows; another session does not mind", async () => {
  const { folder, write } = writer();
  const [mine, other] = [{ session: session() }, { session: session() }];
  await write.execute({ file_path: "a.txt", content: "1" }, mine);
  await write.execute({ file_path: "a.txt", content: "2" }, mine);
  await write.execute({ file_path: "a.txt", content: "3" }, other);

  expect(await write.execute({ file_path: "a.txt", content: "4" }, mine)).toMatchObject({
    code: "FILE_CHANGED",
  });
  expect(folder.text("a.txt")).toBe("3");
});

test("a file that was read and is gone may be written again", async () => {
  const { folder, write, read } = writer({ "a.txt": "first" });
  const context = { session: session() };
  await read.execute({ file_path: "a.txt" }, context);
  rmSync(folder.path("a.txt"));

  expect((await write.execute({ file_path: "a.txt", content: "new" }, context)).data).toBeDefined();
});

test("where a host asks for it, a file must be read before it is written over", async () => {
  const { write, read } = writer({ "a.txt": "first" }, { read_before_write: true });
  const context = { session: session() };
  const params = { file_path: "a.txt", content: "new" };

  expect(await write.execute(params, context)).toMatchObject({ code: "NOT_READ" });
  expect((await write.execute({ ...params, file_path: "new.txt" }, context)).data).toBeDefined();
  await read.execute({ file_path: "a.txt" }, context);
  expect((await write.execute(params, context)).data).toBeDefined();
});

test("of many writes of one file at once the last wins, whole", async () => {
  const { folder, write } = writer();
  const texts = Array.from({ length: 30 }, (_, at) => String(at % 10).repeat(20_000));
  await Promise.all(texts.map((content) => write.execute({ file_path: "a.txt", content })));

  expect(folder.text("a.txt")).toBe(texts.at(-1));
});

test("FORGE-30, FORGE-31: a write that was cancelled before writes nothing", async () => {
  const { folder, write } = writer();
  const context = { abortSignal: AbortSignal.abort() };

  expect(await write.execute({ file_path: "a.txt", content: "x" }, context)).toMatchObject({
    code: "CANCELLED",
  });
  expect(readdirSync(folder.base)).toEqual([]);
});

test("a write that is cancelled while it runs leaves the old file whole", async () => {
  const { folder, write } = writer({ "a.txt": "old" });
  const caller = new AbortController();
  const running = write.execute(
    { file_path: "a.txt", content: "x".repeat(5_000_000) },
    { abortSignal: caller.signal },
  );
  caller.abort();

  expect(await running).toMatchObject({ error: "Request was cancelled" });
  expect(folder.text("a.txt")).toBe("old");
  expect(readdirSync(folder.base)).toEqual(["a.txt"]);
});

test("working_dir must be absolute where no host reports the plan's folder", () => {
  expect(() => createWriteFile({ working_dir: "." })).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID" }),
  );
  expect(() => createWriteFile({})).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});

test("a path with a slash at its end names no file", async () => {
  const { write, folder } = writer({ "a.txt": "old" });

  expect(await write.execute({ file_path: "a.txt/", content: "x" })).toMatchObject({
    code: "NOT_A_DIRECTORY",
  });
  expect(await write.execute({ file_path: "new/", content: "x" })).toMatchObject({ code: "NOT_A_DIRECTORY" });
  expect(readdirSync(folder.base)).toEqual(["a.txt"]);
  expect(folder.text("a.txt")).toBe("old");
});

test.each([
  ["byte order mark and CRLF", Buffer.from("\ufeffa\r\nb\r\n"), "a\nc\n", Buffer.from("\ufeffa\r\nc\r\n")],
  ["UTF-16", Buffer.from("\ufeffa\n", "utf16le"), "b\n", Buffer.from("\ufeffb\n", "utf16le")],
  ["Latin-1", Buffer.from("caf\u00e9\n", "latin1"), "th\u00e9\n", Buffer.from("th\u00e9\n", "latin1")],
])(
  "a file that is written again keeps its %s, and the answer says so",
  async (_title, before, content, after) => {
    const { folder, write } = writer();
    folder.put("a.txt", before);
    const { warnings } = await write.execute({ file_path: "a.txt", content });

    expect(folder.bytes("a.txt")).toEqual(after);
    expect(warnings).toEqual([
      expect.stringMatching(/^the file keeps its .*; to write it without, delete it first$/),
    ]);
  },
);

test.each([
  ["mixed line ends", "a\r\nb\n", "c\nd\n", "c\nd\n"],
  ["content that has CRLF itself", "a\r\n", "b\r\nc\r\n", "b\r\nc\r\n"],
  ["one line without an end", "a", "b\nc\n", "b\nc\n"],
])("a file with %s gets the content as it is", async (_title, before, content, after) => {
  const { folder, write } = writer({ "a.txt": before });

  expect(await write.execute({ file_path: "a.txt", content })).not.toHaveProperty("warnings");
  expect(folder.text("a.txt")).toBe(after);
});

test("characters that the old encoding does not have make the file UTF-8", async () => {
  const { folder, write } = writer();
  folder.put("a.txt", Buffer.from("caf\u00e9", "latin1"));

  expect(await write.execute({ file_path: "a.txt", content: "\u65e5\u672c" })).not.toHaveProperty("warnings");
  expect(folder.text("a.txt")).toBe("\u65e5\u672c");
});
