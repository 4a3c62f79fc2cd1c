import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rewriteText } from "../src/index.ts";

function folderWith(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-rewrite-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return {
    at: (name: string) => join(folder, name),
    read: (name: string) => readFileSync(join(folder, name), "utf8"),
    names: () => readdirSync(folder).toSorted(),
  };
}

test("a file is rewritten through a link, and keeps its permissions unless others are given", async () => {
  const { at, read, names } = folderWith({ real: "a" });
  chmodSync(at("real"), 0o640);
  symlinkSync("real", at("link"));
  await rewriteText(at("link"), (before) => `${before}b`);

  expect([read("real"), lstatSync(at("link")).isSymbolicLink()]).toEqual(["ab", true]);
  expect(statSync(at("real")).mode & 0o777).toBe(0o640);
  await rewriteText(at("real"), () => "c", { mode: 0o600 });
  expect(statSync(at("real")).mode & 0o777).toBe(0o600);
  expect(names()).toEqual(["link", "real"]);
});

test("a missing file and its folders are created, and an equal text is not written", async () => {
  const { at, read } = folderWith({});
  await rewriteText(at("new/deep"), (before) => String(before));
  const { ino } = statSync(at("new/deep"));
  await rewriteText(at("new/deep"), (before) => before ?? "");

  expect([read("new/deep"), statSync(at("new/deep")).ino]).toEqual(["null", ino]);
});

test("edits at the same time are all made", async () => {
  const { at, read, names } = folderWith({ list: "" });
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  await Promise.all(lines.map((line) => rewriteText(at("list"), (before) => `${before}${line}\n`)));

  expect(read("list").trim().split("\n").toSorted()).toEqual(lines.toSorted());
  expect(names()).toEqual(["list"]);
});

test("what another program writes during an edit is kept, and the edit is made of it", async () => {
  const { at, read } = folderWith({ list: "a" });
  let times = 0;
  await rewriteText(at("list"), (before) => {
    if (++times < 3) writeFileSync(at("list"), `${before}x`);
    return `${before}b`;
  });

  expect(read("list")).toBe("axxb");
  const restless = rewriteText(at("list"), (before) => {
    writeFileSync(at("list"), `${before}y`);
    return "lost";
  });
  await expect(restless).rejects.toMatchObject({ code: "FILE_CHANGED" });
  expect(read("list")).toMatch(/^axxby+$/);
});

test("an edit that throws writes nothing, and the next one does not wait", async () => {
  const { at, read, names } = folderWith({ list: "a" });
  const failing = rewriteText(at("list"), () => {
    throw new Error("no");
  });

  await expect(failing).rejects.toThrow("no");
  await rewriteText(at("list"), () => "b");
  expect([read("list"), names()]).toEqual(["b", ["list"]]);
});

test("the lock of a process that has ended is removed at once, that of an unknown one when it stays unchanged", async () => {
  const { at, read, names } = folderWith({ a: "", b: "", c: "", "c.lock": "mine" });
  mkdirSync(at("a.lock"));
  writeFileSync(at(`a.lock/4194305@${hostname()}`), ""); // Linux gives no higher number than 4194304
  mkdirSync(at("b.lock"));
  await Promise.all(["a", "b", "c"].map((name) => rewriteText(at(name), () => name)));

  expect(["a", "b", "c", "c.lock"].map(read)).toEqual(["a", "b", "c", "mine"]);
  expect(names()).toEqual(["a", "b", "c", "c.lock"]);
});

test("what is no file is refused", async () => {
  const { at } = folderWith({});
  mkdirSync(at("folder"));

  await expect(rewriteText(at("folder"), () => "x")).rejects.toMatchObject({ code: "IS_A_DIRECTORY" });
});
