import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readConditions } from "../../src/host/defaults.ts";

test("without a logger, warnings go to stderr as JSON lines, and nothing else goes anywhere", async () => {
  const source = resolve(import.meta.dirname, "../../src/host/default-logger.ts");
  const script = `
const { createDefaultLogger } = await import(${JSON.stringify(source)});
const logger = createDefaultLogger().child({ module: "m" });
logger.info({}, "quiet");
logger.warn({ a: 1 }, "loud");
`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    "-C",
    "@toolmount/source",
    "--input-type=module",
    "-e",
    script,
  ]);

  expect(stdout).toBe("");
  expect(JSON.parse(stderr)).toMatchObject({ level: 40, module: "m", a: 1, msg: "loud" });
});

test.each([
  [
    ["-C", "a", "--conditions=b", "--conditions", "c", "-C=d", "--no-warnings"],
    ["a", "b", "c", "d"],
  ],
  [["-C"], []],
  [[], []],
])("the conditions in the arguments %j are %j", (execArgv, conditions) => {
  expect(readConditions(execArgv)).toEqual(conditions);
});
