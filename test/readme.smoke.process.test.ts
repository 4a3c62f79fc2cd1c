import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkTypes, followOnce, tryPage } from "./support/doc-blocks.ts";

const root = join(import.meta.dirname, "..");

/** What a stranger reads first. */
const pages = ["README.md", "docs/first-tool.md"];

let base: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "toolmount readme ")));
});
afterAll(() => rm(base, { recursive: true }));

const follow = followOnce((page) => tryPage(root, page, base));

test.each(pages)("the steps of %s work as the page says", async (page) => {
  expect(await follow.one(page)).toBeGreaterThan(0);
});

test("the files that these pages make have the types that the packages declare", async () => {
  await follow.all(pages);

  await expect(checkTypes(root, base)).resolves.toBeUndefined();
});
