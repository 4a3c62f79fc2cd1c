import * as module from "@toolmount/tool-filesystem";
import { createWorkspace, readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";
import { afterAll } from "vitest";
import { linkSync } from "node:fs";
import { join } from "node:path";

const workspace = await createWorkspace({
  "a.txt": "one\ntwo\n",
  "b.txt": "b",
  "long.txt": `${"x".repeat(3_000)}\n`,
  "rows.txt": "row\n".repeat(2_001),
  "zip.bin": "PK\u0003\u0004\0",
});
afterAll(() => workspace.remove());
linkSync(join(workspace.folder, "b.txt"), join(workspace.folder, "linked.txt"));

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-filesystem"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  config: { working_dir: workspace.folder },
  valid: {
    read_file: [{ file_path: "a.txt" }],
    list_directory: [{}],
    write_file: [{ file_path: "new.txt", content: "new" }],
    edit_file: [{ file_path: "a.txt", old_string: "one", new_string: "three" }],
    create_directory: [{ path: "folder" }],
  },
  partial: {
    read_file: [{ file_path: "long.txt" }, { file_path: "rows.txt" }, { file_path: "zip.bin" }],
    list_directory: [{ limit: 1 }],
    write_file: [{ file_path: "linked.txt", content: "new" }],
    edit_file: [],
    multi_edit_file: [],
    create_directory: [],
    move_file: [],
    delete_file: [],
  },
  invalid: {
    read_file: [{}, { file_path: "../outside.txt" }, { file_path: "gone.txt" }],
    edit_file: [{ file_path: "b.txt", old_string: "gone", new_string: "x" }],
  },
  usage: {
    create_directory: [/An existing folder is not an error/],
    delete_file: [/cannot be undone by you|cannot undo|cannot be undone/],
    edit_file: [/cannot succeed twice/, /complete or does not happen/],
    list_directory: [/changes nothing and is quick/, /next_offset/],
    move_file: [/cannot succeed twice/, /Nothing is replaced unless overwrite is true/],
    multi_edit_file: [/in order: each must find its text in the result of the earlier/, /stays unchanged/],
    read_file: [/changes nothing and is quick/, /at most limit lines/, /next_offset/],
    write_file: [/Writing the same content again changes nothing/, /The old content is lost/],
  },
});
