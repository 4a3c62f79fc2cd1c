import { expect, test } from "vitest";
import { rows } from "./rows.ts";
import { stated, visit } from "./visit.ts";

test.each(rows)("a server that has $server is read: $host", async (row) => {
  const { text, ...expected } = stated(row);
  expect(await visit(row)).toEqual({ ...expected, text: expect.stringContaining(text) });
});
