import { expect, test } from "vitest";
import { rows } from "./rows.ts";
import { stated, visit } from "./visit.ts";

// The whole zoo is in zoo.load.test.ts.
test.each(rows.filter((_, at) => at % 10 === 0))("a server that has $server is read: $host", async (row) => {
  const { text, ...expected } = stated(row);
  expect(await visit(row)).toEqual({ ...expected, text: expect.stringContaining(text) });
});
