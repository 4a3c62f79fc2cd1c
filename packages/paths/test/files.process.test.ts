import {
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createFiles, type Files } from "@toolmount/paths";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { disks, plantTree, type Tree } from "./tree.ts";

describe.each(disks)("by %s descriptors", (disk) => {
  let tree: Tree;
  let files: Files;

  beforeEach(() => {
    tree = plantTree();
    onTestFinished(() => tree.remove());
    files = createFiles(tree.rules, { disk });
  });

  const work = (path: string) => join(tree.base, "work", path);
  const text = (path: string) => readFileSync(work(path), "utf8");
  const all = { offset: 0, limit: 1000 };
  const planted = Buffer.from("planted");

  test("a file over the limit is refused before it is read", async () => {
    writeFileSync(work("big"), Buffer.alloc(5000));

    await expect(files.read("big", 1000)).rejects.toMatchObject({
      code: "FILE_TOO_LARGE",
      details: { bytes: 5000, maxBytes: 1000 },
    });
  });

  test("a file of exactly the limit is read", async () => {
    writeFileSync(work("big"), Buffer.alloc(1000, "a"));

    expect((await files.read("big", 1000)).bytes).toHaveLength(1000);
  });

  test("an empty file is read as nothing", async () => {
    writeFileSync(work("empty"), "");

    expect((await files.read("empty", 1000)).bytes).toHaveLength(0);
  });

  test("a file that says it is empty is read to its end, and no further than the limit", async () => {
    const proc = createFiles({ workingDir: "/proc/self", read: ["/proc/self"], write: [] }, { disk });

    expect((await proc.read("status", 100_000)).bytes.toString()).toContain("Name:");
    await expect(proc.read("status", 10)).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  });

  test("a pipe is refused at once for reading and writing, and can be removed", async () => {
    await expect(files.read("pipe", 1000)).rejects.toMatchObject({ code: "NOT_A_FILE" });
    await expect(files.replace("pipe", planted)).rejects.toMatchObject({ code: "NOT_A_FILE" });
    await expect(files.move("pipe", "pipe2", { overwrite: false })).rejects.toMatchObject({
      code: "NOT_A_FILE",
    });
    expect(await files.remove("pipe", { recursive: false })).toMatchObject({ removed: 1 });
  });

  test("a socket is no file", async () => {
    const server = createServer().listen(work("socket"));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));

    await expect(files.read("socket", 1000)).rejects.toMatchObject({ code: "NOT_A_FILE" });
    await expect(files.replace("socket", planted)).rejects.toMatchObject({ code: "NOT_A_FILE" });
  });

  test.each([
    { act: "reading a folder", run: () => files.read("notes", 1000), code: "IS_A_DIRECTORY" },
    { act: "writing a folder", run: () => files.replace("notes", planted), code: "IS_A_DIRECTORY" },
    { act: "writing a root", run: () => files.replace(".", planted), code: "IS_A_DIRECTORY" },
    { act: "listing a file", run: () => files.list("readme.txt", all), code: "NOT_A_DIRECTORY" },
    { act: "listing what is not there", run: () => files.list("nope", all), code: "NOT_FOUND" },
    { act: "reading what is not there", run: () => files.read("nope", 1000), code: "NOT_FOUND" },
    { act: "reading below a file", run: () => files.read("readme.txt/x", 1000), code: "NOT_FOUND" },
    {
      act: "writing below a file",
      run: () => files.replace("readme.txt/x", planted),
      code: "NOT_A_DIRECTORY",
    },
    { act: "a folder below a file", run: () => files.makeFolder("readme.txt/x"), code: "NOT_A_DIRECTORY" },
    { act: "a folder over a file", run: () => files.makeFolder("readme.txt"), code: "NOT_A_DIRECTORY" },
    {
      act: "removing what is not there",
      run: () => files.remove("nope", { recursive: true }),
      code: "NOT_FOUND",
    },
    {
      act: "removing below nothing",
      run: () => files.remove("no/pe", { recursive: true }),
      code: "NOT_FOUND",
    },
    {
      act: "removing a full folder",
      run: () => files.remove("notes", { recursive: false }),
      code: "DIRECTORY_NOT_EMPTY",
    },
    {
      act: "moving what is not there",
      run: () => files.move("nope", "x", { overwrite: true }),
      code: "NOT_FOUND",
    },
    {
      act: "moving onto a file",
      run: () => files.move("-rf", "readme.txt", { overwrite: false }),
      code: "ALREADY_EXISTS",
    },
    {
      act: "moving onto a file of the same name in another folder",
      run: () => {
        writeFileSync(work("notes/readme.txt"), "there");
        return files.move("readme.txt", "notes/readme.txt", { overwrite: false });
      },
      code: "ALREADY_EXISTS",
    },
    {
      act: "moving onto a folder",
      run: () => files.move("-rf", "notes", { overwrite: true }),
      code: "ALREADY_EXISTS",
    },
    {
      act: "moving a folder onto a file",
      run: () => files.move("notes", "-rf", { overwrite: true }),
      code: "ALREADY_EXISTS",
    },
    {
      act: "moving a folder into itself",
      run: () => files.move("tree", "tree/sub/tree", { overwrite: false }),
      code: "OS_ERROR",
    },
    {
      act: "moving a link",
      run: () => files.move("in.txt", "moved", { overwrite: false }),
      code: "NOT_A_FILE",
    },
  ])("$act is $code", async ({ run, code }) => {
    const before = readdirSync(work(".")).toSorted();

    await expect(run()).rejects.toMatchObject({ code });
    expect(readdirSync(work(".")).toSorted()).toEqual(before);
  });

  test("what the system says is reported without the place it happened", async () => {
    const error = await files
      .move("tree", "tree/sub/tree", { overwrite: false })
      .catch((thrown: Error) => thrown);

    expect(error).toMatchObject({ message: "invalid argument (EINVAL): tree" });
  });

  test.each([".", "{T}/work", "nested", "nested/root", "up/work", ".git", "plan.yaml", "{T}/alias-root"])(
    "%s is or holds a root or a denied path: it is neither removed nor moved",
    async (path) => {
      const before = tree.outside();
      const filled = tree.fill(path);

      await expect(files.remove(filled, { recursive: true })).rejects.toMatchObject({
        code: "ACCESS_DENIED",
      });
      await expect(files.move(filled, "gone", { overwrite: false })).rejects.toMatchObject({
        code: "ACCESS_DENIED",
      });
      expect(tree.outside()).toBe(before);
      expect(text("nested/root/file.txt")).toContain("INSIDE");
    },
  );

  test("the error for a folder that holds a root or a denied path says so", async () => {
    await expect(files.remove("nested", { recursive: true })).rejects.toThrow(
      "holds a root or a denied path, and cannot be moved or removed",
    );
  });

  test("writing makes the folders above, and takes nothing but the name", async () => {
    await files.replace("new/deep/file.txt", planted);

    expect(text("new/deep/file.txt")).toBe("planted");
    expect(readdirSync(work("new/deep"))).toEqual(["file.txt"]);
  });

  test("writing keeps permissions, and breaks a hard link instead of writing through it", async () => {
    linkSync(work("-rf"), work("other-name"));
    await files.replace("-rf", planted);

    expect(statSync(work("-rf")).mode & 0o777).toBe(0o640);
    expect(text("other-name")).toContain("INSIDE");
  });

  test("writing through a link inside writes its target and leaves the link", async () => {
    await files.replace("in.txt", planted);

    expect(text("notes/todo.md")).toBe("planted");
    expect(readlinkSync(work("in.txt"))).toBe("notes/todo.md");
  });

  test("writing through a link that dangles inside makes its target", async () => {
    await files.replace("in-dangling", planted);

    expect(text("notes/not-yet.txt")).toBe("planted");
    expect(lstatSync(work("in-dangling")).isSymbolicLink()).toBe(true);
  });

  test("a write that expected another file changes nothing", async () => {
    const { identity } = await files.read("readme.txt", 1000);
    writeFileSync(work("readme.txt"), "by another process");
    const write = (expected: typeof identity | null) => files.replace("readme.txt", planted, { expected });

    await expect(write(identity)).rejects.toMatchObject({ code: "FILE_CHANGED" });
    await expect(write(null)).rejects.toMatchObject({ code: "FILE_CHANGED" });
    expect(text("readme.txt")).toBe("by another process");
    expect(readdirSync(work(".")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("a write that is cancelled leaves the old file, and nothing beside it", async () => {
    const signal = AbortSignal.abort();

    await expect(files.replace("readme.txt", planted, { signal })).rejects.toHaveProperty(
      "name",
      "AbortError",
    );
    expect(text("readme.txt")).toContain("INSIDE");
    expect(readdirSync(work(".")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("of many writers at once one wins, whole", async () => {
    const texts = Array.from({ length: 40 }, (_, at) => String(at % 10).repeat(50_000));
    await Promise.all(texts.map((content) => files.replace("race.txt", Buffer.from(content))));

    expect(texts).toContain(text("race.txt"));
    expect(readdirSync(work(".")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("a reader beside a writer sees one version or the other", async () => {
    const [one, two] = ["1".repeat(50_000), "2".repeat(50_000)];
    await files.replace("race.txt", Buffer.from(one));
    const writes = Array.from({ length: 50 }, (_, at) =>
      files.replace("race.txt", Buffer.from(at % 2 ? one : two)),
    );
    const reads = Array.from({ length: 50 }, () => files.read("race.txt", 100_000));

    for (const { bytes } of await Promise.all(reads)) expect([one, two]).toContain(bytes.toString());
    await Promise.all(writes);
  });

  test("what a killed process left behind is removed from a folder that is written, after an hour, and nothing else", async () => {
    const id = "01234567-89ab-cdef-0123-456789abcdef";
    const hoursAgo = (path: string, hours: number) => {
      const then = new Date(Date.now() - hours * 3_600_000);
      utimesSync(work(path), then, then);
    };
    const old = [`.toolmount-${id}.tmp`, ".toolmount-notes.tmp", `toolmount-${id}.tmp`];
    for (const name of old) writeFileSync(work(`tree/${name}`), "left");
    for (const name of old) hoursAgo(`tree/${name}`, 2);
    const young = `.toolmount-${id.replace("0", "f")}.tmp`;
    writeFileSync(work(`tree/${young}`), "at work");
    hoursAgo(`tree/${young}`, 0.9);
    await files.replace("tree/new.txt", planted);

    expect(
      readdirSync(work("tree"))
        .filter((name) => name.includes("toolmount"))
        .toSorted(),
    ).toEqual([".toolmount-notes.tmp", `toolmount-${id}.tmp`, young].toSorted());
    expect(text("tree/new.txt")).toBe("planted");
  });

  test("looking at names reports what is there, links as links, and null for what is not or may not be named", async () => {
    const names = ["one.txt", "sub", "out-dir", "gone", "", "..", "sub/two.txt", "a\0"];
    const found = await files.look("tree", names);

    expect(found).toEqual([
      {
        name: "one.txt",
        kind: "file",
        bytes: 25,
        modifiedMs: Math.trunc(statSync(work("tree/one.txt")).mtimeMs),
      },
      expect.objectContaining({ name: "sub", kind: "directory" }),
      expect.objectContaining({ name: "out-dir", kind: "link" }),
      null,
      null,
      null,
      null,
      null,
    ]);
    await expect(files.look("readme.txt", [])).rejects.toMatchObject({ code: "NOT_A_DIRECTORY" });
    await expect(files.look("gone", [])).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a denied entry is as if it were not there", async () => {
    const strict = createFiles({ ...tree.rules, deniedRead: [work("tree/sub")] }, { disk });

    expect(await strict.look("tree", ["sub", "one.txt"])).toMatchObject([null, { name: "one.txt" }]);
  });

  test("a listing reports links as links, folders first, a page at a time", async () => {
    const whole = await files.list("tree", all);
    const page = await files.list("tree", { offset: 1, limit: 2 });

    expect(whole.entries).toEqual([
      { name: "sub", kind: "directory" },
      { name: "one.txt", kind: "file", bytes: 25 },
      { name: "out-dir", kind: "link" },
      { name: "out.txt", kind: "link" },
    ]);
    expect(page).toEqual({ entries: whole.entries.slice(1, 3), total: 4, isComplete: true });
  });

  test("a folder with links out is removed with its links, and nothing they lead to", async () => {
    const before = tree.outside();

    expect(await files.remove("tree", { recursive: true })).toMatchObject({ removed: 7 });
    expect(readdirSync(work("."))).not.toContain("tree");
    expect(tree.outside()).toBe(before);
  });

  test("removing a link inside removes the link", async () => {
    await files.remove("in-dir", { recursive: true });

    expect(readdirSync(work("."))).not.toContain("in-dir");
    expect(text("notes/todo.md")).toContain("INSIDE");
  });

  test("a file is moved, also over another when that is asked for", async () => {
    await files.move("-rf", "a/b/moved", { overwrite: false });
    await files.move("--", "a/b/moved", { overwrite: true });

    expect(text("a/b/moved")).toContain("INSIDE work/--");
    expect(readdirSync(work("."))).not.toContain("--");
  });

  test("a folder is moved with all that is in it", async () => {
    await files.move("notes", "elsewhere/notes", { overwrite: false });

    expect(text("elsewhere/notes/deep/a/b/c.txt")).toContain("INSIDE");
  });

  test("what may not be read cannot be moved to where it may", async () => {
    const { workingDir, write } = tree.rules;
    const blind = createFiles({ workingDir, read: [work("notes")], write }, { disk });

    await expect(blind.move("readme.txt", "notes/readme.txt", { overwrite: false })).rejects.toMatchObject({
      code: "ACCESS_DENIED",
      details: { reason: "read" },
    });
  });

  test("a name that is denied in any folder cannot be written in any, whichever of the names it is", async () => {
    const deniedWrite = ["**/.env", "**/*.pem"];
    const careful = createFiles({ ...tree.rules, deniedWrite }, { disk });

    for (const path of [".env", "notes/.env", "key.pem", "notes/deep/key.pem", "key.pem/x"])
      await expect(careful.replace(path, planted), path).rejects.toMatchObject({
        code: "ACCESS_DENIED",
        details: { reason: "denied" },
      });
    for (const path of [".env.sample", "notes/key.pem.txt", "x.env"]) {
      await careful.replace(path, planted);
      expect(text(path)).toBe("planted");
    }
  });

  test("making a folder twice is fine, and reports which time made it", async () => {
    expect(await files.makeFolder("x/y/z")).toBe(true);
    expect(await files.makeFolder("x/y/z")).toBe(false);
  });
});
