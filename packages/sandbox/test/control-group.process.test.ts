import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createControlGroup } from "@toolmount/sandbox";
import { expect, onTestFinished, test } from "vitest";

/** A folder in place of a delegated group: its files are those of a group, and no kernel reads them. */
function groupIn() {
  const base = mkdtempSync(join(tmpdir(), "toolmount-group-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const group = createControlGroup({ processes: 2 }, base)!;
  const folder = join(base, readdirSync(base)[0]!);
  rmSync(join(folder, "pids.max"));
  // A kernel before 5.14 has no such file, and lets none be made.
  mkdirSync(join(folder, "cgroup.kill"));
  return { group, folder, allowKill: () => rmSync(join(folder, "cgroup.kill"), { recursive: true }) };
}

test("a group whose limits cannot be set is not made, and nothing of it stays", () => {
  const base = mkdtempSync(join(tmpdir(), "toolmount-group-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  // A number that this runtime cannot write as text is in place of a kernel that takes no limit.
  const limits = {
    processes: {
      valueOf: () => {
        throw new Error("no limit");
      },
    } as unknown as number,
  };

  expect(createControlGroup(limits, base)).toBeNull();
  expect(readdirSync(base)).toEqual([]);
  expect(createControlGroup({ processes: 2 }, join(base, "gone"))).toBeNull();
});

test("a group that cannot be removed at once is tried again, and fails no promise", async () => {
  const { group, folder, allowKill } = groupIn();
  const closed = group.close();
  allowKill();

  await closed;

  expect(existsSync(folder)).toBe(false);
});

// Elsewhere there are no groups, and Windows names no signal.
test.skipIf(process.platform === "win32")(
  "without the kernel's own way to kill a group, each process of it is killed",
  async () => {
    const { group, folder, allowKill } = groupIn();
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    // A process of another namespace is 0 there: as a number of `kill` that is this process and its siblings.
    writeFileSync(join(folder, "cgroup.procs"), `0\n${child.pid}\n`);
    const ended = once(child, "exit");
    const closed = group.close();
    rmSync(join(folder, "cgroup.procs"));
    allowKill();

    expect(await ended).toEqual([null, "SIGKILL"]);
    await closed;
  },
);

test("a group has the limits of its program, and starts it inside", () => {
  const base = mkdtempSync(join(tmpdir(), "toolmount-group-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const group = createControlGroup({ processes: 2, memoryMb: 10 }, base)!;
  const [name = ""] = readdirSync(base);
  const limits = readdirSync(join(base, name)).map((file) => [
    file,
    readFileSync(join(base, name, file), "utf8"),
  ]);

  expect(name).toMatch(new RegExp(`^toolmount-${process.pid}-\\d+$`));
  // Sixteen threads for each process, and 32 MB that the kernel needs itself.
  expect(Object.fromEntries(limits)).toEqual({
    "memory.max": String(42 * 1_048_576),
    "memory.oom.group": "1",
    "pids.max": "32",
  });
  expect(group.launch("node", ["a", "b"])).toEqual({
    file: "/bin/sh",
    args: ["-c", 'echo $$ > "$0" && exec "$@"', join(base, name, "cgroup.procs"), "node", "a", "b"],
  });
});

test.each([
  ["oom 1\noom_kill 0\n", false],
  ["low 0\noom_kill 3\n", true],
  ["oom_kill_x 3\n", false],
  ["", false],
])("a group with the memory events %j ran out of memory: %s", (events, hasRun) => {
  const { group, folder } = groupIn();
  writeFileSync(join(folder, "memory.events"), events);

  expect(group.ranOutOfMemory()).toBe(hasRun);
});
