import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { world } from "./changing-world.ts";

type World = ReturnType<typeof world>;

const write =
  (name: string, text: string) =>
  ({ folder }: World) =>
    folder.put(name, text);
const remove =
  (name: string) =>
  ({ folder }: World) =>
    rmSync(folder.path(name), { recursive: true });
const mode =
  (name: string, bits: number) =>
  ({ folder }: World) =>
    chmodSync(folder.path(name), bits);
const replace =
  (name: string, make: (path: string) => void) =>
  ({ folder }: World) => {
    rmSync(folder.path(name), { recursive: true });
    make(folder.path(name));
  };
const link = (path: string) => symlinkSync("elsewhere", path);
const dir = (path: string) => mkdirSync(path);

const newText = { file_path: "a.txt", content: "new" };
const newFile = { file_path: "n/m/x", content: "new" };
const moved = { source: "a.txt", destination: "c.txt" };
const over = { source: "a.txt", destination: "b.bin", overwrite: true };

/** A call, what is changed after it, and what undoing it answers; null where it is undone. */
const rows: readonly [tool: string, given: object, change: (world: World) => void, answer: string | null][] =
  [
    [
      "write_file",
      newText,
      write("a.txt", "other"),
      "BASE/a.txt has another content or other permissions now; the call left it differently",
    ],
    [
      "write_file",
      newText,
      mode("a.txt", 0o600),
      "BASE/a.txt has another content or other permissions now; the call left it differently",
    ],
    ["write_file", newText, remove("a.txt"), "BASE/a.txt does not exist now; the call left it differently"],
    [
      "write_file",
      newText,
      replace("a.txt", link),
      "BASE/a.txt is another entry now; the call left it differently",
    ],
    [
      "write_file",
      newText,
      replace("a.txt", dir),
      "BASE/a.txt is another entry now; the call left it differently",
    ],
    ["write_file", newText, write("a.txt", "one\ntwo\n"), null],
    ["write_file", newFile, remove("n/m/x"), null],
    ["write_file", newFile, remove("n"), null],
    ["write_file", newFile, mode("n/m/x", 0o600), null],
    [
      "write_file",
      newFile,
      write("n/m/x", "other"),
      "BASE/n/m/x has another content or other permissions now; the call left it differently",
    ],
    ["write_file", newFile, write("n/other", "x"), null],
    ["move_file", moved, remove("c.txt"), "BASE/c.txt does not exist now; the call left it differently"],
    [
      "move_file",
      moved,
      write("c.txt", "other"),
      "BASE/c.txt has another content or other permissions now; the call left it differently",
    ],
    [
      "move_file",
      moved,
      write("a.txt", "other"),
      "BASE/a.txt has another content or other permissions now; the call left it differently",
    ],
    [
      "move_file",
      moved,
      replace("c.txt", link),
      "BASE/c.txt is another entry now; the call left it differently",
    ],
    [
      "move_file",
      over,
      write("b.bin", "other"),
      "BASE/b.bin has another content or other permissions now; the call left it differently",
    ],
    [
      "move_file",
      { source: "d", destination: "n/d" },
      write("n/d/new", "x"),
      "BASE/n/d is another entry now; the call left it differently",
    ],
    ["move_file", { source: "d", destination: "n/d" }, write("n/other", "x"), null],
    ["create_directory", { path: "n/m" }, write("n/m/x", "x"), "BASE/n/m has the entry x now"],
    ["create_directory", { path: "n/m" }, write("n/x", "x"), "BASE/n has the entry x now"],
    ["create_directory", { path: "n/m" }, remove("n/m"), null],
    ["create_directory", { path: "n/m" }, remove("n"), null],
    [
      "delete_file",
      { path: "a.txt" },
      write("a.txt", "other"),
      "File was changed by another writer: BASE/a.txt",
    ],
    [
      "delete_file",
      { path: "a.txt" },
      (given) => (write("a.txt", "one\ntwo\n")(given), mode("a.txt", 0o640)(given)),
      null,
    ],
    [
      "delete_file",
      { path: "d", recursive: true },
      write("d/new", "x"),
      "File was changed by another writer: BASE/d/new",
    ],
    ["delete_file", { path: "d/e", recursive: true }, remove("d"), "Path not found: BASE/d/e"],
    [
      "delete_file",
      { path: "link" },
      (given) => link(given.folder.path("link")),
      "File was changed by another writer: BASE/link",
    ],
  ];

test.each(rows)("%s %j", async (tool, given, change, answer) => {
  const here = world();
  const before = here.look();
  expect((await here.call(tool, given)).error).toBeUndefined();
  change(here);
  const { stopped, undone } = await here.session.undo();
  const { error, code } = stopped?.outcome.result ?? {};

  expect(error?.replaceAll(here.folder.base, "BASE") ?? null).toBe(answer);
  expect([code, undone.length]).toEqual(answer === null ? [undefined, 1] : ["CHANGED_SINCE", 0]);
  if (answer === null) {
    rmSync(here.folder.path("n"), { recursive: true, force: true });
    expect(here.look()).toEqual(before);
  }
});

test("a session remembers what it read or wrote, and forgets what it moved or deleted", async () => {
  const { call, folder } = world();
  const change = (name: string) => folder.put(name, "changed by another\n");
  await call("read_file", { file_path: "a.txt" });
  change("a.txt");
  const refused = {
    error: "File was changed since it was last read: a.txt. Read it again, then repeat the change.",
    code: "FILE_CHANGED",
    details: { path: "a.txt" },
  };
  expect(await call("write_file", { file_path: "a.txt", content: "x" })).toMatchObject(refused);
  expect(
    await call("edit_file", { file_path: "a.txt", old_string: "changed", new_string: "x" }),
  ).toMatchObject(refused);
  await call("move_file", { source: "a.txt", destination: "c.txt" });
  change("a.txt");
  expect(await call("write_file", { file_path: "a.txt", content: "x" })).toHaveProperty("data");
  change("a.txt");
  expect(await call("write_file", { file_path: "a.txt", content: "y" })).toMatchObject(refused);
  await call("delete_file", { path: "a.txt" });
  change("a.txt");
  expect(await call("write_file", { file_path: "a.txt", content: "z" })).toHaveProperty("data");
  rmSync(folder.path("a.txt"));
  await call("read_file", { file_path: "a.txt" });
  change("a.txt");
  expect(await call("write_file", { file_path: "a.txt", content: "z" })).toHaveProperty("data");
});

test("a file that became too large to be compared counts as changed", async () => {
  const { call, folder } = world({ max_read_bytes: 100 });
  await call("read_file", { file_path: "a.txt" });
  folder.put("a.txt", "x".repeat(101));

  expect(await call("write_file", { file_path: "a.txt", content: "x" })).toMatchObject({
    code: "FILE_CHANGED",
  });
  expect(await call("edit_file", { file_path: "a.txt", old_string: "x", new_string: "y" })).toMatchObject({
    code: "FILE_TOO_LARGE",
  });
});

test("a file that is a folder is listed to its thousandth entry", async () => {
  const { call, folder } = world();
  mkdirSync(folder.path("many"));
  for (let at = 0; at < 1002; at++) writeFileSync(folder.path(`many/${at}`), "");
  const { data, omitted } = (await call("read_file", { file_path: "many" })) as {
    data: { content: string };
    omitted: readonly object[];
  };

  expect(readdirSync(folder.path("many"))).toHaveLength(1002);
  expect([data.content.split("\n").length, omitted]).toEqual([
    1000,
    [expect.objectContaining({ what: "more entries of the folder", amount: "2 entries" })],
  ]);
});
