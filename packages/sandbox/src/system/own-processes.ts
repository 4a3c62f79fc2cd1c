import { existsSync } from "node:fs";

/** Parts of `/proc` that change the whole machine. The kernel lets root write some of them without any capability. */
const machineFiles = [
  "acpi",
  "asound",
  "bus",
  "driver",
  "fs",
  "irq",
  "mtrr",
  "pressure",
  "scsi",
  "sys",
  "sysrq-trigger",
  "tty",
].map((name) => `/proc/${name}`);

/** Facts about the kernel and about all users. Root can read them without any capability. */
const machineFacts = [
  "kallsyms",
  "key-users",
  "keys",
  "latency_stats",
  "pagetypeinfo",
  "sched_debug",
  "slabinfo",
  "timer_list",
  "vmallocinfo",
].map((name) => `/proc/${name}`);

/**
 * Returns mounts for a `/proc` that shows only the sandbox's own processes. The machine's settings in it cannot be changed, and
 * facts about the machine cannot be read.
 */
export function ownProcesses(): readonly string[] {
  const covers = machineFacts.filter((path) => existsSync(path)).flatMap(cover);
  return ["--proc", "/proc", ...machineFiles.flatMap((path) => ["--ro-bind-try", path, path]), ...covers];
}

/** Returns the mount that makes a file unreadable. */
export function cover(path: string): string[] {
  return ["--ro-bind", "/dev/null", path];
}
