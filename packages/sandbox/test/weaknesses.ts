import { existsSync } from "node:fs";
import type { SandboxKind } from "../src/index.ts";
import type { Place } from "../src/system/prove-sandbox.ts";

/** A sandbox without one of its protections, and the attempts that then reach their target. */
export interface Weakness {
  readonly kind?: SandboxKind;
  /** Another user than root has not the rights that the protection takes. */
  readonly forRoot?: true;
  readonly weaken: (args: readonly string[], place: Place) => readonly string[];
  readonly leaks: readonly string[];
}

export const weaknesses: Readonly<Record<string, Weakness>> = {
  "keeps the capabilities of root": {
    forRoot: true,
    weaken: (args) => without(args, ["--cap-drop", "ALL"]),
    leaks: ["use a capability of root"],
  },
  "keeps them where mounts can be changed": {
    forRoot: true,
    weaken: (args) => without(without(withoutFilter(args), ["--cap-drop", "ALL"]), ["--disable-userns"]),
    leaks: ["use a capability of root", "make a read-only folder writable"],
  },
  "allows user namespaces": {
    weaken: (args) => without(withoutFilter(args), ["--disable-userns"]),
    leaks: ["make a user namespace", "start a process in a user namespace"],
  },
  "has no filter of system calls": {
    weaken: (args) => withoutFilter(args),
    leaks: [
      "be traced",
      "start a process by clone3",
      "read the memory of a process",
      "use the keyrings of the kernel",
      "stop the kernel at its own page faults",
      "use io_uring",
      "open a Unix socket",
      "open a pair of sockets for datagrams",
      "make a program that runs with the rights of its owner",
    ],
  },
  "shares the processes of the host": {
    weaken: (args) =>
      replaced(
        replaced(args, ["--unshare-all"], ["--unshare-ipc", "--unshare-net"]),
        ["--proc", "/proc"],
        ["--ro-bind", "/proc", "/proc"],
      ),
    leaks: ["see the processes of the host"],
  },
  "shares the memory of the host": {
    weaken: (args) => replaced(args, ["--unshare-all"], ["--unshare-pid", "--unshare-net"]),
    leaks: ["use the shared memory of the host"],
  },
  "shares the network of the host": {
    weaken: (args) => replaced(args, ["--unshare-all"], ["--unshare-all", "--share-net"]),
    leaks: ["connect to a port of the host"],
  },
  "shares the network of the host, and has no filter": {
    weaken: (args) => replaced(withoutFilter(args), ["--unshare-all"], ["--unshare-all", "--share-net"]),
    leaks: ["connect to a port of the host", "connect to an abstract socket of the host"],
  },
  "passes the environment on": {
    weaken: (args) => without(args, ["--clearenv"]),
    leaks: ["read a variable of the host"],
  },
  "stays in the session of the host": {
    weaken: (args) => without(args, ["--new-session"]),
    leaks: ["control the host's terminal"],
  },
  "does not cover the settings of the kernel": {
    forRoot: true,
    weaken: (args) => without(args, ["--ro-bind-try", "/proc/sys", "/proc/sys"]),
    leaks: ["write a setting of the kernel"],
  },
  "shows what the kernel knows": {
    forRoot: true,
    weaken: (args) =>
      ["kallsyms", "keys", "slabinfo", "timer_list", "vmallocinfo"]
        .map((name) => `/proc/${name}`)
        .filter((path) => existsSync(path))
        .reduce((rest, path) => without(rest, ["--ro-bind", "/dev/null", path]), args),
    leaks: ["read what the kernel knows of the whole machine"],
  },
  "has a folder in memory without a bound": {
    weaken: (args) => without(args, ["--size", "1073741824"]),
    leaks: ["fill the memory of the host with files"],
  },
  "has a root folder that can be written": {
    weaken: (args) => without(args, ["--remount-ro", "/"]),
    leaks: ["fill the memory of the host with files"],
  },
  "has a folder of devices that can be written": {
    kind: "wall",
    weaken: (args) => without(args, ["--remount-ro", "/dev"]),
    leaks: ["fill the memory of the host with files"],
  },
  "does not cover protected files": {
    weaken: (args, { denied }) => without(args, ["--ro-bind-try", denied, denied]),
    leaks: ["write a protected file"],
  },
  "does not cover secret files": {
    weaken: (args, { secret }) => without(args, ["--ro-bind", "/dev/null", secret]),
    leaks: ["read a secret file"],
  },
  "has writable folders of the system": {
    forRoot: true,
    weaken: (args) => replaced(args, ["--ro-bind-try", "/usr", "/usr"], ["--bind", "/usr", "/usr"]),
    leaks: ["write into the system's folders"],
  },
  "has files that are not granted": {
    weaken: (args, { box, outside }) =>
      replaced(args, ["--bind", box, box], ["--bind", box, box, "--bind", outside, outside]),
    leaks: ["read a file that is not granted", "write a file that is not granted"],
  },
  "has a writable home folder behind the wall": {
    kind: "wall",
    weaken: (args, { box }) =>
      replaced(args, ["--bind", box, box], ["--bind", box, box, "--bind", home(), home()]),
    leaks: ["write into the home folder"],
  },
};

/** The home folder that the test gives. */
function home(): string {
  return process.argv[3] ?? "/";
}

function withoutFilter(args: readonly string[]): readonly string[] {
  return without(args, ["--seccomp", "4"]);
}

/** Words without the first place where `words` stand; throws where they do not, because the test would test nothing. */
function without(args: readonly string[], words: readonly string[]): readonly string[] {
  return replaced(args, words, []);
}

function replaced(
  args: readonly string[],
  words: readonly string[],
  by: readonly string[],
): readonly string[] {
  const at = args.findIndex((_, index) => words.every((word, offset) => args[index + offset] === word));
  if (at === -1) throw new Error(`there is no ${words.join(" ")}`);
  return args.toSpliced(at, words.length, ...by);
}
