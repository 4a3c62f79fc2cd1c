import { symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { createFiles, type Files } from "@toolmount/paths";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { requireHonestName } from "../src/names.ts";
import { plantTree, type Tree } from "./tree.ts";

let tree: Tree;
let files: Files;

beforeEach(() => {
  tree = plantTree();
  onTestFinished(() => tree.remove());
  files = createFiles(tree.rules);
});

test.each([
  ["readme.txt", "work/readme.txt"],
  ["./readme.txt", "work/readme.txt"],
  ["notes/../readme.txt", "work/readme.txt"],
  ["nope/../readme.txt", "work/readme.txt"],
  ["notes//deep/./a/b/c.txt", "work/notes/deep/a/b/c.txt"],
  ["with space/file name.txt", "work/with space/file name.txt"],
  ["\u00fcml\u00e4ut/na\u00efve.txt", "work/\u00fcml\u00e4ut/na\u00efve.txt"],
  ["nfd/e\u0301te\u0301.txt", "work/nfd/e\u0301te\u0301.txt"],
  ["\u4e2d\u6587/\u8aac\u660e.txt", "work/\u4e2d\u6587/\u8aac\u660e.txt"],
  ["\u{1f600}.txt", "work/\u{1f600}.txt"],
  ["..hidden/x.txt", "work/..hidden/x.txt"],
  [".../x.txt", "work/.../x.txt"],
  ["a..b/file..txt", "work/a..b/file..txt"],
  ["%2e%2e/x.txt", "work/%2e%2e/x.txt"],
  ["..%2fsecret", "work/..%2fsecret"],
  ["~/x.txt", "work/~/x.txt"],
  ["~root", "work/~root"],
  ["$HOME/x.txt", "work/$HOME/x.txt"],
  ["${HOME}", "work/${HOME}"],
  ["$(id)", "work/$(id)"],
  ["`id`", "work/`id`"],
  ["back\\slash.txt", "work/back\\slash.txt"],
  ["..\\secret", "work/..\\secret"],
  ["-rf", "work/-rf"],
  ["--", "work/--"],
  ["new\nline.txt", "work/new\nline.txt"],
  ["[set]/f{1,2}.txt", "work/[set]/f{1,2}.txt"],
  ["*", "work/*"],
  ["?", "work/?"],
  ["file:/etc/x.txt", "work/file:/etc/x.txt"],
  ["C:/x.txt", "work/C:/x.txt"],
  ["con", "work/con"],
  ["a.txt:stream", "work/a.txt:stream"],
  ["trailing. ", "work/trailing. "],
  ["secret/decoy.txt", "work/secret/decoy.txt"],
  ["in.txt", "work/notes/todo.md"],
  ["in-dir/todo.md", "work/notes/todo.md"],
  ["in-abs/deep/a/b/c.txt", "work/notes/deep/a/b/c.txt"],
  ["in-chain/todo.md", "work/notes/todo.md"],
  ["self/self/readme.txt", "work/readme.txt"],
  ["up/work/readme.txt", "work/readme.txt"],
  ["docs-link/guide.md", "docs/guide.md"],
  ["{T}/docs/guide.md", "docs/guide.md"],
  ["{T}/docs/to-work", "work/readme.txt"],
  ["{T}/alias-root/file.txt", "real-root/file.txt"],
  ["{T}/real-root/file.txt", "real-root/file.txt"],
  [".git/config", "work/.git/config"],
])("%j is read as it is written: %j", async (path, holds) => {
  const { bytes } = await files.read(tree.fill(path), 1000);

  expect(bytes.toString()).toBe(`INSIDE ${holds}\n`);
});

test.each([
  ["a NUL at the end", "readme.txt\0"],
  ["a NUL before an extension", "notes/todo.md\0.png"],
  ["a NUL alone", "\0"],
  ["a NUL outside", "../secret/secret.txt\0"],
  ["nothing", ""],
  ["half a character", "read\ud800me.txt"],
  ["too many characters", "a/".repeat(3000)],
  ["a name of 300 letters", "n".repeat(300)],
])("%s is no path", async (_why, path) => {
  await expect(files.read(path, 1000)).rejects.toMatchObject({ code: "INVALID_PATH" });
  await expect(files.replace(path, Buffer.from("planted"))).rejects.toMatchObject({ code: "INVALID_PATH" });
});

test.each([
  "~/.ssh/id_rsa",
  "$HOME/.bashrc",
  "%2e%2e/secret/secret.txt",
  "..%2fsecret%2fsecret.txt",
  "..%c0%afsecret",
  "\uff0e\uff0e/secret/secret.txt",
  "..\\secret\\secret.txt",
  "..\u2215secret\u2215secret.txt",
  "file:///etc/passwd",
  "./nope.txt",
])("%j is a name inside, and not found: nothing is expanded or decoded", async (path) => {
  await expect(files.read(path, 1000)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test.each(["loop-a", "loop-b", "loop-self", "loop-a/x", "loop-self/x"])(
  "%s goes round in a circle and is refused",
  async (path) => {
    await expect(files.read(path, 1000)).rejects.toMatchObject({ code: "ACCESS_DENIED" });
    await expect(files.replace(path, Buffer.from("planted"))).rejects.toHaveProperty("name", "PathError");
  },
);

test.each([
  ".git/config",
  ".git",
  ".git/hooks/pre-commit",
  "./.git/config",
  "notes/../.git/config",
  ".GIT/config",
  ".Git/new",
  ".g\u200cit/config",
  ".\u200fgit/config",
  "git-link/config",
  "self/.git/config",
  "up/work/.git/new",
  "{T}/work/.git/new",
  "plan.yaml",
  "PLAN.YAML",
  "plan.yaml/x",
])("%j is denied for writing, however it is spelled", async (path) => {
  const denied = { code: "ACCESS_DENIED", details: { reason: "denied" } };
  await expect(files.replace(tree.fill(path), Buffer.from("planted"))).rejects.toMatchObject(denied);
  await expect(files.makeFolder(tree.fill(path))).rejects.toMatchObject(denied);
  await expect(files.move("readme.txt", tree.fill(path), { overwrite: true })).rejects.toMatchObject(denied);
});

test.each(["{T}/docs/guide.md", "{T}/docs/new.md", "{T}/docs", "docs-link/guide.md", "docs-link/new.md"])(
  "%j may be read, not written",
  async (path) => {
    const denied = { code: "ACCESS_DENIED", details: { reason: "write" } };
    await expect(files.replace(tree.fill(path), Buffer.from("planted"))).rejects.toMatchObject(denied);
    await expect(files.remove(tree.fill(path), { recursive: true })).rejects.toMatchObject(denied);
  },
);

test("a root that becomes a link to elsewhere leads nowhere", async () => {
  unlinkSync(join(tree.base, "alias-root"));
  symlinkSync("secret", join(tree.base, "alias-root"));

  await expect(files.read(tree.fill("{T}/alias-root/secret.txt"), 1000)).rejects.toMatchObject({
    code: "ACCESS_DENIED",
  });
});

test("a root that is not there yet is made by the first write", async () => {
  const root = join(tree.base, "made/later");
  const made = createFiles({ workingDir: root, read: [root], write: [root] });
  await made.replace("a/b.txt", Buffer.from("new"));

  expect((await made.read("a/b.txt", 100)).bytes.toString()).toBe("new");
});

test("a root that is not there yet and appears as a link to elsewhere leads nowhere", async () => {
  const root = join(tree.base, "later");
  const made = createFiles({ workingDir: root, read: [root], write: [root] });
  symlinkSync("secret", root);

  await expect(made.read("secret.txt", 100)).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  await expect(made.replace("new.txt", Buffer.from("new"))).rejects.toMatchObject({ code: "ACCESS_DENIED" });
});

test("a relative root is a mistake", () => {
  expect(() => createFiles({ workingDir: "work", read: [], write: [] })).toThrow(RangeError);
});

const places = "it names a network or device path";
const characters = "a name in it has a character that Windows does not allow";
const ends = "a name in it ends with a dot or a space";
const devices = "it names a device";

test.each([
  ["\\\\server\\share\\a.txt", places],
  ["//server/share", places],
  ["\\\\?\\C:\\a", places],
  ["\\\\.\\pipe\\x", places],
  ["con", devices],
  ["notes\\NUL", devices],
  ["notes/aux.txt", devices],
  ["com1", devices],
  ["LPT9.log", devices],
  ["com\u00b9", devices],
  ["conin$", devices],
  ["prn.a.b", devices],
  ["a.txt:stream", characters],
  ["a.txt::$DATA", characters],
  ["C:a.txt", characters],
  ["notes./a.txt", ends],
  ["notes /a.txt", ends],
  ["a.txt.", ends],
  ["a.txt ", ends],
  ["...", ends],
  ["a?.txt", characters],
  ["a*.txt", characters],
  ['a".txt', characters],
  ["a|b", characters],
  ["a<b", characters],
  ["a>b", characters],
  ["a\tb", characters],
])("on Windows %j is no path: %s", (path, problem) => {
  expect(() => requireHonestName(path, "win32")).toThrow(
    expect.objectContaining({ code: "INVALID_PATH", message: `Invalid path: ${problem}` }),
  );
  expect(() => requireHonestName(path, "linux")).not.toThrow();
});

test.each([
  ["", "it is empty"],
  ["a".repeat(4_097), "it is longer than 4096 characters"],
  ["a\0", "it contains a NUL character"],
  ["a\ud800", "it contains half of a character"],
])("anywhere %j is no path: %s", (path, problem) => {
  for (const platform of ["linux", "win32"])
    expect(() => requireHonestName(path, platform)).toThrow(
      expect.objectContaining({ details: { path: path.slice(0, 200), problem } }),
    );
  expect(() => requireHonestName("a".repeat(4_096), "linux")).not.toThrow();
});

test.each([
  "C:\\work\\a.txt",
  "C:/work/a.txt",
  "..\\a.txt",
  "notes\\console.txt",
  "com10",
  ".gitignore",
  ".",
])("on Windows %j is a path", (path) => {
  expect(() => requireHonestName(path, "win32")).not.toThrow();
});
