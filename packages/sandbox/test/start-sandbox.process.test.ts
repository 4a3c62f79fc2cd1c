import { spawn } from "node:child_process";
import { fstatSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { callAttempts, namesOf } from "../src/system/escape-table.ts";
import { runInSandbox, sandboxStdio } from "../src/index.ts";
import { syscallProgram } from "../src/system/syscall-program.ts";
import { deniedCalls, judgedCalls, missingCalls } from "../src/system/syscalls.ts";
import { emptyDescriptor, inheritedDescriptors } from "../src/system/inherited-descriptors.ts";

/** Runs code of a module of this package in a process that was started with this descriptor. */
async function runWith(descriptor: number, at: number, code: string): Promise<unknown> {
  const stdio = ["ignore", "pipe", "inherit", ...Array<"ignore">(at - 3).fill("ignore"), descriptor] as const;
  const module = new URL("../src/index.ts", import.meta.url).href;
  const source = `const system = await import(${JSON.stringify(module)}); console.log(JSON.stringify(${code}));`;
  const words = ["--conditions=@toolmount/source", "--input-type=module", "--eval", source];
  const child = spawn(process.execPath, words, { stdio: [...stdio], env: { PATH: process.env["PATH"] } });
  return JSON.parse(await text(child.stdout!));
}

describe.runIf(process.platform === "linux")("the descriptors of a program in a sandbox", () => {
  const filter = new Uint8Array([1]);

  test("are the given ones, and a pipe for the filter", () => {
    // What runs the tests has descriptors of its own, behind all others.
    const own = inheritedDescriptors();
    const plain = (all: readonly unknown[]) => {
      const words = all.map((one, at) => (own.includes(at) ? "ignore" : one));
      return words.slice(0, words.findLastIndex((word) => word !== "ignore") + 1);
    };
    expect(plain(sandboxStdio(["ignore", "pipe", "pipe"]))).toEqual(["ignore", "pipe", "pipe"]);
    expect(plain(sandboxStdio(["ignore", "pipe"], { filter: undefined }))).toEqual(["ignore", "pipe"]);
    expect(plain(sandboxStdio(["ignore", "pipe", "pipe"], { filter }))).toEqual([
      "ignore",
      "pipe",
      "pipe",
      "ignore",
      "pipe",
    ]);
    expect(plain(sandboxStdio(["pipe", "pipe", "pipe", "pipe", "ignore", 2], { filter }))).toEqual([
      "pipe",
      "pipe",
      "pipe",
      "pipe",
      "pipe",
      2,
    ]);
  });

  test("have nothing in place of one with which the host was started", async () => {
    const folder = openSync(tmpdir(), "r");
    const stdio = (given: string) => runWith(folder, 20, `system.sandboxStdio(${given})`);
    const all = (await stdio('["ignore", "pipe"]')) as unknown[];
    expect(all.slice(0, 20)).toEqual(["ignore", "pipe", ...Array<"ignore">(18).fill("ignore")]);
    expect(all[20]).toEqual(expect.any(Number));
    // One that the program is to have stays.
    const given = JSON.stringify(Array.from({ length: 21 }, (_, at) => (at === 20 ? "pipe" : "ignore")));
    expect(((await stdio(given)) as unknown[])[20]).toBe("pipe");
  });

  test("that have nothing behind them are open, and always the same one", () => {
    const empty = emptyDescriptor();
    expect(fstatSync(empty).isCharacterDevice()).toBe(true);
    expect(emptyDescriptor()).toBe(empty);
    expect(inheritedDescriptors()).toBe(inheritedDescriptors());
    expect(inheritedDescriptors().filter((each) => each < 3)).toEqual([]);
  });
});

/** A program that is started in place of bubblewrap. */
function launchOf(script: string, filter?: Uint8Array) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-start-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "program");
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { folder, launch: { file, args: ["a b", "c"], env: { PATH: "/usr/bin:/bin", A: "1" }, filter } };
}

describe.skipIf(process.platform === "win32")("a program that runs in a sandbox to its end", () => {
  test("gets its arguments, environment and folder, and no input", async () => {
    const { launch, folder } = launchOf('echo "$1|$2|$A|$HOME|$(pwd)"; cat; echo said >&2; exit 3');
    expect(await runInSandbox(launch, { cwd: folder, timeoutMs: 60_000 })).toEqual({
      stdout: `a b|c|1||${folder}\n`,
      stderr: "said\n",
      code: 3,
    });
  });

  test("gets the filter on its descriptor, to its end", async () => {
    const { launch } = launchOf("cat <&4", new TextEncoder().encode("the filter"));
    expect(await runInSandbox(launch, { timeoutMs: 60_000 })).toEqual({
      stdout: "the filter",
      stderr: "",
      code: 0,
    });
  });

  test("need not read the filter", async () => {
    const { launch } = launchOf("exec 4<&-; exit 0", new Uint8Array(1_000_000));
    expect(await runInSandbox(launch, { timeoutMs: 60_000 })).toEqual({ stdout: "", stderr: "", code: 0 });
  });

  test("is killed when its time is over", async () => {
    const { launch } = launchOf("trap '' TERM; echo begun; while :; do :; done");
    expect(await runInSandbox(launch, { timeoutMs: 200 })).toEqual({
      stdout: expect.stringMatching(/^(?:begun\n)?$/),
      stderr: "",
      code: null,
    });
  });

  test("fails where it cannot be started", async () => {
    const { launch } = launchOf("");
    await expect(
      runInSandbox({ ...launch, file: `${launch.file} gone` }, { timeoutMs: 1_000 }),
    ).rejects.toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});

/** What doctor and the page about isolation say that a sandbox stops. */
const everywhere = [
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

/** The same, of what is one system call each. */
const calls = [
  "make a read-only folder writable",
  "open a file system",
  "make a user namespace",
  "start a process in a user namespace",
  "start a process by clone3",
  "make a device",
  "be traced",
  "read the memory of a process",
  "use the keyrings of the kernel",
  "load a program into the kernel",
  "load a module into the kernel",
  "stop the kernel at its own page faults",
  "open performance counters",
  "use io_uring",
  "open a socket of the virtual machine",
  "make a program that runs with the rights of its owner",
];

test.runIf(process.arch === "x64" || process.arch === "arm64")(
  "each kind of sandbox stops what the others stop, and what is its own",
  () => {
    const kinds = ["closed", "online", "wall", "offline"] as const;
    const ofAll = namesOf("closed").filter((name) => kinds.every((kind) => namesOf(kind).includes(name)));
    const ownOf = (kind: (typeof kinds)[number]) => namesOf(kind).filter((name) => !ofAll.includes(name));
    expect(ownOf("closed")).toEqual([
      "read a file that is not granted",
      "connect to a port of the host",
      "connect to an abstract socket of the host",
      "open a Unix socket",
      "open a pair of sockets for datagrams",
    ]);
    expect(ownOf("online")).toEqual(["read a file that is not granted"]);
    expect(ownOf("wall")).toEqual(["write into the home folder"]);
    expect(ofAll).toEqual([...everywhere, ...calls]);
  },
);

/** What each attempt asks the kernel of x86-64: a call with its arguments, as strace shows it. */
const asked = `
make a read-only folder writable: mount(0, "/usr", 0, 0x1020, 0, 0)
open a file system: fsopen("tmpfs", 0, 0, 0, 0, 0)
make a user namespace: unshare(0x10000000, 0, 0, 0, 0, 0)
start a process in a user namespace: clone(0x10000011, 0, 0, 0, 0, 0)
start a process by clone3: clone3(0, 0, 0, 0, 0, 0)
make a device: mknodat(-100, "/dev/shm/device", 0x2180, 0x103, 0, 0)
be traced: ptrace(0, 0, 0, 0, 0, 0)
read the memory of a process: process_vm_readv(1, 0, 0, 0, 0, 0)
use the keyrings of the kernel: keyctl(0, -3, 1, 0, 0, 0)
load a program into the kernel: bpf(0, 0, 0, 0, 0, 0)
load a module into the kernel: init_module(0, 0, 0, 0, 0, 0)
stop the kernel at its own page faults: userfaultfd(1, 0, 0, 0, 0, 0)
open performance counters: perf_event_open(0, 0, -1, -1, 0, 0)
use io_uring: io_uring_setup(0, 0, 0, 0, 0, 0)
open a socket of the virtual machine: socket(0x28, 1, 0, 0, 0, 0)
open a Unix socket: socket(1, 1, 0, 0, 0, 0)
open a pair of sockets for datagrams: socketpair(1, 2, 0, 0, 0, 0)
make a program that runs with the rights of its owner: fchmodat(-100, "/dev/shm/attempt", 0x9c0, 0, 0, 0)
`;

test("each attempt asks the kernel for what it is named for", () => {
  const numbers = { ...deniedCalls, ...missingCalls, ...judgedCalls, mknodat: [259], fchmodat: [268] };
  const nameOf = (call: number) => Object.entries(numbers).find(([, [x64]]) => x64 === call)?.[0];
  const shown = (value: bigint, program: Buffer) => {
    const at = Number(value - 0x40_0000n);
    if (at > 0 && at < program.length) return `"${program.toString("latin1", at, program.indexOf(0, at))}"`;
    const signed = BigInt.asIntN(64, value);
    return signed < 10n ? String(signed) : `0x${signed.toString(16)}`;
  };
  const lines = Object.entries(callAttempts).map(([name, { call, args }]) => {
    const program = syscallProgram("x64", call[0], args)!;
    // Seven instructions of ten bytes behind the header load the number and the values.
    const [number, ...values] = Array.from({ length: 7 }, (_, at) => program.readBigUInt64LE(122 + 10 * at));
    return `${name}: ${nameOf(Number(number))}(${values.map((value) => shown(value, program)).join(", ")})`;
  });
  expect(lines).toEqual(asked.trim().split("\n"));
});
