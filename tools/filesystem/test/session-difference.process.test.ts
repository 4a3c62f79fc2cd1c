import { createHost } from "@toolmount/core";
import * as filesystem from "@toolmount/tool-filesystem";
import { expect, test } from "vitest";
import { scratch } from "./scratch.ts";

/** A session with the file tools of one module over a folder. */
async function world() {
  const folder = scratch({ "a.txt": "one\ntwo\nthree\n", "d/x.txt": "x", "d/e/y.txt": "y" });
  const host = createHost({ approver: () => ({ decision: "approve" }) });
  const draft = host.draft();
  const { coordinator } = draft.addModule({ id: "files" });
  await filesystem.mount(coordinator, filesystem.config.parse({ working_dir: folder.base }));
  await draft.commit();
  const session = host.session("s");
  const call = async (name: string, given: object) =>
    expect((await session.call({ name, arguments: { ...given } })).result.error).toBeUndefined();
  return { folder, session, call };
}

test("all changes of a session are one difference: each file from its first state to its last one", async () => {
  const { session, call } = await world();
  await call("edit_file", { file_path: "a.txt", old_string: "two", new_string: "2" });
  await call("edit_file", { file_path: "a.txt", old_string: "2", new_string: "TWO" });
  await call("write_file", { file_path: "new/n.txt", content: "first" });
  await call("write_file", { file_path: "new/n.txt", content: "second" });
  await call("write_file", { file_path: "gone.txt", content: "only for a moment" });
  await call("delete_file", { path: "gone.txt" });
  await call("delete_file", { path: "d", recursive: true });

  expect(await session.difference()).toEqual({
    effects: [
      { target: "a.txt", change: "change", difference: " one\n-two\n+TWO\n three" },
      { target: "d", change: "delete" },
      { target: "d/e", change: "delete" },
      { target: "d/e/y.txt", change: "delete", difference: "-y" },
      { target: "d/x.txt", change: "delete", difference: "-x" },
      { target: "new/n.txt", change: "create", difference: "+second" },
    ],
    unknown: [],
  });
});

test("a file that was changed, moved and changed again is one that goes and one that comes", async () => {
  const { session, call } = await world();
  await call("edit_file", { file_path: "a.txt", old_string: "two", new_string: "2" });
  await call("move_file", { source: "a.txt", destination: "b.txt" });
  await call("edit_file", { file_path: "b.txt", old_string: "three", new_string: "3" });

  expect((await session.difference()).effects).toEqual([
    { target: "a.txt", change: "delete", difference: "-one\n-two\n-three" },
    { target: "b.txt", change: "create", difference: "+one\n+2\n+3" },
  ]);
});

test("what is undone again is not in it, and a part of the changes can be chosen", async () => {
  const { session, call } = await world();
  await call("write_file", { file_path: "a.txt", content: "new\n" });
  await call("write_file", { file_path: "b.txt", content: "b" });
  const [first] = await session.changes();

  const { effects } = await session.difference({ after: first!.number });
  expect(effects).toEqual([{ target: "b.txt", change: "create", difference: "+b" }]);
  await session.undo();
  expect(await session.difference()).toEqual({ effects: [], unknown: [] });
});
