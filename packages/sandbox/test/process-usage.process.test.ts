import { execFileSync, spawn } from "node:child_process";
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
import { isDeepStrictEqual } from "node:util";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createControlGroup, killTree, thisSystem, treeOptions, usageOf } from "../src/index.ts";
import { processesOf, readOr } from "../src/system/process-usage.ts";

const isLinux = process.platform === "linux";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-usage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A shell with two children, one of which has a child of its own: four processes. */
async function family() {
  const script = "sh -c 'sleep 1000 & echo ready; wait' & sleep 1000 & wait";
  const child = spawn("sh", ["-c", script], { ...treeOptions(), stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => killTree(child.pid!));
  await once(child.stdout, "data");
  await expect.poll(() => processesOf(child.pid!).length).toBe(4);
  return child;
}

describe.skipIf(!isLinux)("what a program and all that it started use, on Linux", () => {
  /** Resident memory of processes by `ps`, in bytes. */
  const residentOf = (pids: readonly number[]) =>
    execFileSync("ps", ["-o", "rss=", "-p", pids.join(",")], { encoding: "utf8" })
      .trim()
      .split(/\s+/)
      .reduce((sum, kib) => sum + Number(kib) * 1_024, 0);

  test("each process counts, with its resident memory, up to a number of processes", async () => {
    const { pid } = await family();
    const found = processesOf(pid!);
    expect(found[0]).toBe(pid);
    // A program that has just begun still loads.
    await expect.poll(() => usageOf(pid!, { maxProcesses: 10 })!.bytes - residentOf(found)).toBe(0);
    expect(usageOf(pid!, { maxProcesses: 10 })!.processes).toBe(4);

    const one = usageOf(pid!, { maxProcesses: 1 })!;
    // The children of the first are counted, and none of theirs.
    expect(one).toEqual({ bytes: residentOf([pid!]), processes: 3 });
    expect(processesOf(pid!, 0)).toEqual([pid]);
  });

  test("a folder that is the machine's own holds nothing of the program, and one that is not there holds nothing", async () => {
    const { pid } = await family();
    const folders = ["/", "/no such folder"];
    // What the processes use changes by itself between two looks.
    const isSame = () =>
      isDeepStrictEqual(usageOf(pid!, { maxProcesses: 10 }), usageOf(pid!, { maxProcesses: 10, folders }));

    await expect.poll(isSame).toBe(true);
    expect(usageOf(pid!, { maxProcesses: 10, folders })?.processes).toBe(4);
  });

  test("a program that has ended uses nothing, and elsewhere nothing is known", async () => {
    const child = spawn("true");
    await once(child, "exit");

    expect(usageOf(child.pid!, { maxProcesses: 10, folders: ["/"] })).toEqual({ bytes: 0, processes: 1 });
    expect(usageOf(process.pid, { maxProcesses: 10 }, "darwin")).toBeUndefined();
  });

  test("this system lists each process with its parent, and kills a tree with the groups below it", async () => {
    const child = await family();
    const found = processesOf(child.pid!);
    const parents = new Map(thisSystem.parents());
    expect(parents.get(child.pid!)).toBe(process.pid);
    expect(found.slice(1).every((pid) => found.includes(parents.get(pid)!))).toBe(true);
    const ended = once(child, "exit");
    killTree(child.pid!);

    expect(await ended).toEqual([null, "SIGKILL"]);
    await expect.poll(() => processesOf(child.pid!)).toEqual([child.pid]);
    for (const pid of found.slice(1)) await expect.poll(() => readOr(`/proc/${pid}/cmdline`)).toBe("");
  });
});

test("this system starts a program and does not wait, and reports one that is not there", async () => {
  const file = join(scratch(), "made");
  const failed: string[] = [];
  thisSystem.start(process.execPath, ["-e", `fs.writeFileSync(${JSON.stringify(file)}, "")`], () =>
    failed.push("node"),
  );
  thisSystem.start(join(tmpdir(), "no such program"), [], () => failed.push("missing"));

  await expect.poll(() => existsSync(file)).toBe(true);
  await expect.poll(() => failed).toEqual(["missing"]);
});

/** A folder in place of a delegated group: no kernel reads its files. */
function groupIn(limits: Parameters<typeof createControlGroup>[0]) {
  const base = scratch();
  const group = createControlGroup(limits, base)!;
  const folder = join(base, readdirSync(base)[0]!);
  const files = () =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  return { base, group, folder, files };
}

test("a group has the limits of its program: sixteen threads for each process, and 32 MiB beside its memory", () => {
  const { folder, files } = groupIn({ processes: 3, memoryMb: 100 });

  expect(basename(folder)).toMatch(new RegExp(`^toolmount-${process.pid}-\\d+$`));
  expect(files()).toEqual({ "pids.max": "48", "memory.max": "138412032", "memory.oom.group": "1" });
  expect(groupIn({ processes: 1 }).files()).toEqual({ "pids.max": "16" });
});

test("each group of a process has a folder of its own", () => {
  const { base } = groupIn({ processes: 1 });
  createControlGroup({ processes: 1 }, base);

  expect(readdirSync(base)).toHaveLength(2);
});

test("a process that may not make a group gets none", () => {
  expect(createControlGroup({ processes: 1 }, null)).toBeNull();
  expect(createControlGroup({ processes: 1 }, join(scratch(), "missing"))).toBeNull();
});

test.skipIf(process.platform === "win32")(
  "a program joins its group before it begins, with its arguments as they are",
  () => {
    const { group, folder } = groupIn({ processes: 1 });
    const { file, args } = group.launch("sh", ["-c", 'echo $$ "$@"', "x", "a b", "$c"]);
    const text = execFileSync(file, args, { encoding: "utf8" });

    expect(text).toBe(`${readFileSync(join(folder, "cgroup.procs"), "utf8").trim()} a b $c\n`);
  },
);

test.each([
  ["low 0\nmax 3\noom 1\noom_kill 1\n", true],
  ["oom_kill 12\noom_group_kill 0\n", true],
  ["oom 1\noom_kill 0\noom_group_kill 1\n", false],
  ["", false],
  [undefined, false],
])("of the events %j the kernel's kill is known: %s", (events, isKilled) => {
  const { group, folder } = groupIn({ processes: 1 });
  if (events !== undefined) writeFileSync(join(folder, "memory.events"), events);

  expect(group.ranOutOfMemory()).toBe(isKilled);
});

test("a group that has ended is removed, and a second close does nothing", async () => {
  const { group, folder } = groupIn({ processes: 1 });
  rmSync(join(folder, "pids.max"));
  await group.close();
  expect(existsSync(folder)).toBe(false);
  await group.close();
});

test("a group with a process in it is killed by the kernel's own way", async () => {
  const { group, folder } = groupIn({ processes: 1 });
  const closed = group.close();
  expect(readFileSync(join(folder, "cgroup.kill"), "utf8")).toBe("1");
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  await closed;

  expect(existsSync(folder)).toBe(false);
});

test("a file of the system is its text, and nothing where it is not there", () => {
  const folder = scratch();
  writeFileSync(join(folder, "a"), "caf\u00e9", "latin1");
  mkdirSync(join(folder, "b"));

  expect([readOr(join(folder, "a")), readOr(join(folder, "b")), readOr(join(folder, "c"))]).toEqual([
    "caf\u00e9",
    "",
    "",
  ]);
});
