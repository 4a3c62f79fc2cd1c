import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFiles } from "@toolmount/paths";
import { copyAttributes } from "@toolmount/paths";
import { expect, onTestFinished, test } from "vitest";
import { procDisk, plainDisk } from "../src/disk.ts";
import { openFolder } from "../src/folder.ts";
import { mayWriteInPlace, writeInPlace } from "../src/in-place.ts";

function scratch() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-form-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const path = (name: string) => join(base, name);
  writeFileSync(path("a.txt"), "old text\n", { mode: 0o640 });
  return {
    base,
    path,
    files: createFiles({ workingDir: base, read: [base], write: [base] }, { copyAttributes }),
  };
}

/** The extended attributes of a file; empty where the system, or Python, has none. */
function attributesOf(file: string, set = ""): string {
  const code = `import os,sys\nf=sys.argv[1]\n${set}\nprint({k: os.getxattr(f,k) for k in os.listxattr(f) if k.startswith("user.")})`;
  return spawnSync("python3", ["-c", code, file], { encoding: "utf8" }).stdout ?? "";
}

test("a file that is replaced keeps its permissions, owner and extended attributes", async () => {
  const { path, files } = scratch();
  const before = attributesOf(path("a.txt"), 'os.setxattr(f, "user.origin", b"scan")');
  const { mode, uid, gid } = statSync(path("a.txt"));

  await files.replace("a.txt", Buffer.from("new"));
  const now = statSync(path("a.txt"));

  expect(readFileSync(path("a.txt"), "utf8")).toBe("new");
  expect([now.mode, now.uid, now.gid]).toEqual([mode, uid, gid]);
  expect(attributesOf(path("a.txt"))).toBe(before);
});

test("special bits of the permissions are not kept, and the answer says so; undoing them is asked for", async () => {
  const { path, files } = scratch();
  chmodSync(path("a.txt"), 0o4755);

  expect(await files.replace("a.txt", Buffer.from("new"))).toMatchObject({
    lost: ["special permissions"],
  });
  expect(statSync(path("a.txt")).mode & 0o7777).toBe(0o755);
  expect(await files.replace("a.txt", Buffer.from("old"), { mode: 0o4755 })).toMatchObject({ lost: [] });
  expect(statSync(path("a.txt")).mode & 0o7777).toBe(0o4755);
});

test.each([
  [["owner"], 1, true, []],
  [["owner"], 2, false, ["owner"]],
  [["extended attributes"], 1, false, ["extended attributes"]],
] as const)(
  "a replacement that cannot get %j of a file with %i names: in place %s",
  async (lost, names, inPlace, said) => {
    const { base, path } = scratch();
    if (names === 2) linkSync(path("a.txt"), path("b.txt"));
    const { ino } = statSync(path("a.txt"));
    const files = createFiles(
      { workingDir: base, read: [base], write: [base] },
      { copyAttributes: () => Promise.resolve(lost) },
    );

    expect(await files.replace("a.txt", Buffer.from("new"))).toMatchObject({ lost: said });
    expect(readFileSync(path("a.txt"), "utf8")).toBe("new");
    expect(statSync(path("a.txt")).ino === ino).toBe(inPlace);
    expect(readdirSync(base).length).toBe(names);
  },
);

test.skipIf(process.geteuid?.() !== 0)("a deleted file of another user is made again as theirs", async () => {
  const { path, files } = scratch();
  chownSync(path("a.txt"), 1234, 2345);
  const { snapshot } = await files.snapshot("a.txt", { maxBytes: 100, folders: false });
  await files.remove("a.txt", { recursive: false });

  await files.restore("a.txt", snapshot!);
  const { uid, gid, mode } = statSync(path("a.txt"));

  expect([uid, gid, mode & 0o777]).toEqual([1234, 2345, 0o640]);
});

test("a file with another name is replaced, and the other name keeps the old text", async () => {
  const { path, files } = scratch();
  linkSync(path("a.txt"), path("b.txt"));

  await files.replace("a.txt", Buffer.from("new"));

  expect(readFileSync(path("b.txt"), "utf8")).toBe("old text\n");
});

test.each([
  ["EACCES", 1n, true],
  ["EBUSY", 1n, true],
  ["EROFS", 1n, true],
  ["EACCES", 2n, false],
  ["ENOSPC", 1n, false],
])("after %s, a file with %i name is written in place: %s", (code, nlink, may) => {
  const thrown = Object.assign(new Error(code), { code });

  expect(mayWriteInPlace(thrown, { nlink } as never)).toBe(may);
  expect(mayWriteInPlace(thrown, null)).toBe(false);
});

const disks = process.platform === "linux" ? [procDisk, plainDisk] : [plainDisk];

test.each(disks)(
  "written in place by $kind descriptors, a file stays the same, and no copy is left",
  async (disk) => {
    const { base, path } = scratch();
    const folder = await openFolder(disk, base, { given: ".", access: "write" });
    onTestFinished(() => folder.close());
    const before = lstatSync(path("a.txt"), { bigint: true });
    const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("toolmount-kept-"));
    const had = copies();

    for (const text of ["x", "a longer text than before", ""]) {
      await writeInPlace(folder, { name: "a.txt", given: "a.txt", before, bytes: Buffer.from(text) });
      expect(readFileSync(path("a.txt"), "utf8")).toBe(text);
    }
    expect(lstatSync(path("a.txt"), { bigint: true }).ino).toBe(before.ino);
    expect(copies().filter((name) => !had.includes(name))).toEqual([]);
  },
);

test("a file that another one replaced meanwhile, or that got another name, is not written in place", async () => {
  const { base, path } = scratch();
  const folder = await openFolder(plainDisk, base, { given: ".", access: "write" });
  onTestFinished(() => folder.close());
  const before = lstatSync(path("a.txt"), { bigint: true });
  const write = () =>
    writeInPlace(folder, { name: "a.txt", given: "a.txt", before, bytes: Buffer.from("x") });
  linkSync(path("a.txt"), path("other"));

  await expect(write()).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  rmSync(path("other"));
  writeFileSync(path("next"), "next");
  rmSync(path("a.txt"));
  linkSync(path("next"), path("a.txt"));
  rmSync(path("next"));
  await expect(write()).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  expect(readFileSync(path("a.txt"), "utf8")).toBe("next");
});
