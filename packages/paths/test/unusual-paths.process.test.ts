import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFiles, type Files } from "@toolmount/paths";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { plainDisk } from "../src/disk.ts";
import { openFolder } from "../src/folder.ts";
import { isTemporary, sweep, temporaryName } from "../src/temporary.ts";
import { disks, plantTree, type Tree } from "./tree.ts";

type Act = (files: Files, path: string) => Promise<unknown>;

const acts: Readonly<Record<string, Act>> = {
  read: (files, path) => files.read(path, 100),
  list: (files, path) => files.list(path, { offset: 0, limit: 9 }),
  look: (files, path) => files.look(path, ["a"]),
  write: (files, path) => files.replace(path, Buffer.from("x")),
  "make a folder": (files, path) => files.makeFolder(path),
  remove: (files, path) => files.remove(path, { recursive: false }),
  mark: (files, path) => files.mark(path, 10),
  "take a snapshot": (files, path) => files.snapshot(path, { maxBytes: 10, folders: false }),
  restore: (files, path) => files.restore(path, { kind: "file", mode: 0o644, text: "" }),
  "move it": (files, path) => files.move(path, "there", { overwrite: false }),
  "move there": (files, path) => files.move("readme.txt", path, { overwrite: true }),
};

/** What each act says about these paths; the others of the table say nothing of their own. */
const said: Readonly<Record<string, Partial<Record<string, string>>>> = {
  "loop-a/x": {
    read: "Access denied: loop-a/x is not within allowed read paths",
    list: "Access denied: loop-a/x is not within allowed read paths",
    look: "Access denied: loop-a/x is not within allowed read paths",
    write: "Not a directory: loop-a/x",
    "make a folder": "Access denied: loop-a/x is not within allowed write paths",
    "move there": "Not a directory: loop-a/x",
    "": "Path not found: loop-a/x",
  },
  "loop-self": {
    read: "Access denied: loop-self is not within allowed read paths",
    list: "Not a directory: loop-self",
    look: "Not a directory: loop-self",
    write: "Access denied: loop-self is not within allowed write paths",
    "make a folder": "Not a directory: loop-self",
  },
  "readme.txt/x/y": {
    read: "Path not found: readme.txt/x/y",
    list: "Not a directory: readme.txt/x/y",
    look: "Not a directory: readme.txt/x/y",
    write: "Not a directory: readme.txt/x/y",
    "make a folder": "Not a directory: readme.txt/x/y",
    "move there": "Not a directory: readme.txt/x/y",
    "": "Path not found: readme.txt/x/y",
  },
  [`${"a".repeat(256)}/x`]: { "": "Invalid path: a name in it is too long" },
};

describe.runIf(process.platform === "linux").each(disks)("by %s descriptors", (disk) => {
  let tree: Tree;
  let files: Files;
  beforeAll(() => {
    tree = plantTree();
    files = createFiles(tree.rules, { disk });
  });
  afterAll(() => tree.remove());

  const cases = Object.entries(said).flatMap(([path, byAct]) =>
    Object.keys(acts).flatMap((act) => {
      const message = byAct[act] ?? byAct[""];
      return message === undefined ? [] : [{ act, path, message }];
    }),
  );

  test.each(cases)("$act $path: $message", async ({ act, path, message }) => {
    const answer = await acts[act]!(files, path).catch((thrown: unknown) => thrown);
    expect((answer as Error).message).toBe(message);
  });

  test.each([
    [".", "holds a root or a denied path, and cannot be moved or removed"],
    ["nested", "holds a root or a denied path, and cannot be moved or removed"],
    ["nested/root", "holds a root or a denied path, and cannot be moved or removed"],
    ["tree/.hg", "holds a root or a denied path, and cannot be moved or removed"],
    [".git", "is within denied directories"],
    ["plan.yaml", "is within denied directories"],
  ])("nothing is moved to %s, which %s", async (path, reason) => {
    const deniedWrite = [...tree.rules.deniedWrite!, "**/.hg/hooks"];
    const careful = createFiles({ ...tree.rules, deniedWrite }, { disk });
    const message = `Access denied: ${path} ${reason}`;
    for (const from of ["readme.txt", "notes"])
      await expect(careful.move(from, path, { overwrite: true })).rejects.toThrow(
        expect.objectContaining({ message }),
      );
  });
});

describe("what a killed write left behind", () => {
  async function world() {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-sweep-")));
    const folder = await openFolder(plainDisk, base, { given: base, access: "write" });
    onTestFinished(async () => {
      await folder.close();
      rmSync(base, { recursive: true, force: true });
    });
    const write = (name: string, seconds: number) => {
      writeFileSync(join(base, name), "");
      utimesSync(join(base, name), seconds, seconds);
      return name;
    };
    return { base, folder, write };
  }

  test("goes when it was written an hour before the new file, and not a second later", async () => {
    const { base, folder, write } = await world();
    const fresh = write(temporaryName(), 10_000);
    const [hour, less, more] = [6_400, 6_401, 6_399].map((seconds) => write(temporaryName(), seconds));
    await sweep(folder, fresh);
    expect(readdirSync(base).toSorted()).toEqual([fresh, less!].toSorted());
    expect([hour, more].every((name) => isTemporary(name!))).toBe(true);
  });

  test("stays where the new file is gone, and where it is a folder", async () => {
    const { base, folder, write } = await world();
    const old = write(temporaryName(), 1);
    await sweep(folder, temporaryName());
    expect(readdirSync(base)).toEqual([old]);
    const made = temporaryName();
    mkdirSync(join(base, made));
    utimesSync(join(base, made), 1, 1);
    const fresh = write(temporaryName(), 10_000);
    await sweep(folder, fresh);
    expect(readdirSync(base).toSorted()).toEqual([fresh, made].toSorted());
  });

  test("is known by its whole name", () => {
    const name = ".toolmount-01234567-89ab-cdef-0123-456789abcdef.tmp";
    expect(isTemporary(name)).toBe(true);
    for (const other of [
      `x${name}`,
      `${name}x`,
      name.replace(".tmp", "-tmp"),
      name.replace("f.tmp", "g.tmp"),
      name.slice(1),
    ])
      expect([other, isTemporary(other)]).toEqual([other, false]);
    expect(temporaryName()).not.toBe(temporaryName());
  });
});
