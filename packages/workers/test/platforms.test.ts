import { expect, test } from "vitest";
import { endWithParent } from "../src/border/plain.ts";
import { usageOf } from "@toolmount/paths/system";

const launch = { file: "/usr/bin/node", args: ["a.js"], env: { PATH: process.env["PATH"] ?? "" } };

test.each(["darwin", "win32"] as const)(
  "on %s a process starts without setpriv, and its memory is not measured",
  (platform) => {
    expect(endWithParent(launch, platform)).toEqual(launch);
    expect(usageOf(process.pid, { maxProcesses: 8 }, platform)).toBeUndefined();
  },
);

test("on Linux the memory of a process is measured", () => {
  const { bytes } = usageOf(process.pid, { maxProcesses: 8 }, "linux")!;
  expect(bytes).toBeGreaterThan(process.platform === "linux" ? 1_000_000 : -1);
});
