import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createHost, data, defineTool, type Host, type StateStore } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-filesystem";
import { createProcessMark } from "../../packages/loader/src/host/process-mark.ts";
import { z } from "zod";

/** The work that is undone: one call of each kind that changes files, and calls of a service. */
export const calls: readonly (readonly [name: string, given: Readonly<Record<string, unknown>>])[] = [
  ["write_file", { file_path: "new/deep/a.txt", content: "new" }],
  ["charge", { id: "one" }],
  ["edit_file", { file_path: "kept.txt", old_string: "kept", new_string: "changed" }],
  ["move_file", { source: "kept.txt", destination: "old.txt", overwrite: true }],
  ["create_directory", { path: "more/folders" }],
  ["charge", { id: "two" }],
  ["delete_file", { path: "tree", recursive: true }],
  ["move_file", { source: "new", destination: "tree" }],
];

/** A host with the file tools over a folder, and a service whose account is a list of lines in a file. */
export async function createUndoWorld(store: StateStore, folder: string, account: string): Promise<Host> {
  const host = createHost({ store, process: createProcessMark(), approver: () => ({ decision: "approve" }) });
  await mount(host.coordinator, config.parse({ working_dir: folder }));
  host.coordinator.mount("tools", charge(account));
  return host;
}

/** Books a charge, and books it back, without a look at the account: a second booking of either would be seen there. */
function charge(account: string) {
  return defineTool({
    name: "charge",
    description: "Books a charge. Use in tests. Not for anything else.",
    schema: z.strictObject({ id: z.string() }),
    category: "side_effect",
    consequenceLevel: "high",
    requiresConfirmation: false,
    async execute({ id }, { undoable }) {
      await undoable?.({ id });
      appendFileSync(account, `+${id}\n`);
      return data({ id });
    },
    async undo(change) {
      const { id } = change.data as { readonly id: string };
      await setTimeout(2); // another undo would come between
      appendFileSync(account, `-${id}\n`);
      return data({ id });
    },
  });
}

/** The lines of a file; none when it does not exist. */
export function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

/** The places of a world below one folder. */
export function placesIn(base: string) {
  return { folder: join(base, "files"), account: join(base, "account"), database: join(base, "state.db") };
}
