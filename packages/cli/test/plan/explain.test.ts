import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, workspace } from "../support/workspace.ts";

const page = join(root, "docs/reference/errors.md");
const carried = join(root, "packages/cli/schema/errors.md");

test("the package carries the page of errors: TOOLMOUNT_WRITE=1 writes it again", async () => {
  if (process.env["TOOLMOUNT_WRITE"] === "1") await writeFile(carried, await readFile(page));
  expect(await readFile(carried, "utf8")).toBe(await readFile(page, "utf8"));
});

test("explain says what a code means, in any case, and lists all", async () => {
  const { here: run } = await workspace({});
  const one = await run(["explain", "lock_drift"]);
  expect(one.code).toBe(0);
  expect(one.stdout).toMatch(/^LOCK_DRIFT\n/);
  const { codes } = (await run(["explain", "--json"])).json() as { codes: string[] };
  const headings = [...(await readFile(page, "utf8")).matchAll(/^## ([A-Z][A-Z0-9_]+)$/gm)].map(
    ([, code]) => code,
  );
  expect(codes).toEqual(headings);
  const wrong = await run(["explain", "LOCK_DRIFTED"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("did you mean LOCK_DRIFT?")]);
});
