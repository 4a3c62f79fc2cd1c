// The escape table: what hostile code tries in a sandbox. `prove-sandbox.ts` passes this text to a Node process inside, so it
// imports only Node's own modules. An attempt that throws was stopped, or could not be made; any other end is a leak.
import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
  type Stats,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

/** The paths, services and facts of the host at which the attempts are directed. */
export interface Target {
  /** Names of the attempts to make. */
  readonly names: readonly string[];
  /** Files below a granted folder: one that must not be read, and one that must not be changed. */
  readonly secret: string;
  readonly denied: string;
  /** A folder that is not granted. */
  readonly outside: string;
  /** The home folder, with its device and inode, because inside, another folder may have the same path. */
  readonly home: { readonly path: string; readonly identity: string };
  /** The host's own namespaces, such as `pid:[4026531836]`. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** Services of the host: a port on loopback, and an abstract Unix socket. */
  readonly port: number;
  readonly abstract: string;
  /** Folders in memory, and the most bytes that each may hold if it is writable. */
  readonly sized: readonly string[];
  readonly maxBytes: number;
  /** Device and inode of each file behind a descriptor with which the host was started. */
  readonly descriptors: readonly string[];
  /** Name of a variable in the host's environment. */
  readonly variable: string;
  /** Attempts that are one system call each: programs in base64 whose exit code is the number of the call's error. */
  readonly programs: Readonly<Record<string, string>>;
}

/** Results of the attempts, by name: null if it was stopped, `leaked` if not; any other text says why it was not made. */
export type Report = Readonly<Record<string, string | null>>;

/** The attempts, each named by what it would do on the host. */
const attempts: Readonly<Record<string, (target: Target) => unknown>> = {
  "read a secret file": ({ secret }) => mustHold(readFileSync(secret, "utf8")),
  "read a file that is not granted": ({ outside }) => readFileSync(join(outside, "file"), "utf8"),
  "write a protected file": ({ denied }) => writeFileSync(denied, "x"),
  "write a file that is not granted": ({ outside }) => writeFileSync(join(outside, "written"), "x"),
  "write into the home folder"({ home: { path, identity } }) {
    accessSync(path, constants.W_OK);
    mustHold(identityOf(statSync(path)) === identity);
  },
  "write into the system's folders": () => accessSync("/usr", constants.W_OK),
  "write a setting of the kernel": () => openSync("/proc/sys/kernel/core_pattern", constants.O_WRONLY),
  "read what the kernel knows of the whole machine": () => mustHold(machineFacts.some(canRead)),
  "ask the kernel for a restart": () => openSync("/proc/sysrq-trigger", constants.O_WRONLY),
  "use a capability of root": () => mustHold(statusOf(/^Cap(?:Prm|Eff|Amb):\t(?!0+$)/m)),
  "gain rights by starting a program": () => mustHold(statusOf(/^NoNewPrivs:\t(?!1$)/m)),
  "see the processes of the host": ({ namespaces }) => mustBeShared("pid", namespaces),
  "use the shared memory of the host": ({ namespaces }) => mustBeShared("ipc", namespaces),
  "read a variable of the host": ({ variable }) =>
    mustHold(readFileSync("/proc/self/environ", "latin1").includes(`${variable}=`)),
  "use a descriptor of the host": ({ descriptors }) =>
    mustHold(readdirSync("/proc/self/fd").some((each) => descriptors.includes(identityBehind(Number(each))))),
  "fill the memory of the host with files": ({ sized, maxBytes }) =>
    mustHold(sized.some((folder) => bytesIn(folder) > maxBytes)),
  "control the host's terminal": () => mustHold(sessionOf("/proc/self/stat") === "0"),
  "connect to a port of the host": ({ port }) => connected(connect(port, "127.0.0.1")),
  "connect to an abstract socket of the host": ({ abstract }) => connected(connect(`\0${abstract}`)),
};

const machineFacts = ["kallsyms", "keys", "slabinfo", "timer_list", "vmallocinfo"];

/** Error numbers by which the kernel refuses a system call: EPERM, EACCES, ENOSPC (for namespaces), ENOSYS, EAFNOSUPPORT. */
const refusals: readonly (number | null)[] = [1, 13, 28, 38, 97];

/** The error of an attempt that could not be made, so that nothing is known about it. */
class Untried extends Error {}

async function report(target: Target): Promise<Report> {
  const ends: Record<string, string | null> = {};
  for (const name of target.names) ends[name] = await endOf(name, target);
  return ends;
}

async function endOf(name: string, target: Target): Promise<string | null> {
  const attempt = attempts[name] ?? (({ programs }: Target) => runProgram(programs[name]));
  try {
    await attempt(target);
    return "leaked";
  } catch (error) {
    return error instanceof Untried ? error.message : null;
  }
}

function runProgram(base64 = ""): void {
  const file = "/dev/shm/attempt";
  writeProgram(file, base64);
  const { status, error } = spawnSync(file, { stdio: "ignore" });
  for (const made of [file, "/dev/shm/device"]) rmSync(made, { force: true });
  if (status === null) throw new Untried(`a program of this machine's kind cannot run: ${error?.message}`);
  if (refusals.includes(status)) throw new Error("it was refused");
}

function writeProgram(file: string, base64: string): void {
  try {
    writeFileSync(file, Buffer.from(base64, "base64"), { mode: 0o700 });
  } catch (error) {
    throw new Untried(`a program cannot be written: ${(error as Error).message}`);
  }
}

function canRead(name: string): boolean {
  try {
    return readFileSync(`/proc/${name}`).length > 0;
  } catch {
    return false;
  }
}

/** Throws if an attempt got nothing, because it was then stopped. */
function mustHold(got: unknown): void {
  if (got === undefined || got === false || got === "" || got === null) throw new Error("there is nothing");
}

/** Returns how many bytes the file system of a folder can hold; 0 if the folder is not writable. */
function bytesIn(folder: string): number {
  try {
    mkdtempSync(join(folder, "attempt-"));
  } catch (error) {
    if ((error as { readonly code?: string }).code === "ENOENT") throw new Untried(`${folder} is not there`);
    return 0;
  }
  const { blocks, bsize } = statfsSync(folder);
  // A file system without a size limit reports no blocks.
  return blocks === 0 ? Number.POSITIVE_INFINITY : blocks * bsize;
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev} ${ino}`;
}

/**
 * Returns device and inode of the file behind a descriptor; empty for the descriptor of the listing itself, which is closed.
 */
function identityBehind(descriptor: number): string {
  try {
    return identityOf(fstatSync(descriptor));
  } catch {
    return "";
  }
}

function mustBeShared(kind: string, host: Readonly<Record<string, string>>): void {
  mustHold(readlinkSync(`/proc/self/ns/${kind}`) === host[kind]);
}

function statusOf(pattern: RegExp): RegExpExecArray | null {
  return pattern.exec(readFileSync("/proc/self/status", "utf8"));
}

/** Returns the session of a process; 0 if the session began outside of its process namespace. */
function sessionOf(file: string): string | undefined {
  return readFileSync(file, "utf8").split(") ").at(-1)?.split(" ")[3];
}

function connected(socket: ReturnType<typeof connect>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(socket.destroy())).once("error", reject);
  });
}

writeSync(1, JSON.stringify(await report(JSON.parse(process.argv[1] ?? "") as Target)));
