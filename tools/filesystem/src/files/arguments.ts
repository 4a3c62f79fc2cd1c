import type { Omission } from "@toolmount/core";
import { z } from "zod";

/** Returns the schema of a text that must be present and not empty, with a message for that. */
export function requiredText(name: string) {
  const missing = `${name} is required`;
  return z.string({ error: ({ input }) => (input === undefined ? missing : undefined) }).min(1, missing);
}

/** The argument `file_path`, which most tools here have as their first. */
export const filePath = requiredText("file_path");

/** `old_string`, `new_string` and `replace_all`, for single and for multiple edits. */
export const editShape = {
  old_string: requiredText("old_string").describe(
    "Text to replace, exactly as it is in the file, without line numbers",
  ),
  new_string: z
    .string({ error: ({ input }) => (input === undefined ? "new_string is required" : undefined) })
    .describe("The new text; empty to delete the old one"),
  replace_all: z
    .boolean()
    .default(false)
    .describe("Replaces every occurrence; otherwise the text must occur exactly once"),
};

export const sameStrings = "old_string and new_string must be different (no changes to make)";

/** Whether an edit changes anything. */
export function differs({ old_string, new_string }: { old_string: string; new_string: string }): boolean {
  return old_string !== new_string;
}

/** Returns the entry of `omitted` for a folder's entries after the shown ones. */
export function moreEntries(rest: number, how: string): readonly Omission[] {
  if (rest <= 0) return [];
  const amount = `${rest} ${rest === 1 ? "entry" : "entries"}`;
  return [{ what: "more entries of the folder", amount, why: "the page is full", how }];
}
