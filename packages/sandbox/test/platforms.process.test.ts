import { spawn } from "node:child_process";
import { statfsSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { endWithParent } from "../src/index.ts";
import { usageOf } from "../src/index.ts";

const launch = { file: "/usr/bin/node", args: ["a.js"], env: { PATH: process.env["PATH"] ?? "" } };

test.each(["darwin", "win32"] as const)(
  "on %s a process starts without setpriv, and its memory is not measured",
  (platform) => {
    expect(endWithParent(launch, platform)).toEqual(launch);
    expect(usageOf(process.pid, { maxProcesses: 8 }, platform)).toBeUndefined();
  },
);

test.runIf(process.platform === "linux")(
  "while a sandbox is made its process sees the machine's folders, whose files are not its own",
  async () => {
    const child = spawn("sh", ["-c", "sleep 600 & wait"], { detached: true });
    onTestFinished(() => void process.kill(-child.pid!, "SIGKILL"));
    await vi.waitFor(() => expect(usageOf(child.pid!, { maxProcesses: 8 })!.processes).toBe(2));
    const { blocks, bfree, bsize } = statfsSync("/");
    expect((blocks - bfree) * bsize).toBeGreaterThan(100_000_000);
    expect(usageOf(child.pid!, { maxProcesses: 8, folders: ["/"] })!.bytes).toBeLessThan(100_000_000);
  },
);

test("on Linux the memory of a process is measured", () => {
  const { bytes } = usageOf(process.pid, { maxProcesses: 8 }, "linux")!;
  expect(bytes).toBeGreaterThan(process.platform === "linux" ? 1_000_000 : -1);
});
