import type { Omission } from "@toolmount/core";
import { z } from "zod";

/** Returns a text that must be there and not be empty, with the sentence that says so. */
export function requiredText(name: string) {
  const missing = `${name} is required`;
  return z.string({ error: ({ input }) => (input === undefined ? missing : undefined) }).min(1, missing);
}

/** The argument most tools of this family begin with. */
export const filePath = requiredText("file_path");

/** `old_string`, `new_string` and `replace_all`, as single and multiple edits take them. */
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

/** The entries of a folder after those that are shown. */
export function moreEntries(rest: number, how: string): readonly Omission[] {
  if (rest <= 0) return [];
  const amount = `${rest} ${rest === 1 ? "entry" : "entries"}`;
  return [{ what: "more entries of the folder", amount, why: "the page is full", how }];
}
