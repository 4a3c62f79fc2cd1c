import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readConditions } from "../../src/host/defaults.ts";

test("without a logger, warnings go to stderr as JSON lines, and nothing else goes anywhere", async () => {
  const source = resolve(import.meta.dirname, "../../src/host/defaults.ts");
  const script = `
const { fillOptions } = await import(${JSON.stringify(source)});
const { redactingLogger } = await import(${JSON.stringify(import.meta.resolve("@toolmount/core/internal"))});
const logger = redactingLogger(fillOptions({}).logger).child({ module: "m" });
logger.info({}, "quiet");
logger.warn({ a: 1, err: new RangeError("too far", { cause: new TypeError("no number") }) }, "loud");
`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    "-C",
    "@toolmount/source",
    "--input-type=module",
    "-e",
    script,
  ]);

  expect(stdout).toBe("");
  expect(JSON.parse(stderr)).toMatchObject({
    level: 40,
    module: "m",
    a: 1,
    err: { type: "RangeError", message: "too far: no number", stack: expect.stringContaining("TypeError") },
    msg: "loud",
  });
});

test("when no file can be opened, the first warning is still printed and the process keeps running", async () => {
  const source = resolve(import.meta.dirname, "../../src/host/defaults.ts");
  const script = `
const { openSync } = await import("node:fs");
const { fillOptions } = await import(${JSON.stringify(source)});
const logger = fillOptions({}).logger;
let code;
while (code === undefined) try { openSync("/dev/null"); } catch (error) { code = error.code; }
logger.warn({}, "the first");
logger.error({}, "the second");
process.on("exit", () => console.log("alive after", code));
`;
  const run = `ulimit -n 64; exec ${JSON.stringify(process.execPath)} -C @toolmount/source --input-type=module -e "$0"`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", run, script]);

  expect(stdout).toBe("alive after EMFILE\n");
  expect(stderr).toBe("the first\nthe second\n");
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
