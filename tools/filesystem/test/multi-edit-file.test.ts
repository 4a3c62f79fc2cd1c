import { createMultiEditFile } from "@toolmount/tool-filesystem";
import { expect, test } from "vitest";
import { scratch } from "./scratch.ts";

function editor(files: Record<string, string>) {
  const folder = scratch(files);
  return { folder, edit: createMultiEditFile({ working_dir: folder.base }) };
}

test("APTIX-77: multi_edit_file makes its replacements one after the other", async () => {
  const { folder, edit } = editor({ "a.txt": "one two one" });
  const edits = [
    { old_string: "one", new_string: "three", replace_all: true },
    { old_string: "two three", new_string: "!" },
  ];

  expect((await edit.execute({ file_path: "a.txt", edits })).data).toEqual({
    file_path: "a.txt",
    edits_applied: 2,
    replacements_made: 3,
    bytes_written: 7,
  });
  expect(folder.text("a.txt")).toBe("three !");
});

test("when one cannot be made none is, and the error says which", async () => {
  const { folder, edit } = editor({ "a.txt": "one two" });
  const edits = [
    { old_string: "one", new_string: "1" },
    { old_string: "one", new_string: "again" },
  ];

  expect(await edit.execute({ file_path: "a.txt", edits })).toMatchObject({
    error: "edit 2: old_string not found in file: a.txt; nothing was changed",
    code: "TEXT_NOT_FOUND",
    details: { edit: 2, old_string: "one" },
  });
  expect(folder.text("a.txt")).toBe("one two");
});

test("a text that is not unique names its edit too", async () => {
  const { edit } = editor({ "a.txt": "one one" });
  const edits = [{ old_string: "one", new_string: "1" }];

  expect(await edit.execute({ file_path: "a.txt", edits })).toMatchObject({
    code: "TEXT_NOT_UNIQUE",
    details: { edit: 1, occurrences: 2 },
  });
});

test.each([
  { title: "no edits", params: { file_path: "a.txt" }, error: "edits is required" },
  { title: "an empty list", params: { file_path: "a.txt", edits: [] }, error: "edits is required" },
  {
    title: "an edit without a new text",
    params: { file_path: "a.txt", edits: [{ old_string: "one" }] },
    error: "new_string is required",
  },
  {
    title: "an edit that changes nothing",
    params: { file_path: "a.txt", edits: [{ old_string: "one", new_string: "one" }] },
    error: "must be different",
  },
])("APTIX-77: $title is refused", async ({ params, error }) => {
  const { edit } = editor({ "a.txt": "one" });
  const result = await edit.execute(params);

  expect(result.code).toBe("INVALID_ARGUMENTS");
  expect(result.error).toContain(error);
});

test.each([
  { path: "nope", error: "File not found: nope" },
  { path: "../x", error: "Access denied: ../x is not within allowed write paths" },
])("APTIX-77: $path fails as it does with edit_file", async ({ path, error }) => {
  const { edit } = editor({});
  const edits = [{ old_string: "one", new_string: "two" }];

  expect(await edit.execute({ file_path: path, edits })).toMatchObject({ error });
});

test("FORGE-31: edits that were cancelled before change nothing", async () => {
  const { folder, edit } = editor({ "a.txt": "one" });
  const params = { file_path: "a.txt", edits: [{ old_string: "one", new_string: "two" }] };

  expect(await edit.execute(params, { abortSignal: AbortSignal.abort() })).toMatchObject({
    code: "CANCELLED",
  });
  expect(folder.text("a.txt")).toBe("one");
});
