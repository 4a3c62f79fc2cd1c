import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { httpErrorCodes } from "@toolmount/http";
import { expect, test } from "vitest";

test("docs/reference/http-errors.md has a row for every code of the server, and no other", async () => {
  const page = await readFile(join(import.meta.dirname, "../../../docs/reference/http-errors.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| \d{3} /gm)].map(([, code]) => code);

  expect(new Set(rows)).toEqual(new Set(httpErrorCodes));
});
