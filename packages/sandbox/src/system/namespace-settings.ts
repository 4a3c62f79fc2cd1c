import { join } from "node:path";
import { readOr } from "./process-usage.ts";

interface Setting {
  readonly name: string;
  /** The value with which the kernel refuses user namespaces, and one with which it allows them. */
  readonly refuses: string;
  readonly allows: string;
  /** Whether the setting concerns all users except root. */
  readonly isForUsers: boolean;
}

/**
 * Settings of Linux systems that can refuse user namespaces. Sources: Ubuntu since 23.10; Debian before 11, and kernels that
 * are hardened; `man 7 namespaces`.
 */
const settings: readonly Setting[] = [
  { name: "kernel.apparmor_restrict_unprivileged_userns", refuses: "1", allows: "0", isForUsers: true },
  { name: "kernel.unprivileged_userns_clone", refuses: "0", allows: "1", isForUsers: true },
  { name: "user.max_user_namespaces", refuses: "0", allows: "15000", isForUsers: false },
];

/**
 * Returns the error of a program that could not make namespaces, with the machine's setting that refuses them, if there is one.
 */
export function namespaceProblem(said: string, sys = "/proc/sys"): string {
  const isRoot = process.getuid?.() === 0;
  const setting = settings.find(
    ({ name, refuses, isForUsers }) =>
      !(isForUsers && isRoot) && readOr(join(sys, ...name.split("."))).trim() === refuses,
  );
  if (setting === undefined) return said;
  const { name, refuses, allows } = setting;
  return `${said} (this machine has ${name}=${refuses}, which refuses user namespaces; sudo sysctl -w ${name}=${allows} allows them)`;
}
