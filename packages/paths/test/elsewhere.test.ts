import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFiles, type Snapshot } from "@toolmount/paths";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { plainDisk, procDisk, type Disk } from "../src/disk.ts";
import { makeFolder } from "../src/folder.ts";
import { follow } from "../src/follow.ts";
import { listFolder, lookAt } from "../src/list.ts";
import { markEntry } from "../src/mark.ts";
import { moveEntry } from "../src/move.ts";
import { readBytes } from "../src/read.ts";
import { removeEntry } from "../src/remove.ts";
import { restoreEntry } from "../src/restore.ts";
import { takeSnapshot } from "../src/snapshot.ts";
import { replaceFile } from "../src/write.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-elsewhere-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(join(base, "folder"));
  writeFileSync(join(base, "folder/file"), "text");
});

/** A disk on which something else turns up at a path when it is looked at for the nth time, counted from 1. */
function disturbed(disk: Disk, when: number): Disk {
  let looks = 0;
  return { ...disk, isAt: async (handle, real) => (looks += 1) !== when && disk.isAt(handle, real) };
}

const at = (name: string) => ({ given: name, real: join(base, name) });
const all = { maxBytes: 1_000, folders: true };
const file: Snapshot = { kind: "file", mode: 0o644, text: "new" };
const allows = () => true;
const page = { offset: 0, limit: 9 };

/** What this process has open below a folder. */
function openedBelow(folder: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    const [path] = linkTarget(`/proc/self/fd/${descriptor}`);
    return path?.startsWith(folder) === true ? [path] : [];
  });
}

/** Nothing for the descriptor of the listing itself, which is closed. */
function linkTarget(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

type Act = (disk: Disk) => Promise<unknown>;

/** What looks how often, for which access, and whether only by the disk that compares identities. */
const acts: Readonly<Record<string, readonly [Act, number, "read" | "write"]>> = {
  "list a folder": [(disk) => listFolder(disk, at("folder"), page), 2, "read"],
  "look at names": [(disk) => lookAt(disk, at("folder"), ["file"]), 2, "read"],
  "read a file": [(disk) => readBytes(disk, at("folder/file"), 100), 1, "read"],
  "mark a file": [(disk) => markEntry(disk, at("folder/file"), 100), 2, "read"],
  "mark a folder": [(disk) => markEntry(disk, at("folder"), 100), 2, "read"],
  "keep a file": [(disk) => takeSnapshot(disk, at("folder/file"), allows, all), 2, "read"],
  "keep a folder": [(disk) => takeSnapshot(disk, at("folder"), allows, all), 3, "read"],
  "write a file": [(disk) => replaceFile(disk, at("folder/file"), Buffer.from("x")), 1, "write"],
  "restore a file": [(disk) => restoreEntry(disk, at("folder/new"), file, allows), 2, "write"],
  "move a file": [
    (disk) => moveEntry(disk, at("folder/file"), at("moved"), { overwrite: false }),
    2,
    "write",
  ],
  "remove a folder": [(disk) => removeEntry(disk, at("folder"), { recursive: true }), 2, "write"],
  "make a folder": [
    async (disk) => {
      const { folder } = await makeFolder(disk, at("a/b").real, { given: "a/b", access: "write" });
      await folder.close();
    },
    3,
    "write",
  ],
};

const cases = Object.entries(acts).flatMap(([name, [act, looks, access]]) =>
  Array.from({ length: looks }, (_, turn) => ({ name, act, when: turn + 1, access })),
);

describe.runIf(process.platform === "linux")("something else that turns up at a path", () => {
  test.each(cases)("is refused: $name, look $when", async ({ act, when, access }) => {
    await expect(act(disturbed(procDisk, when))).rejects.toThrow(
      expect.objectContaining({
        code: "ACCESS_DENIED",
        message: expect.stringMatching(
          new RegExp(`^Access denied: .* is not within allowed ${access} paths$`),
        ),
      }),
    );
    expect(openedBelow(base)).toEqual([]);
    expect(readFileSync(join(base, "folder/file"), "utf8")).toBe("text");
    expect(readdirSync(join(base, "folder"))).toEqual(["file"]);
  });

  test.each(Object.entries(acts))("is looked for so often: %s", async (_, [act, looks]) => {
    let count = 0;
    await act({ ...procDisk, isAt: async (handle, real) => ((count += 1), procDisk.isAt(handle, real)) });
    expect(count).toBe(looks);
  });

  test("is refused once more before a file takes its name, where descriptors cannot be followed", async () => {
    const write = (when: number) =>
      replaceFile(disturbed(plainDisk, when), at("folder/file"), Buffer.from("x"));
    for (const when of [1, 2])
      await expect(write(when)).rejects.toThrow(
        expect.objectContaining({
          message: "Access denied: folder/file is not within allowed write paths",
        }),
      );
    expect(readdirSync(join(base, "folder"))).toEqual(["file"]);
    await write(3);
    expect(readFileSync(join(base, "folder/file"), "utf8")).toBe("x");
  });
});

describe.skipIf(process.platform === "win32")("a path that does not exist", () => {
  test.each([
    ["back", "folder/../gone/x", "gone/x"],
    ["back", "./folder/./../gone", "gone"],
    ["back", "../../../../../../../../gone", null],
    ["back", "folder/file", "folder/file"],
  ])("behind the link %s to %s is where the link leads", async (name, target, place) => {
    symlinkSync(target, join(base, name));
    expect(await follow(join(base, name, "end"))).toBe(
      place === null ? "/gone/end" : join(base, place, "end"),
    );
  });

  test("is found behind forty links, and not behind one more", async () => {
    const link = (count: number) => {
      for (let step = 0; step < count; step++)
        symlinkSync(step === count - 1 ? "gone" : `${count}-${step + 1}`, join(base, `${count}-${step}`));
      return join(base, `${count}-0`, "end");
    };
    expect(await follow(link(40))).toBe(join(base, "gone/end"));
    expect(await follow(link(41))).toBe(join(base, "41-40/end"));
  });
});

test.skipIf(process.platform === "win32")(
  "a file has the permissions that it is given, whatever the process usually takes away",
  async () => {
    const files = createFiles({ workingDir: base, read: [base], write: [base] });
    const modeOf = (name: string) => statSync(join(base, name)).mode & 0o777;
    const usual = process.umask();
    await files.replace("given", Buffer.from(""), { mode: 0o666 });
    await files.replace("usual", Buffer.from(""));
    expect([modeOf("given"), modeOf("usual")]).toEqual([0o666, 0o666 & ~usual]);
    await files.replace("given", Buffer.from("x"));
    expect(modeOf("given")).toBe(0o666);
    await files.replace("given", Buffer.from("x"), { mode: 0o600 });
    expect(modeOf("given")).toBe(0o600);
  },
);

test("a file that was read, marked or kept is replaced while it is still that one", async () => {
  const files = createFiles({ workingDir: base, read: [base], write: [base] });
  const identities = async () => [
    (await files.read("folder/file", 100)).identity,
    (await files.mark("folder/file", 100)).identity,
    (await files.snapshot("folder/file", all)).identity,
  ];
  for (let turn = 0; turn < 3; turn++) {
    const [read, ...others] = await identities();
    expect(others).toEqual([read, read]);
    expect(read).toMatch(/^\d+:\d+:\d+:\d{19}:\d{19}$/);
    await files.replace("folder/file", Buffer.from(`turn ${turn}`), { expected: read });
  }
  expect(readFileSync(join(base, "folder/file"), "utf8")).toBe("turn 2");
});
