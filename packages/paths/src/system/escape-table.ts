import { isKnownProcessor, type SyscallArgument } from "./syscall-program.ts";

/**
 * The kinds of sandbox that toolmount builds: `closed` and `online` have granted files only, without and with the network.
 * `wall` has all files, few that are writable, and the network.
 */
export type SandboxKind = "closed" | "online" | "wall";

/** A system call by its numbers, and its arguments. */
interface CallAttempt {
  readonly x64: number;
  readonly arm64: number;
  readonly args: readonly SyscallArgument[];
}

/** The attempts that are one system call each. Those that are code are in `proof/attempts.ts`. */
export const callAttempts: Readonly<Record<string, CallAttempt>> = {
  "make a read-only folder writable": { x64: 165, arm64: 40, args: [0, "/usr", 0, 0x1020, 0] },
  "make a user namespace": { x64: 272, arm64: 97, args: [0x1000_0000] },
  "make a device": { x64: 259, arm64: 33, args: [-100, "/dev/shm/device", 0o20600, 0x103] },
};

/** What no kind of sandbox lets through. */
const always = [
  "read a secret file",
  "write a protected file",
  "write a file that is not granted",
  "write into the system's folders",
  "write a setting of the kernel",
  "ask the kernel for a restart",
  "use a capability of root",
  "gain rights by starting a program",
  "see the processes of the host",
  "use the shared memory of the host",
  "read a variable of the host",
  "control the host's terminal",
];

const byKind: Readonly<Record<SandboxKind, readonly string[]>> = {
  closed: [
    "read a file that is not granted",
    "connect to a port of the host",
    "connect to an abstract socket of the host",
  ],
  online: ["read a file that is not granted"],
  wall: ["write into the home folder"],
};

/** Names of the attempts that a kind of sandbox must stop. */
export function namesOf(kind: SandboxKind): readonly string[] {
  return [...always, ...byKind[kind], ...(isKnownProcessor(process.arch) ? Object.keys(callAttempts) : [])];
}
