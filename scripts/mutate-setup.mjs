// Records when a test file starts and ends, and which one it is: also for the processes that it starts.
import { appendFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

const { TOOLMOUNT_REACHED: log } = process.env;
const file = expect.getState().testPath;
process.env["TOOLMOUNT_TEST_FILE"] = file;
const write = (word) => appendFileSync(log, `${word} ${Date.now()} ${file}\n`);

write("start");
afterAll(() => write("end"));
