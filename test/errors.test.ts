import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCodes } from "@toolmount/core";
import { expect, test } from "vitest";

test("docs/reference/errors.md explains every code, and no other", async () => {
  const page = await readFile(join(import.meta.dirname, "../docs/reference/errors.md"), "utf8");
  const sections = page.split(/^## /m).slice(1);
  const explained = sections.map((section) => /^.*/.exec(section)?.[0] ?? "");

  expect(new Set(explained)).toEqual(new Set(errorCodes));
  expect(explained).toHaveLength(errorCodes.length);
  for (const section of sections) expect(section.split("\n").slice(1).join("").trim(), section).not.toBe("");
});
