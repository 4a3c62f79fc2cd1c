import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProgram, launchInSandbox, usageOf, type SandboxLaunch } from "../src/index.ts";

/** A folder with a program `bwrap` and a link to another program. */
function programs() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-programs-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["bwrap", "real"]) {
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
  }
  symlinkSync("real", join(folder, "linked"));
  return folder;
}

const mounts = { cwd: "/work", read: ["/docs"], write: [], denied: [], network: false };

test("a program is found in the first folder of a PATH that has it", () => {
  const [first, second] = [programs(), programs()];

  expect(findProgram("real", ["", "/nowhere", second, first].join(delimiter))).toBe(join(second, "real"));
  expect(findProgram("gone", first)).toBeUndefined();
  expect(findProgram("bwrap")).toBeUndefined();
});

test("a program starts in a sandbox by its name on PATH or by its whole path, and its own file can be read", () => {
  const folder = programs();
  const launch = (command: string) =>
    launchInSandbox({ command, args: ["-a", "b"], env: { PATH: folder, A: "1" } }, mounts);
  const byName = launch("linked");
  const byPath = launch(join(folder, "linked"));

  expect(byName).toEqual(byPath);
  expect(byName).toMatchObject({ file: join(folder, "bwrap"), env: { PATH: folder, A: "1" } });
  const { args } = byName as SandboxLaunch;
  expect(args.slice(-4)).toEqual(["--", join(folder, "linked"), "-a", "b"]);
  for (const path of [join(folder, "linked"), join(folder, "real"), "/docs"]) expect(args).toContain(path);
  expect(launch("gone")).toEqual({ problem: '"gone" is not on PATH' });
});

test.runIf(process.platform === "linux")(
  "the memory and the processes of a tree are counted, up to a number of processes",
  async () => {
    const child = spawn("/bin/sh", ["-c", "sleep 600 & sleep 600 & echo; wait"], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    onTestFinished(() => void process.kill(-child.pid!, "SIGKILL"));
    await once(child.stdout, "data");
    const whole = usageOf(child.pid!, { maxProcesses: 100 })!;
    const cut = usageOf(child.pid!, { maxProcesses: 1 })!;

    expect(whole.processes).toBe(3);
    expect(whole.bytes).toBeGreaterThan(cut.bytes);
    expect(cut.bytes).toBeGreaterThan(4_096);
    expect(usageOf(2 ** 30, { maxProcesses: 5 })).toEqual({ bytes: 0, processes: 1 });
    expect(usageOf(child.pid!, { maxProcesses: 5 }, "darwin")).toBeUndefined();
  },
);
