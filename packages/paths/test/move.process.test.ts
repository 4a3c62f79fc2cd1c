import { linkSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFiles } from "@toolmount/paths";
import { describe, expect, onTestFinished, test } from "vitest";
import { disks, plantTree } from "./tree.ts";

describe.each(disks)("a move by %s descriptors", (disk) => {
  function world() {
    const tree = plantTree();
    onTestFinished(() => tree.remove());
    const files = createFiles(tree.rules, { disk });
    const work = (path: string) => join(tree.base, "work", path);
    const put = (path: string) => writeFileSync(work(path), `text of ${path}`);
    const stateOf = (path: string) => {
      const entry = lstatSync(work(path), { throwIfNoEntry: false });
      if (entry === undefined) return "nothing";
      return entry.isDirectory() ? "a folder" : readFileSync(work(path), "utf8");
    };
    return { files, work, put, stateOf };
  }

  test.each([
    { to: "new.txt", overwrite: false, moved: true },
    { to: "new.txt", overwrite: true, moved: true },
    { to: "made/in/new.txt", overwrite: false, moved: true },
    { to: "there.txt", overwrite: true, moved: true },
    { to: "there.txt", overwrite: false, moved: false },
    { to: "empty-dir", overwrite: true, moved: false },
    { to: "empty-dir", overwrite: false, moved: false },
  ])("of a file to $to, overwrite $overwrite: $moved", async ({ to, overwrite, moved }) => {
    const { files, put, stateOf } = world();
    put("a.txt");
    put("there.txt");
    const before = stateOf(to);
    const outcome = await files.move("a.txt", to, { overwrite }).catch((error: unknown) => error);

    if (!moved) expect(outcome).toMatchObject({ code: "ALREADY_EXISTS", details: { path: to } });
    expect([stateOf("a.txt"), stateOf(to)]).toEqual(
      moved ? ["nothing", "text of a.txt"] : ["text of a.txt", before],
    );
  });

  test.each([
    { to: "new", overwrite: false, moved: true },
    { to: "made/in/new", overwrite: true, moved: true },
    { to: "there.txt", overwrite: true, moved: false },
    { to: "notes", overwrite: true, moved: false },
    { to: "empty-dir", overwrite: false, moved: false },
  ])("of a folder to $to, overwrite $overwrite: $moved", async ({ to, overwrite, moved }) => {
    const { files, put, stateOf } = world();
    put("there.txt");
    const outcome = await files.move("tree", to, { overwrite }).catch((error: unknown) => error);

    if (!moved) expect(outcome).toMatchObject({ code: "ALREADY_EXISTS" });
    expect(stateOf("tree")).toBe(moved ? "nothing" : "a folder");
    if (moved) expect(stateOf(`${to}/one.txt`)).toBe("INSIDE work/tree/one.txt\n");
  });

  test("keeps the file itself, with its mode, and the other names that it has", async () => {
    const { files, work, put, stateOf } = world();
    put("a.txt");
    linkSync(work("a.txt"), work("other.txt"));
    const { ino } = statSync(work("a.txt"));
    await files.move("a.txt", "b.txt", { overwrite: false });

    expect([statSync(work("b.txt")).ino, statSync(work("b.txt")).nlink]).toEqual([ino, 2]);
    expect(stateOf("other.txt")).toBe("text of a.txt");
  });

  test("to another name of the same file leaves one name, and only where it may overwrite", async () => {
    const { files, work, put, stateOf } = world();
    put("a.txt");
    linkSync(work("a.txt"), work("b.txt"));
    await expect(files.move("a.txt", "b.txt", { overwrite: false })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    expect(stateOf("a.txt")).toBe("text of a.txt");
    await files.move("a.txt", "b.txt", { overwrite: true });

    expect([stateOf("a.txt"), stateOf("b.txt")]).toEqual(["nothing", "text of a.txt"]);
  });

  test("to its own name leaves it", async () => {
    const { files, put, stateOf } = world();
    put("a.txt");
    await files.move("a.txt", "a.txt", { overwrite: false });

    expect(stateOf("a.txt")).toBe("text of a.txt");
  });

  test.each([
    ["tree", "tree/sub/in", "EINVAL"],
    ["tree", "tree/in", "EINVAL"],
  ])("of %s to %s, which is in it, is refused, and makes nothing", async (from, to, errno) => {
    const { files, stateOf } = world();

    await expect(files.move(from, to, { overwrite: true })).rejects.toMatchObject({
      code: "OS_ERROR",
      details: { path: from, errno, problem: "invalid argument" },
    });
    expect(stateOf(to)).toBe("nothing");
  });

  test("to a name that begins as the folder's own does not lead into the folder", async () => {
    const { files, stateOf } = world();
    await files.move("tree", "tree2/tree", { overwrite: false });

    expect(stateOf("tree2/tree/one.txt")).toBe("INSIDE work/tree/one.txt\n");
  });

  test("of a link is refused, as is one that is not there, and one that was cancelled", async () => {
    const { files, work, put, stateOf } = world();
    symlinkSync("readme.txt", work("link"));
    put("a.txt");
    const reason = new Error("stop");
    const signal = AbortSignal.abort(reason);

    await expect(files.move("link", "b", { overwrite: false })).rejects.toMatchObject({ code: "NOT_A_FILE" });
    await expect(files.move("gone", "b", { overwrite: false })).rejects.toMatchObject({
      code: "NOT_FOUND",
      details: { path: "gone" },
    });
    await expect(files.move("a.txt", "b", { overwrite: false, signal })).rejects.toBe(reason);
    expect([stateOf("a.txt"), stateOf("b")]).toEqual(["text of a.txt", "nothing"]);
  });

  test("of a file to a path that ends with a slash is refused", async () => {
    const { files, put, stateOf } = world();
    put("a.txt");
    await expect(files.move("a.txt", "b/", { overwrite: false })).rejects.toHaveProperty("code");

    expect([stateOf("a.txt"), stateOf("b")]).toEqual(["text of a.txt", "nothing"]);
  });
});
