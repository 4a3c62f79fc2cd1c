import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { delegatedGroup } from "../src/index.ts";
import { ownGroup, prepareGroup } from "../src/system/control-group.ts";

/** A folder in place of the files about this process, and of the hierarchy of groups. */
function system({
  cgroup = "0::/user/own\n",
  mount = (groups: string) => mountOf(groups),
  members = [process.pid],
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-delegated-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const groups = join(folder, "groups");
  const own = join(groups, "user/own");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "cgroup.procs"), members.map((pid) => `${pid}\n`).join(""));
  writeFileSync(join(folder, "cgroup"), cgroup);
  writeFileSync(join(folder, "mountinfo"), mount(groups));
  return { folder, groups, own, read: (name: string) => readFileSync(join(own, name), "utf8") };
}

/** As Linux lists mounts: first another one, then that of the groups. */
const mountOf = (groups: string, root = "/", kind = "cgroup2") =>
  `22 1 8:1 / / rw - ext4 /dev/sda rw\n30 23 0:26 ${root} ${groups} rw,nosuid shared:4 - ${kind} ${kind} rw\n`;

test("a process alone in its group moves to one below, so that it may make others", () => {
  const { folder, own, read } = system();
  expect(ownGroup(folder)).toBe(own);
  expect(prepareGroup(own)).toBe(own);
  expect(read("toolmount-host/cgroup.procs")).toBe(String(process.pid));
  expect(read("cgroup.subtree_control")).toBe("+memory +pids");
  // A second host of this process finds the group that it made.
  expect(prepareGroup(own)).toBe(own);
});

test.each([
  ["with processes that it did not start", { members: [process.pid, 1] }],
  ["of another process", { members: [1] }],
  ["without a process", { members: [] }],
])("a group %s is not this process's alone", (_, given) => {
  const { own } = system(given);
  expect(prepareGroup(own)).toBeNull();
  expect(existsSync(join(own, "toolmount-host"))).toBe(false);
});

test("a process that may not change its group makes no others", () => {
  const { own } = system();
  writeFileSync(join(own, "toolmount-host"), "");
  expect(prepareGroup(own)).toBeNull();
  expect(prepareGroup(null)).toBeNull();
});

test.each([
  ["is not in version two", { cgroup: "4:memory:/user\n" }],
  ["is outside of its namespace", { cgroup: "0::/../own\n" }],
  ["has no hierarchy that is mounted", { mount: () => "" }],
  ["has a hierarchy of version one", { mount: (groups: string) => mountOf(groups, "/", "cgroup") }],
  ["sees a part of the hierarchy", { mount: (groups: string) => mountOf(groups, "/user") }],
])("a process that %s has no group", (_, given) => {
  expect(ownGroup(system(given).folder)).toBeNull();
});

test("a process has the group of version two that its file lists, also after lines of version one, and none without the file", () => {
  const { folder, groups } = system({ cgroup: "4:memory:/x\n0::/\n" });
  expect(ownGroup(folder)).toBe(`${groups}/`);
  expect(ownGroup(join(folder, "gone"))).toBeNull();
});

test("a process whose parent is in its group has none that is its alone", () => {
  // What runs the tests started this process.
  expect([delegatedGroup(), delegatedGroup()]).toEqual([null, null]);
});
