import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { nodeFlags } from "../support/program.ts";

const bench = join(import.meta.dirname, "../../bench/program-memory.mjs");

interface Figures {
  readonly limitMb: number;
  readonly waiting: { readonly together: number; readonly ended: number; readonly megabytes: number };
  readonly filling: Figures["waiting"];
}

test("of a hundred programs 32 run at a time, and those that fill their memory take no more than it and their threads", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeFlags, bench, "--json"]);

  const { limitMb, waiting, filling } = JSON.parse(stdout) as Figures;
  expect([waiting.together, waiting.ended]).toEqual([32, 100]);
  expect([filling.together, filling.ended]).toEqual([32, 100]);
  // docs/programs.md says 26 for a thread. Without a limit each program that fills its memory takes 2,000.
  expect(waiting.megabytes).toBeLessThan(32 * 50);
  expect(filling.megabytes).toBeLessThan(32 * (50 + 16 + limitMb));
});
