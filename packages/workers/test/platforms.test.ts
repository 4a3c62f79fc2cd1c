import { expect, test } from "vitest";
import { endWithParent } from "../src/border/plain.ts";
import { residentBytes } from "../src/process/resident-memory.ts";

const launch = { file: "/usr/bin/node", args: ["a.js"], env: { PATH: process.env["PATH"] ?? "" } };

test.each(["darwin", "win32"] as const)(
  "on %s a process starts without setpriv, and its memory is not measured",
  (platform) => {
    expect(endWithParent(launch, platform)).toEqual(launch);
    expect(residentBytes(process.pid, platform)).toBeUndefined();
  },
);

test("on Linux the memory of a process is measured", () => {
  expect(residentBytes(process.pid, "linux")).toBeGreaterThan(process.platform === "linux" ? 1_000_000 : -1);
});
