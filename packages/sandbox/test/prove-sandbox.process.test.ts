import { execFile, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { getuid } from "node:process";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  findProgram,
  launchInSandbox,
  proveSandbox,
  runInSandbox,
  type SandboxLaunch,
  type SandboxProof,
} from "../src/index.ts";
import { namesOf } from "../src/system/escape-table.ts";
import { isKnownProcessor, syscallProgram } from "../src/system/syscall-program.ts";
import { uncountedCalls } from "../src/system/syscalls.ts";
import { weaknesses } from "./weaknesses.ts";

/** In CI bubblewrap is always there. */
const sandboxIsTested =
  process.env["CI"] !== undefined || spawnSync("bwrap", ["--version"]).error === undefined;

const isRoot = getuid?.() === 0;

/** Only root can try both; for another user the first half is reported as skipped. */
const users = ["root", "a user"] as const;

/** A user without any rights. */
const unprivileged = 65_534;

const kinds = ["closed", "online", "wall", "offline"] as const;
const path = process.env["PATH"] ?? "";

/** A home folder, outside of `/tmp`, which sandboxes cover. */
function makeHome(user: (typeof users)[number] = "root"): string {
  const above = isRoot ? "/var/tmp" : homedir();
  const home = mkdtempSync(join(above, "toolmount-proof-home-"));
  if (isRoot && user !== "root") chownSync(home, unprivileged, unprivileged);
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

describe.runIf(sandboxIsTested)("a sandbox of this machine", () => {
  test.each(kinds)(
    "of the kind %s holds where the home folder is /tmp: inside, that is another folder",
    async (kind) => {
      const { problem } = await proveSandbox({ kind, env: { PATH: path, HOME: "/tmp" }, isFresh: true });
      expect(problem).toBeNull();
    },
  );

  test.each(kinds)("of the kind %s stops every attempt, and the proof says which", async (kind) => {
    const proof = await proveSandbox({ kind, env: { PATH: path, HOME: makeHome() } });

    expect(proof).toEqual({ problem: null, stopped: namesOf(kind) });
  });

  test("whose bubblewrap does not start is no sandbox", async () => {
    const { env } = countedBubblewrap("echo 'bwrap: No permissions to create new namespace' >&2; exit 1");

    expect(await proveSandbox({ kind: "closed", env })).toEqual({
      problem: expect.stringContaining("bwrap: No permissions to create new namespace"),
      stopped: [],
    });
  });

  test("whose bubblewrap only runs the program is found out", async () => {
    const { env } = countedBubblewrap('while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    const { problem } = await proveSandbox({ kind: "closed", env });

    expect(problem).toMatch(/^a program inside it can .*read a secret file/);
    expect(problem).toContain("write a file that is not granted");
  });
});

test("without bubblewrap the problem says what to install", async () => {
  expect(await proveSandbox({ kind: "closed", env: { PATH: "/nowhere" } })).toEqual({
    problem: "bwrap is not on PATH; install the package bubblewrap",
    stopped: [],
  });
});

for (const user of users)
  describe.runIf(sandboxIsTested && (isRoot || user !== "root"))(`a sandbox that ${user} starts`, () => {
    const concerned = Object.entries(weaknesses).filter(
      ([, { forRoot }]) => user === "root" || forRoot !== true,
    );
    test.each(concerned)("and that %s, is not used, and its leak is named", async (name, { leaks }) => {
      const { problem, stopped } = await proofOf(name, user);

      for (const leak of leaks) expect(problem).toMatch(new RegExp(`^a program inside it can .*${leak}`));
      expect(stopped).not.toEqual(expect.arrayContaining([leaks[0]]));
    });
  });

/** The proof of a sandbox with a weakness, started by a user. */
async function proofOf(name: string, user: (typeof users)[number]): Promise<SandboxProof> {
  const program = fileURLToPath(new URL("prove-weak.ts", import.meta.url));
  const words = ["--conditions=@toolmount/source", program, name, makeHome(user)];
  const as = isRoot && user !== "root" ? { uid: unprivileged, gid: unprivileged } : {};
  const { stdout } = await promisify(execFile)(process.execPath, words, { ...as, env: { PATH: path } });
  return JSON.parse(stdout) as SandboxProof;
}

describe.runIf(sandboxIsTested)("a host that was started with a descriptor of a folder", () => {
  const prove = `
    import { proveSandbox } from "@toolmount/sandbox";
    console.log(JSON.stringify(await proveSandbox({ kind: "closed", env: { PATH: process.env.PATH } })));`;
  const list = `
    import { launchInSandbox, runInSandbox } from "@toolmount/sandbox";
    const program = { command: "/bin/ls", args: ["-l", "/proc/self/fd"], env: { PATH: process.env.PATH } };
    const mounts = { cwd: "/tmp", read: [], write: [], denied: [], network: false };
    console.log(JSON.stringify(await runInSandbox(launchInSandbox(program, mounts), { timeoutMs: 60_000 })));`;

  /** Runs a program of Node with the descriptor of a folder. */
  async function runWith(folder: string, program: string, env: NodeJS.ProcessEnv = { PATH: path }) {
    const words = ["--conditions=@toolmount/source", "--input-type=module", "--eval", program];
    const descriptor = openSync(folder, "r");
    // Node itself keeps the first sixteen from its programs.
    const stdio = ["ignore", "pipe", "inherit", ...Array<"ignore">(37).fill("ignore"), descriptor] as const;
    const child = spawn(process.execPath, words, { stdio: [...stdio], env, cwd: import.meta.dirname });
    const printed = await text(child.stdout!);
    closeSync(descriptor);
    return JSON.parse(printed) as Record<string, unknown>;
  }

  test("does not pass it on into a sandbox", async () => {
    const folder = makeHome();
    const { stdout, code } = await runWith(folder, list);

    expect(code).toBe(0);
    expect(stdout).toContain("/dev/null");
    expect(stdout).not.toContain(folder);
    expect(await runWith(folder, prove)).toEqual({ problem: null, stopped: namesOf("closed") });
  });

  test("uses no sandbox in which a program has it", async () => {
    const folder = makeHome();
    const { env } = countedBubblewrap(`exec 9< ${folder}; exec ${findProgram("bwrap", path)} "$@"`);

    expect(await runWith(folder, prove, env)).toMatchObject({
      problem: "a program inside it can use a descriptor of the host",
    });
  });
});

describe.runIf(sandboxIsTested && isKnownProcessor(process.arch)).each(Object.entries(uncountedCalls))(
  "a program of a sandbox that calls %s",
  (_, [x64, arm64]) => {
    /** The number of the error of one call that makes memory without a process or a folder. */
    async function endWith(memoryMb: number | undefined) {
      const folder = makeHome();
      const command = join(folder, "program");
      const args = x64 === uncountedCalls.memfd_create[0] ? ["name", 0] : [0, 4_096, 0o1600];
      const program = syscallProgram(process.arch, process.arch === "x64" ? x64 : arm64, args);
      writeFileSync(command, program!, { mode: 0o755 });
      const mounts = { cwd: folder, read: [], write: [], denied: [], network: false, memoryMb };
      const launch = launchInSandbox({ command, args: [], env: { PATH: path } }, mounts) as SandboxLaunch;
      return (await runInSandbox(launch, { timeoutMs: 60_000 })).code;
    }

    test("does not find it where the memory is counted", async () => {
      expect(await endWith(256)).toBe(38);
      expect(await endWith(undefined)).not.toBe(38);
    });
  },
);

describe.runIf(sandboxIsTested)("a proof", () => {
  test("that passed is kept for other processes, and made again when bubblewrap changes or doctor asks", async () => {
    const { env, runs, program } = countedBubblewrap(`exec ${findProgram("bwrap", path)} "$@"`);
    const prove = async (isFresh = false) => {
      // Another spelling of PATH, so that this process does not remember it.
      env.PATH += delimiter;
      expect(await proveSandbox({ kind: "closed", env, isFresh })).toMatchObject({ problem: null });
      return runs();
    };

    expect([await prove(), await prove(), await prove(true)]).toEqual([1, 1, 2]);
    utimesSync(program, 1, 1);
    expect([await prove(), await prove()]).toEqual([3, 3]);
  });

  test("that cannot be kept is made again by the next process", async () => {
    const { env, runs } = countedBubblewrap(`exec ${findProgram("bwrap", path)} "$@"`);
    env.HOME = "/proc";
    for (const _ of [1, 2]) {
      env.PATH += delimiter;
      expect(await proveSandbox({ kind: "closed", env })).toMatchObject({ problem: null });
    }

    expect(runs()).toBe(2);
  });
});

/** A program named `bwrap`, with a home folder of its own, and how often it was started. */
function countedBubblewrap(script: string) {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-bwrap-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [program, count] = [join(folder, "bwrap"), join(folder, "count")];
  writeFileSync(program, `#!/bin/sh\necho >> ${count}\n${script}\n`);
  chmodSync(program, 0o755);
  const env = { PATH: [folder, path].join(delimiter), HOME: makeHome() };
  return { env, program, runs: () => (existsSync(count) ? readFileSync(count, "utf8").length : 0) };
}
