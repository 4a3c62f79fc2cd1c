import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createFiles, markOfFile, type Files, type FileSnapshot, type Snapshot } from "@toolmount/paths";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { fileSnapshot } from "../src/snapshot.ts";
import { disks, plantTree, type Tree } from "./tree.ts";

describe.each(disks)("by %s descriptors", (disk) => {
  let tree: Tree;
  let files: Files;

  beforeEach(() => {
    tree = plantTree();
    onTestFinished(() => tree.remove());
    files = createFiles(tree.rules, { disk });
    mkdirSync(work("kept/inner/empty"), { recursive: true });
    writeFileSync(work("kept/text.txt"), "text\r\n\u00e9");
    writeFileSync(work("kept/inner/bytes"), Buffer.from([0, 255, 128]));
    symlinkSync("../text.txt", work("kept/inner/link"));
    symlinkSync("/no/such/place", work("kept/inner/dangling"));
    chmodSync(work("kept/text.txt"), 0o400);
    chmodSync(work("kept/inner/bytes"), 0o751);
    chmodSync(work("kept/inner"), 0o711);
    chmodSync(work("kept/inner/empty"), 0o1777);
  });

  const work = (path: string) => join(tree.base, "work", path);
  const all = { maxBytes: 100_000, folders: true };

  /** Content, permissions and links of an entry, read without this package. */
  function look(path: string): unknown {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return readlinkSync(path);
    if (stat.isFile()) return [stat.mode, readFileSync(path).toString("hex")];
    const entries = readdirSync(path).map((name) => [name, look(join(path, name))]);
    return [stat.mode, Object.fromEntries(entries)];
  }

  /** As it comes back from a store. */
  async function taken(path: string): Promise<Snapshot> {
    const { snapshot } = await files.snapshot(path, all);
    return JSON.parse(JSON.stringify(snapshot)) as Snapshot;
  }

  test("a removed folder is made again with contents, permissions and links", async () => {
    const before = look(work("kept"));
    const snapshot = await taken("kept");
    const { removed } = await files.remove("kept", { recursive: true });

    expect(await files.restore("kept", snapshot)).toBe(removed);
    expect(look(work("kept"))).toEqual(before);
    expect(await files.restore("kept", snapshot)).toBe(0);
  });

  test("what is still there is left, and the rest is made", async () => {
    const before = look(work("kept"));
    const snapshot = await taken("kept");
    rmSync(work("kept/inner/bytes"));
    rmSync(work("kept/inner/empty"), { recursive: true });
    chmodSync(work("kept"), 0o700);

    expect(await files.restore("kept", snapshot)).toBe(2);
    expect(look(work("kept"))).toEqual(before);
  });

  test.each([
    ["another content", "text.txt", () => writeFileSync(work("kept/text.txt"), "other", { flag: "w" })],
    ["other permissions", "inner/bytes", () => chmodSync(work("kept/inner/bytes"), 0o644)],
    ["a new entry", "inner/new", () => writeFileSync(work("kept/inner/new"), "")],
    [
      "another link",
      "inner/link",
      () => (rmSync(work("kept/inner/link")), symlinkSync("x", work("kept/inner/link"))),
    ],
    [
      "a file in place of a link",
      "inner/link",
      () => (rmSync(work("kept/inner/link")), writeFileSync(work("kept/inner/link"), "x")),
    ],
    [
      "a folder in place of a file",
      "text.txt",
      () => (rmSync(work("kept/text.txt"), { force: true }), mkdirSync(work("kept/text.txt"))),
    ],
  ])("%s is reported, and nothing is made", async (_, path, change) => {
    const snapshot = await taken("kept");
    rmSync(work("kept/inner/empty"), { recursive: true });
    chmodSync(work("kept/text.txt"), 0o600);
    chmodSync(work("kept/text.txt"), 0o400);
    change();
    const before = look(work("kept"));

    await expect(files.restore("kept", snapshot)).rejects.toMatchObject({
      code: "FILE_CHANGED",
      details: { path: work(`kept/${path}`) },
    });
    expect(look(work("kept"))).toEqual(before);
  });

  test("a snapshot of nothing says which folders do not exist", async () => {
    expect(await files.snapshot("new/deep/file", all)).toMatchObject({
      snapshot: null,
      identity: null,
      missing: [work("new"), work("new/deep")],
    });
    expect(await files.snapshot("kept/none", all)).toMatchObject({ snapshot: null, missing: [] });
  });

  test("a snapshot has a limit, and refuses folders unless they are wanted, and what is neither file, folder nor link", async () => {
    await expect(files.snapshot("kept", { ...all, maxBytes: 20 })).rejects.toMatchObject({
      code: "FILE_TOO_LARGE",
    });
    await expect(files.snapshot("kept", { ...all, folders: false })).rejects.toMatchObject({
      code: "IS_A_DIRECTORY",
    });
    const server = createServer().listen(work("kept/socket"));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    await expect(files.snapshot("kept", all)).rejects.toMatchObject({ code: "NOT_A_FILE" });
  });

  test("a mark is equal for the same content, permissions, names or target, and differs for others", async () => {
    const marks = async (maxBytes = 1_000) =>
      Promise.all(
        ["kept", "kept/text.txt", "kept/inner/link", "kept/none", "none/none"].map(
          async (path) => (await files.mark(path, maxBytes)).mark,
        ),
      );
    const before = await marks();
    const { snapshot } = await files.snapshot("kept/text.txt", all);

    expect(before[1]).toBe(markOfFile(snapshot as FileSnapshot));
    expect(before.slice(2)).toEqual(["link ../text.txt", null, null]);
    expect(await marks()).toEqual(before);
    expect((await marks(2))[1]).toMatch(/^large \d+ \d+$/);
    chmodSync(work("kept/text.txt"), 0o600);
    expect((await marks()).map((mark, at) => mark === before[at])).toEqual([true, false, true, true, true]);
    rmSync(work("kept/text.txt"));
    expect((await marks()).slice(0, 2)).toEqual([expect.not.stringMatching(before[0]!), null]);
    expect((await files.mark("none/none", 1)).missing).toEqual([work("none")]);
  });

  test("temporary files of killed writes count as nothing", async () => {
    const temporary = ".toolmount-3fc94b97-a552-4ba1-8ef4-90e70f33adf6.tmp";
    const before = await files.mark("kept/inner/empty", 100);
    const snapshot = await taken("kept");
    writeFileSync(work(`kept/inner/empty/${temporary}`), "half");

    expect((await files.mark("kept/inner/empty", 100)).mark).toBe(before.mark);
    expect(await taken("kept")).toEqual(snapshot);
    expect(await files.restore("kept", snapshot)).toBe(0);
    await expect(files.remove("kept/inner/empty", { recursive: false })).rejects.toMatchObject({
      code: "DIRECTORY_NOT_EMPTY",
    });
    expect((await files.remove("kept/inner/empty", { recursive: false, leftovers: true })).removed).toBe(1);
  });

  test("a part that may not be read or written is not in a snapshot, and not made", async () => {
    const snapshot = await taken("kept");
    const guarded = (rules: object) => createFiles({ ...tree.rules, ...rules }, { disk });
    const unreadable = guarded({ deniedRead: [work("kept/inner/bytes")] });
    await expect(unreadable.snapshot("kept", all)).rejects.toMatchObject({ code: "ACCESS_DENIED" });
    await files.remove("kept", { recursive: true });
    const unwritable = guarded({ deniedWrite: ["**/inner"] });
    await expect(unwritable.restore("kept", snapshot)).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  });
});

test.each([
  ["c3a9", { text: "é" }],
  ["ff", { base64: "/w==" }],
  // The character that replaces these has as many bytes.
  ["f09f98", { base64: "8J+Y" }],
  ["", { text: "" }],
  ["efbbbf61", { text: "\ufeffa" }],
  ["eda080", { base64: "7aCA" }],
  ["61ff62", { base64: "Yf9i" }],
])("a file with the bytes %s is kept as %j", (hex, content) => {
  expect(fileSnapshot(Buffer.from(hex, "hex"), 0o640)).toEqual({ kind: "file", mode: 0o640, ...content });
});
