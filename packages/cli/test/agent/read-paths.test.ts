import type { LayerChange } from "@toolmount/sandbox";
import { expect, test } from "vitest";
import { readPaths } from "../../src/agent/read-paths.ts";

const changesOf = (...paths: string[]) =>
  paths.map((path): LayerChange => ({ path, kind: "write", section: "files", former: null, next: null }));

test("files and parts of them are named as they are, or as they were shown", () => {
  const changes = changesOf("a.ts", "b:1", "caf\u{10ffe9}", "tab\t", String.raw`tab\t`);
  const named = ["a.ts:1,3", "b:1", String.raw`caf\xe9`, String.raw`tab\t`, "c.ts"];

  expect(readPaths(changes, named)).toEqual({
    paths: ["a.ts", "b:1", "caf\u{10ffe9}", String.raw`tab\t`],
    parts: { "a.ts": [0, 2] },
    unknown: ["c.ts"],
  });
});
