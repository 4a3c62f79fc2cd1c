import { symlinkSync } from "node:fs";
import { createListDirectory } from "@toolmount/tool-filesystem";
import { expect, test } from "vitest";
import { scratch } from "./scratch.ts";

function lister() {
  const folder = scratch({ "b.txt": "12345", "a.txt": "", "sub/x.txt": "x" });
  symlinkSync("sub", folder.path("link"));
  return { folder, list: createListDirectory({ working_dir: folder.base }) };
}

const entries = [
  { name: "sub", type: "directory" },
  { name: "a.txt", type: "file", bytes: 0 },
  { name: "b.txt", type: "file", bytes: 5 },
  { name: "link", type: "link" },
];

test("AMP-27, APTIX-77: list_directory reports names, types and sizes, folders first", async () => {
  const { list } = lister();

  expect((await list.execute({})).data).toEqual({ path: ".", entries, entry_count: 4 });
});

test("a page reports where the next one begins", async () => {
  const { list } = lister();
  const page = { path: ".", offset: 2, limit: 2 };

  expect((await list.execute(page)).data).toEqual({
    path: ".",
    entries: entries.slice(1, 3),
    entry_count: 4,
    next_offset: 4,
  });
});

test("a link inside is listed where it leads", async () => {
  const { list } = lister();

  expect((await list.execute({ path: "link" })).data).toMatchObject({ entries: [{ name: "x.txt" }] });
});

test.each([
  { path: "nope", error: "Path not found: nope", code: "NOT_FOUND" },
  { path: "a.txt", error: "Not a directory: a.txt", code: "NOT_A_DIRECTORY" },
  { path: "..", error: "Access denied: .. is not within allowed read paths", code: "ACCESS_DENIED" },
])("APTIX-77: $path fails with $code", async ({ path, error, code }) => {
  const { list } = lister();

  expect(await list.execute({ path })).toMatchObject({ error, code });
});

test.each([
  { params: { path: "" }, names: "path is required" },
  { params: { limit: 0 }, names: "limit" },
  { params: { limit: 5001 }, names: "limit" },
  { params: { offset: 0 }, names: "offset" },
  { params: { directory: "." }, names: "directory" },
])("APTIX-77: $params is refused by name", async ({ params, names }) => {
  const { list } = lister();
  const { code, error } = await list.execute(params);

  expect(code).toBe("INVALID_ARGUMENTS");
  expect(error).toContain(names);
});

test("FORGE-31: a listing that was cancelled before opens nothing", async () => {
  const { list } = lister();

  expect(await list.execute({ path: "nope" }, { abortSignal: AbortSignal.abort() })).toMatchObject({
    code: "CANCELLED",
  });
});
