import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

test("the demo exits with 0, shows how calls end, and asks no questions", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["-C", "@toolmount/source", "scripts/demo.mjs"],
    {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    },
  );

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const shown of [
    /^read_file +read +low +run +filesystem +/m,
    /✔ ok read_file \d+ ms\n.*# toolmount/,
    /✔ ok edit_file \d+ ms\n +The tools are mounted by a plan\./,
    /✖ failed edit_file ACCESS_DENIED/,
    /✖ invalid read_file INVALID_ARGUMENTS/,
    /✖ timed_out testing_delay TIMED_OUT/,
    /✖ denied delete_file DENIED/,
    /✔ ok delete_file/,
    /no model is asked/,
    /^The note now says that the tools are mounted by a plan\./m,
    /3 requests · 4 calls/,
    /approval:granted +delete_file · by the demo/,
    /tool:post +delete_file/,
  ]) {
    expect(stdout).toMatch(shown);
  }
  expect(stdout.split("\n").length).toBeLessThan(100);
});
