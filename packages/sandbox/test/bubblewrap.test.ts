import { existsSync } from "node:fs";
import { getgid, getuid } from "node:process";
import { expect, test } from "vitest";
import { bubblewrapArguments, sandboxMounts } from "../src/index.ts";

/** The pairs of a path and its place inside that an option brings in. */
function boundBy(option: string, words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => (word === option ? [`${words[at + 1]} ${words[at + 2]}`] : []));
}

/** Parts of `/proc` with settings of the whole machine. */
const machineFiles = "acpi asound bus driver fs irq mtrr pressure scsi sys sysrq-trigger tty"
  .split(" ")
  .map((name) => `/proc/${name}`);

const mounts = sandboxMounts({
  cwd: "/work",
  read: ["/docs"],
  write: ["/work", "/usr"],
  denied: ["/usr/bin/env", "/usr/bin/none", "relative"],
  network: false,
});

test("a sandbox can read the system's programs and what they need, and no other file that is not granted", () => {
  const programs = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /run/current-system";
  const settings =
    "alternatives ca-certificates group hosts ld.so.cache ld.so.conf ld.so.conf.d localtime nsswitch.conf passwd pki resolv.conf ssl terminfo timezone";
  const system = [...programs.split(" "), ...settings.split(" ").map((name) => `/etc/${name}`)];

  expect(boundBy("--ro-bind-try", mounts)).toEqual(
    [...system, "/usr/bin/env", ...machineFiles].map((path) => `${path} ${path}`),
  );
  const read = boundBy("--ro-bind", mounts).filter((each) => !each.startsWith("/dev/null /proc/"));
  expect(read).toEqual(["/docs /docs"]);
  // The folder of a denied file is a mount, which cannot be moved.
  expect(boundBy("--bind", mounts)).toEqual(["/work /work", "/usr /usr", "/usr/bin /usr/bin"]);
});

test("a denied path comes after the folder that it is in, so that it stays read-only", () => {
  expect(mounts.lastIndexOf("/usr/bin/env")).toBeGreaterThan(mounts.lastIndexOf("--bind"));
});

test.each([
  { network: false, shares: [] },
  { network: true, shares: ["--share-net"] },
])("with network $network a sandbox shares $shares with the machine", ({ network, shares }) => {
  const words = sandboxMounts({ cwd: "/work", read: [], write: [], denied: [], network });

  expect(words[0]).toBe("--unshare-all");
  expect(words.filter((word) => word.startsWith("--share"))).toEqual(shares);
});

test.runIf(process.arch === "x64" || process.arch === "arm64")(
  "bubblewrap gets the folder, the whole environment and a filter, and ends with its parent",
  () => {
    const user = `--uid ${getuid!()} --gid ${getgid!()}`;
    const words = `--die-with-parent --new-session --unshare-user ${user} --disable-userns --cap-drop ALL --clearenv`;
    const rest = "--seccomp 4 --proc /proc --chdir /work --setenv A 1 --setenv B 2 --";
    const program = { cwd: "/work", env: { A: "1", B: "2" } };
    expect(bubblewrapArguments(program, ["--proc", "/proc"])).toEqual(`${words} ${rest}`.split(" "));
  },
);

test("the machine's settings are covered after the processes, so that root cannot change them either", () => {
  for (const path of machineFiles) expect(mounts.lastIndexOf(path)).toBeGreaterThan(mounts.indexOf("--proc"));
});

test("facts about the whole machine are covered after the processes, as far as this kernel has them", () => {
  const files =
    "kallsyms key-users keys latency_stats pagetypeinfo sched_debug slabinfo timer_list vmallocinfo";
  const there = files
    .split(" ")
    .map((name) => `/proc/${name}`)
    .filter((path) => existsSync(path));

  expect(boundBy("--ro-bind", mounts).slice(-there.length)).toEqual(there.map((path) => `/dev/null ${path}`));
  for (const path of there) expect(mounts.indexOf(path)).toBeGreaterThan(mounts.indexOf("--proc"));
});

test("bubblewrap reports on a descriptor where one is given", () => {
  const words = bubblewrapArguments({ cwd: "/work", env: {}, statusDescriptor: 3 }, []);

  expect(words[words.indexOf("--json-status-fd") + 1]).toBe("3");
});

test("a denied path outside of what can be written is not brought in: it could be read there", () => {
  const words = sandboxMounts({
    cwd: "/box",
    read: [],
    write: ["/box"],
    denied: ["/work/plan.yaml"],
    network: false,
  });

  expect(words).not.toContain("/work/plan.yaml");
});
