import { existsSync, linkSync, readdirSync, symlinkSync } from "node:fs";
import { createCreateDirectory, createDeleteFile, createMoveFile } from "@toolmount/tool-filesystem";
import { describe, expect, test } from "vitest";
import { scratch } from "./scratch.ts";

const cancelled = { abortSignal: AbortSignal.abort() };

describe("move_file", () => {
  test("APTIX-77: a file is moved, and missing folders are made", async () => {
    const { folder, move } = mover();
    const { data } = await move.execute({ source: "a.txt", destination: "new/deep/a.txt" });

    expect(data).toEqual({ source: "a.txt", destination: "new/deep/a.txt" });
    expect(folder.text("new/deep/a.txt")).toBe("a");
    expect(existsSync(folder.path("a.txt"))).toBe(false);
  });

  test("a folder is renamed with all in it", async () => {
    const { folder, move } = mover();
    await move.execute({ source: "sub", destination: "other" });

    expect(folder.text("other/c.txt")).toBe("c");
  });

  test("a file is replaced only when that is asked for", async () => {
    const { folder, move } = mover();
    const params = { source: "a.txt", destination: "b.txt" };

    expect(await move.execute(params)).toMatchObject({
      error: "Already exists: b.txt; choose another destination, or set overwrite=true for a file",
      code: "ALREADY_EXISTS",
    });
    expect((await move.execute({ ...params, overwrite: true })).data).toBeDefined();
    expect(folder.text("b.txt")).toBe("a");
  });

  test.each([
    { source: "nope", destination: "x", code: "NOT_FOUND" },
    { source: "a.txt", destination: "sub", code: "ALREADY_EXISTS" },
    { source: "link", destination: "x", code: "NOT_A_FILE" },
    { source: "a.txt", destination: "../x", code: "ACCESS_DENIED" },
    { source: "../x", destination: "x", code: "ACCESS_DENIED" },
    { source: ".", destination: "x", code: "ACCESS_DENIED" },
    { source: "a.txt", destination: "b.txt/x", code: "NOT_A_DIRECTORY" },
    { source: "sub", destination: "sub/new/sub", code: "OS_ERROR" },
    { source: "@docs:a", destination: "x", code: "MENTION_UNAVAILABLE" },
  ])("APTIX-77: $source to $destination fails with $code, and nothing moves", async ({ code, ...params }) => {
    const { folder, move } = mover();

    expect(await move.execute(params)).toMatchObject({ code });
    expect(readdirSync(folder.base).toSorted()).toEqual(["a.txt", "b.txt", "link", "sub"]);
  });

  test("moving a file onto its own hard link removes the old name, and needs overwrite", async () => {
    const { folder, move } = mover();
    linkSync(folder.path("a.txt"), folder.path("same.txt"));
    const params = { source: "a.txt", destination: "same.txt" };

    expect(await move.execute(params)).toMatchObject({ code: "ALREADY_EXISTS" });
    expect((await move.execute({ ...params, overwrite: true })).error).toBeUndefined();
    expect(existsSync(folder.path("a.txt"))).toBe(false);
    expect(folder.text("same.txt")).toBe("a");
  });

  test.each([
    { source: "a.txt/", destination: "x" },
    { source: "a.txt", destination: "x/" },
  ])("a path with a slash at its end names no file: $source to $destination", async (params) => {
    const { folder, move } = mover();

    expect(await move.execute(params)).toMatchObject({ code: "NOT_A_DIRECTORY" });
    expect(folder.text("a.txt")).toBe("a");
  });

  test.each([
    { params: { destination: "x" }, error: "source is required" },
    { params: { source: "x" }, error: "destination is required" },
  ])("APTIX-77: $error", async ({ params, error }) => {
    expect(await mover().move.execute(params)).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
  });

  test("FORGE-31: a move that was cancelled before moves nothing", async () => {
    const { folder, move } = mover();

    expect(await move.execute({ source: "a.txt", destination: "x" }, cancelled)).toMatchObject({
      code: "CANCELLED",
    });
    expect(existsSync(folder.path("a.txt"))).toBe(true);
  });
});

describe("delete_file", () => {
  test("FORGE-6, FORGE-7, FORGE-8: deleting is of the category delete, of high consequence, and asks a person", () => {
    expect(deleter().remove).toMatchObject({
      category: "delete",
      consequenceLevel: "high",
      requiresConfirmation: true,
    });
  });

  test.each([
    { params: { path: "a.txt" }, entries: 1, left: ["link", "sub"] },
    { params: { path: "link" }, entries: 1, left: ["a.txt", "sub"] },
    { params: { path: "link", recursive: true }, entries: 1, left: ["a.txt", "sub"] },
    { params: { path: "sub", recursive: true }, entries: 4, left: ["a.txt", "link"] },
  ])("APTIX-77: $params deletes $entries entries", async ({ params, entries, left }) => {
    const { folder, remove } = deleter();

    expect((await remove.execute(params)).data).toEqual({ path: params.path, entries_deleted: entries });
    expect(readdirSync(folder.base).toSorted()).toEqual(left);
  });

  test.each([
    { params: { path: "sub" }, code: "DIRECTORY_NOT_EMPTY" },
    { params: { path: "nope" }, code: "NOT_FOUND" },
    { params: { path: ".", recursive: true }, code: "ACCESS_DENIED" },
    { params: { path: "..", recursive: true }, code: "ACCESS_DENIED" },
    { params: { path: "/", recursive: true }, code: "ACCESS_DENIED" },
    { params: { path: "/etc/passwd" }, code: "ACCESS_DENIED" },
    { params: { path: "" }, code: "INVALID_ARGUMENTS" },
    { params: {}, code: "INVALID_ARGUMENTS" },
  ])("APTIX-77: $params fails with $code, and nothing goes", async ({ params, code }) => {
    const { folder, remove } = deleter();

    expect(await remove.execute(params)).toMatchObject({ code });
    expect(readdirSync(folder.base).toSorted()).toEqual(["a.txt", "link", "sub"]);
    expect(folder.text("sub/deep/c.txt")).toBe("c");
  });

  test("FORGE-31: a deletion that was cancelled before deletes nothing", async () => {
    const { folder, remove } = deleter();

    expect(await remove.execute({ path: "a.txt" }, cancelled)).toMatchObject({ code: "CANCELLED" });
    expect(existsSync(folder.path("a.txt"))).toBe(true);
  });
});

describe("create_directory", () => {
  test("APTIX-77: a folder is made with those above it, and making it again is fine", async () => {
    const { folder, make } = maker();

    expect((await make.execute({ path: "x/y" })).data).toEqual({ path: "x/y", created: true });
    expect((await make.execute({ path: "x/y" })).data).toEqual({ path: "x/y", created: false });
    expect(readdirSync(folder.path("x"))).toEqual(["y"]);
  });

  test.each([
    {
      path: "a.txt",
      error: "Cannot create directory: a.txt is, or is below, a file",
      code: "NOT_A_DIRECTORY",
    },
    {
      path: "a.txt/x",
      error: "Cannot create directory: a.txt/x is, or is below, a file",
      code: "NOT_A_DIRECTORY",
    },
    { path: "../x", error: "Access denied: ../x is not within allowed write paths", code: "ACCESS_DENIED" },
    { path: "", error: "path is required", code: "INVALID_ARGUMENTS" },
  ])("APTIX-77: $path fails with $code", async ({ path, error, code }) => {
    expect(await maker().make.execute({ path })).toMatchObject({ error, code });
  });

  test("FORGE-31: a folder whose call was cancelled before is not made", async () => {
    const { folder, make } = maker();

    expect(await make.execute({ path: "x" }, cancelled)).toMatchObject({ code: "CANCELLED" });
    expect(readdirSync(folder.base)).toEqual(["a.txt"]);
  });
});

function mover() {
  const folder = scratch({ "a.txt": "a", "b.txt": "b", "sub/c.txt": "c" });
  symlinkSync("a.txt", folder.path("link"));
  return { folder, move: createMoveFile({ working_dir: folder.base }) };
}

function deleter() {
  const folder = scratch({ "a.txt": "a", "sub/b.txt": "b", "sub/deep/c.txt": "c" });
  symlinkSync("sub", folder.path("link"));
  return { folder, remove: createDeleteFile({ working_dir: folder.base }) };
}

function maker() {
  const folder = scratch({ "a.txt": "a" });
  return { folder, make: createCreateDirectory({ working_dir: folder.base }) };
}
