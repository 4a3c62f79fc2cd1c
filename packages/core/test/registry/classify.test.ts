import { expect, test } from "vitest";
import { classify } from "../../src/registry/classify.ts";

const destructive = { category: "delete", consequenceLevel: "high", requiresConfirmation: true };

test.each([
  ["delete_file", { readOnlyHint: true }, destructive],
  ["fs.remove", undefined, destructive],
  ["gh_dropTable", { idempotentHint: true }, { ...destructive, idempotent: true }],
  ["crm.userDelete", { readOnlyHint: true }, destructive],
  ["DBDrop2", { readOnlyHint: true }, destructive],
  ["PURGE-CACHE", undefined, destructive],
  ["undeleted", undefined, {}],
  ["dropbox_upload", undefined, {}],
  ["list_deleted", { readOnlyHint: true }, { category: "read", consequenceLevel: "low", idempotent: true }],
  ["backdrop", undefined, {}],
  ["read", { readOnlyHint: true }, { category: "read", consequenceLevel: "low", idempotent: true }],
  ["act", { destructiveHint: true, idempotentHint: true }, { ...destructive, idempotent: true }],
  ["act", { idempotentHint: true }, { idempotent: true }],
  ["act", {}, {}],
  ["act", { destructiveHint: false }, { category: "write", consequenceLevel: "medium" }],
  ["act", { openWorldHint: true }, { category: "side_effect", consequenceLevel: "medium" }],
  ["act", { openWorldHint: false }, { category: "write", consequenceLevel: "medium" }],
] as const)("a server's tool %s with %j is classified as %j", (name, annotations, expected) => {
  expect(classify(name, annotations)).toEqual(expected);
});

test.each("delete remove drop destroy purge wipe erase truncate uninstall".split(" "))(
  "a tool whose name says %s takes something away, whatever its server says",
  (word) => {
    for (const name of [word, `${word}_rows`, `rows.${word.toUpperCase()}`])
      expect(classify(name, { readOnlyHint: true, destructiveHint: false })).toEqual(destructive);
    expect(classify(`${word}like`, undefined)).toEqual({});
  },
);
