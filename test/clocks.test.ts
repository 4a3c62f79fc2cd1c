import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** A clock is read. Only a test that measures how long something took reads one so; a loaded machine makes each such time long. */
const measures =
  /(?:performance\.now|process\.hrtime(?:\.bigint)?)\(|\b(?:const|let) \w+ = Date\.now\(\)|Date\.now\(\) - (?!hours\b)[a-z]/;

test("no test measures the time that the clock shows, since a loaded machine makes it long", async () => {
  const files = glob(["packages/*/test/**/*.ts", "tools/*/test/**/*.ts", "test/**/*.ts"], {
    cwd: root,
    exclude: (name) => name.endsWith("node_modules") || name.endsWith("clocks.test.ts"),
  });
  const found: string[] = [];
  let read = 0;
  for await (const file of files) {
    read++;
    const lines = (await readFile(join(root, file), "utf8")).split("\n");
    for (const [at, line] of lines.entries()) if (measures.test(line)) found.push(`${file}:${at + 1}`);
  }

  expect(read).toBeGreaterThan(200);
  expect(found).toEqual([]);
});

test.each([
  ["const started = performance.now();", true],
  ["expect(performance.now() - started).toBeLessThan(5_000);", true],
  ["const took = Date.now() - started;", true],
  ["const from = process.hrtime.bigint();", true],
  ["const then = new Date(Date.now() - hours * 3_600_000);", false],
  ["const { user } = process.cpuUsage(before);", false],
])("of a test, %j is taken for a measurement: %s", (line, expected) => {
  expect(measures.test(line)).toBe(expected);
});
