import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import * as filesystem from "@toolmount/tool-filesystem";
import fc from "fast-check";
import { scratch } from "./scratch.ts";

/** A folder with files, folders, links and permissions, and a host's session over it. */
export function world(settings: object = {}) {
  const folder = scratch({
    "a.txt": "one\ntwo\n",
    "b.bin": Buffer.from([0, 255]),
    "d/x.txt": "x",
    "d/e/y.txt": "y",
  });
  symlinkSync("a.txt", folder.path("link"));
  symlinkSync("e", folder.path("d/down"));
  chmodSync(folder.path("a.txt"), 0o640);
  chmodSync(folder.path("d/e/y.txt"), 0o755);
  chmodSync(folder.path("d/e"), 0o711);
  const host = createHost({ approver: () => ({ decision: "approve" }) });
  const config = { working_dir: folder.base, ...settings };
  const { createWriteFile, createEditFile, createMultiEditFile, createMoveFile } = filesystem;
  const { createDeleteFile, createCreateDirectory, createReadFile, createListDirectory } = filesystem;
  const makers = [createWriteFile, createEditFile, createMultiEditFile, createMoveFile, createDeleteFile];
  for (const make of [...makers, createCreateDirectory, createReadFile, createListDirectory])
    host.coordinator.mount("tools", make(config));
  const session = host.session("s");
  return {
    folder,
    session,
    look: () => look(folder.base),
    call: async (name: string, given: object) =>
      (await session.call({ name, arguments: { ...given } })).result,
  };
}

/** Contents, permissions, links and folders, read without the package. */
function look(path: string): unknown {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return readlinkSync(path);
  if (stat.isFile()) return [stat.mode, readFileSync(path).toString("hex")];
  return [stat.mode, Object.fromEntries(readdirSync(path).map((name) => [name, look(join(path, name))]))];
}

export const path = fc.constantFrom(
  "a.txt",
  "b.bin",
  "link",
  "d",
  "d/x.txt",
  "d/e",
  "d/e/y.txt",
  "d/down",
  "d/down/y.txt",
  "new",
  "new/n.txt",
  "new/deep/n.txt",
);
const text = fc.constantFrom("", "one", "two\n", "x", "\u00e9\ud83d\ude00");
const edit = fc.record({
  old_string: fc.constantFrom("one", "x", "two"),
  new_string: text,
  replace_all: fc.boolean(),
});
/** A call of a tool that changes files, or would. */
export const anyCall = fc.oneof(
  fc.record({ name: fc.constant("write_file"), given: fc.record({ file_path: path, content: text }) }),
  fc.tuple(path, edit).map(([file_path, one]) => ({
    name: "edit_file",
    given: { file_path, ...one } as Record<string, unknown>,
  })),
  fc.record({
    name: fc.constant("multi_edit_file"),
    given: fc.record({ file_path: path, edits: fc.array(edit, { minLength: 1, maxLength: 2 }) }),
  }),
  fc.record({
    name: fc.constant("move_file"),
    given: fc.record({ source: path, destination: path, overwrite: fc.boolean() }),
  }),
  fc.record({ name: fc.constant("delete_file"), given: fc.record({ path, recursive: fc.boolean() }) }),
  fc.record({ name: fc.constant("create_directory"), given: fc.record({ path }) }),
);
