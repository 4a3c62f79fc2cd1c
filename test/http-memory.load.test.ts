import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { nodeFlags } from "./support/program.ts";

const program = join(import.meta.dirname, "../bench/http-memory.mjs");

test("an idle session and an open stream take about as much memory as docs/serve-http.md says", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeFlags, program, "--json"]);

  const figures = JSON.parse(stdout) as Record<string, number>;
  // Sizes of the heap after a collection: they hardly depend on the machine. The page says 5 and 17.
  expect(figures["idle session"]).toBeGreaterThan(1);
  expect(figures["idle session"]).toBeLessThan(8);
  expect(figures["open stream"]).toBeGreaterThan(5);
  expect(figures["open stream"]).toBeLessThan(24);
});
