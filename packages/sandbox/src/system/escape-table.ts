import { isKnownProcessor, type SyscallArgument } from "./syscall-program.ts";
import { deniedCalls, judgedCalls, missingCalls, type CallNumbers } from "./syscalls.ts";

/**
 * The kinds of sandbox that toolmount builds. `closed` and `online` have only granted files, without and with the network.
 * `wall` has all files, few of them writable, and the network; `offline` is a wall without the network.
 */
export type SandboxKind = "closed" | "online" | "wall" | "offline";

/** A system call, and its arguments. */
interface CallAttempt {
  readonly call: CallNumbers;
  readonly args: readonly SyscallArgument[];
  /** The kinds of sandbox that stop this call; by default, all do. */
  readonly kinds?: readonly SandboxKind[];
}

/** Where the program of each attempt is while it runs. */
const attemptFile = "/dev/shm/attempt";

/** The attempts that are one system call each. Those that need code are in `proof/attempts.ts`. */
export const callAttempts: Readonly<Record<string, CallAttempt>> = {
  "make a read-only folder writable": { call: deniedCalls.mount, args: [0, "/usr", 0, 0x1020, 0] },
  "open a file system": { call: deniedCalls.fsopen, args: ["tmpfs", 0] },
  "make a user namespace": { call: deniedCalls.unshare, args: [0x1000_0000] },
  "start a process in a user namespace": { call: judgedCalls.clone, args: [0x1000_0011] },
  "start a process by clone3": { call: missingCalls.clone3, args: [0, 0] },
  "make a device": { call: [259, 33], args: [-100, "/dev/shm/device", 0o20600, 0x103] },
  "be traced": { call: deniedCalls.ptrace, args: [0] },
  "read the memory of a process": { call: deniedCalls.process_vm_readv, args: [1, 0, 0, 0, 0, 0] },
  "use the keyrings of the kernel": { call: deniedCalls.keyctl, args: [0, -3, 1] },
  "load a program into the kernel": { call: deniedCalls.bpf, args: [0, 0, 0] },
  "load a module into the kernel": { call: deniedCalls.init_module, args: [0, 0, 0] },
  "stop the kernel at its own page faults": { call: deniedCalls.userfaultfd, args: [1] },
  "open performance counters": { call: deniedCalls.perf_event_open, args: [0, 0, -1, -1, 0] },
  "use io_uring": { call: missingCalls.io_uring_setup, args: [0, 0] },
  "open a socket of the virtual machine": { call: judgedCalls.socket, args: [40, 1, 0] },
  "open a Unix socket": { call: judgedCalls.socket, args: [1, 1, 0], kinds: ["closed", "offline"] },
  "open a pair of sockets for datagrams": {
    call: judgedCalls.socketpair,
    args: [1, 2, 0, 0],
    kinds: ["closed", "offline"],
  },
  "make a program that runs with the rights of its owner": {
    call: [268, 53],
    args: [-100, attemptFile, 0o4700],
  },
};

/** Attempts that every kind of sandbox must stop. */
const always = [
  "read a secret file",
  "write a protected file",
  "write a file that is not granted",
  "write into the system's folders",
  "write a setting of the kernel",
  "read what the kernel knows of the whole machine",
  "ask the kernel for a restart",
  "use a capability of root",
  "gain rights by starting a program",
  "see the processes of the host",
  "use the shared memory of the host",
  "read a variable of the host",
  "fill the memory of the host with files",
  "use a descriptor of the host",
  "control the host's terminal",
];

const network = ["connect to a port of the host", "connect to an abstract socket of the host"];

const byKind: Readonly<Record<SandboxKind, readonly string[]>> = {
  closed: ["read a file that is not granted", ...network],
  online: ["read a file that is not granted"],
  wall: ["write into the home folder"],
  offline: ["write into the home folder", ...network],
};

/** Returns the names of the attempts that a kind of sandbox must stop. */
export function namesOf(kind: SandboxKind): readonly string[] {
  const calls = Object.entries(isKnownProcessor(process.arch) ? callAttempts : {});
  const stopped = calls.filter(([, { kinds = [kind] }]) => kinds.includes(kind));
  return [...always, ...byKind[kind], ...stopped.map(([name]) => name)];
}
