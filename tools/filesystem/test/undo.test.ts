import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCall, world } from "./changing-world.ts";

test("every prefix of any sequence of calls is undone to the exact former state", async () => {
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 12 }), async (calls) => {
      const { session, look: seen, call, folder } = world();
      const states = [{ state: seen(), number: 0 }];
      for (const { name, given } of calls) {
        const { error } = await call(name, given);
        if (error === undefined) changed += 1;
        states.push({ state: seen(), number: (await session.changes()).at(-1)?.number ?? 0 });
      }
      for (const { state, number } of states.toReversed()) {
        const { stopped, irreversible } = await session.undo({ after: number });
        expect([stopped, irreversible]).toEqual([null, []]);
        expect(seen()).toEqual(state);
      }
      rmSync(folder.base, { recursive: true });
    }),
    { numRuns: Number(process.env["TOOLMOUNT_LONG"] === "1" ? 2_000 : 120) },
  );
  expect(changed).toBeGreaterThan(100);
}, 300_000);

describe("a call whose change is no longer as it left it is not undone, and the failure says why", () => {
  test.each([
    ["write_file", { file_path: "a.txt", content: "new" }, ["a.txt", "other"], "a.txt has another content"],
    ["write_file", { file_path: "new/n", content: "new" }, ["new/n", "other"], "new/n has another content"],
    [
      "edit_file",
      { file_path: "a.txt", old_string: "one", new_string: "1" },
      ["a.txt", null],
      "a.txt does not exist",
    ],
    ["create_directory", { path: "new/deep" }, ["new/other", "x"], "new has the entry other"],
    ["delete_file", { path: "a.txt" }, ["a.txt", "other"], "a.txt"],
    ["delete_file", { path: "d", recursive: true }, ["d/other", "x"], "d/other"],
    ["move_file", { source: "a.txt", destination: "c.txt" }, ["a.txt", "other"], "a.txt has another content"],
    ["move_file", { source: "a.txt", destination: "c.txt" }, ["c.txt", "other"], "c.txt has another content"],
  ] as const)("%s %j", async (name, given, change, words) => {
    const { session, look: seen, call, folder } = world();
    expect((await call(name, given)).error).toBeUndefined();
    const [file, content] = change;
    if (content === null) rmSync(folder.path(file));
    else folder.put(file, content);
    const before = seen();

    const { undone, stopped } = await session.undo();
    expect(undone).toEqual([]);
    expect(stopped!.outcome.result).toMatchObject({
      code: "CHANGED_SINCE",
      error: expect.stringContaining(words),
    });
    expect(seen()).toEqual(before);
  });
});

test("the edit of a file with setuid says that the bit is gone, and its undo brings it back", async () => {
  const { session, call, folder } = world();
  chmodSync(folder.path("a.txt"), 0o4755);
  const { omitted } = await call("edit_file", { file_path: "a.txt", old_string: "one", new_string: "1" });

  expect(omitted).toMatchObject([{ what: "its special permissions" }]);
  expect((await session.undo()).stopped).toBeNull();
  expect(statSync(folder.path("a.txt")).mode & 0o7777).toBe(0o4755);
});

test("folders that a write made stay when others use them, and the file goes", async () => {
  const { session, call, folder } = world();
  await call("write_file", { file_path: "new/n.txt", content: "n" });
  folder.put("new/other.txt", "x");
  expect((await session.undo()).stopped).toBeNull();
  expect(readdirSync(folder.path("new"))).toEqual(["other.txt"]);
});

test("a move that ended between its two steps is undone to one file", async () => {
  const { session, call, folder, look: seen } = world();
  const before = seen();
  await call("move_file", { source: "a.txt", destination: "b.bin", overwrite: true });
  // As if the undo had died after it made the old name, and before it made the replaced file again.
  writeFileSync(folder.path("a.txt"), readFileSync(folder.path("b.bin")));
  chmodSync(folder.path("a.txt"), 0o640);
  expect((await session.undo()).stopped).toBeNull();
  expect(seen()).toEqual(before);
});

test("what is too large, or may not be read, is announced as irreversible, and the call says so", async () => {
  const { session, call, folder } = world({ denied_read_paths: ["b.bin"], max_write_bytes: 100 });
  folder.put("big.txt", "x".repeat(13_000_000));
  const results = [
    await call("write_file", { file_path: "b.bin", content: "new" }),
    await call("write_file", { file_path: "big.txt", content: "new" }),
    await call("delete_file", { path: "d", recursive: true }),
  ];
  expect(results.map(({ warnings }) => warnings)).toEqual([
    ["this call cannot be undone: a part of what it replaces or deletes may not be read"],
    ["this call cannot be undone: what it replaces or deletes has more than 12582912 bytes"],
    undefined,
  ]);
  const { undone, irreversible } = await session.undo();
  expect([undone.length, irreversible.length]).toEqual([1, 2]);
  expect(existsSync(folder.path("d/e/y.txt"))).toBe(true);
});

test("calls that fail, and calls without a session, keep nothing to undo that changed nothing", async () => {
  const { session, call, look: seen, folder } = world();
  mkdirSync(folder.path("empty"));
  const before = seen();
  await call("delete_file", { path: "d" });
  await call("move_file", { source: "a.txt", destination: "b.bin" });
  await call("edit_file", { file_path: "a.txt", old_string: "no such text", new_string: "x" });
  await call("create_directory", { path: "empty" });
  await call("write_file", { file_path: "d", content: "x" });
  expect(await session.changes()).toEqual([]);
  expect(seen()).toEqual(before);
});
