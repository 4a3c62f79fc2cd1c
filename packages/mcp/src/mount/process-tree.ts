import type { ChildProcessByStdio } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Readable, Writable } from "node:stream";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import { systemClock, ToolmountError } from "@toolmount/core";
import { withTimeout } from "@toolmount/core/internal";
import {
  createProgramGuard,
  killTree,
  launchInSandbox,
  networkVariables,
  passFilter,
  programCommand,
  proveSandbox,
  runInSandbox,
  sandboxStdio,
  shownEnvironment,
  signalTree,
  treeOptions,
  usageOf,
  type SandboxLaunch,
  type SandboxMounts,
  spawnChild,
} from "@toolmount/sandbox";

/** A program to start, and the border behind which it runs. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** The paths that exist for the program behind its border; undefined if it runs without a border. */
  readonly sandbox?: SandboxMounts | undefined;
  /** The folder of the session's layer in which the program runs: the program is then looked up as the layer shows it. */
  readonly layer?: string | undefined;
}

interface ProgramEnd {
  /** How the program ended, as a sentence such as `it ended with code 1`. */
  readonly how: string;
  /** Whether the program failed: it ended with a code above 0, or had too many processes. */
  readonly isFailure: boolean;
}

/** A program and every process that it started, which end together. */
export interface ProcessTree {
  readonly pid: number;
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
  /** Resolves when the program itself is gone. */
  readonly exited: Promise<ProgramEnd>;
  /**
   * Ends the whole tree: closes the program's input, sends SIGTERM where the system has it, and at last kills everything that
   * is left. Waits `patienceMs` after each of the first two steps. Idempotent.
   */
  end(): Promise<void>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Milliseconds to wait after each way of asking a program to end. */
const patienceMs = 700;

/** Maximum number of processes of a program, including those that it started, and the milliseconds between two counts. */
const maxProcesses = 512;
const countMs = 1_000;

/** Environment variable of a program and of all that it starts, by which its guard finds them. */
const markName = "TOOLMOUNT_SERVER";

/**
 * Starts a program in its own process group, with an environment of a few harmless variables and what the plan names. If this
 * process is killed, a guard ends all that the program started. Rejects when the program cannot be started.
 */
export async function startProgram(given: Program): Promise<ProcessTree> {
  const { cwd } = given;
  const launch = launchOf(given);
  const mark = randomUUID();
  const env: Record<string, string> = { ...launch.env, [markName]: mark };
  const program = programCommand(launch.file, launch.args, { platform: process.platform, env });
  const child = spawnChild(program.file, program.args, {
    stdio: sandboxStdio(["pipe", "pipe", "pipe"], launch),
    ...treeOptions(),
    ...program.options,
    env,
    ...(cwd !== undefined && { cwd }),
  }) as Child;
  passFilter(child, launch);
  let flood: string | undefined;
  const exited = new Promise<ProgramEnd>((resolve) => {
    child.once("exit", (code, signal) =>
      resolve({
        how: flood ?? (signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
        isFailure: flood !== undefined || (code !== null && code > 0),
      }),
    );
  });
  await once(child, "spawn");
  const pid = child.pid!;
  const counting = watchCount(pid, () => {
    flood = `it was killed, because it started more than ${maxProcesses} processes`;
    killTree(pid);
  });
  void exited.then(() => clearInterval(counting));
  // The guard also kills what the program left in process groups of its own.
  const guard = createProgramGuard({ mark: `${markName}=${mark}`, path: env["PATH"], isPolite: true });
  guard.add(pid);
  const dismiss = () => (guard.remove(pid), guard.close());
  let ending: Promise<void> | undefined;
  return {
    pid,
    input: child.stdin,
    output: child.stdout,
    errors: child.stderr,
    exited,
    end: () => (ending ??= endTree(child, pid, exited).finally(dismiss)),
  };
}

/** Returns the variables that every program gets: a few harmless ones, and those for proxies, certificates and registries. */
function environment(): Record<string, string> {
  return { ...getDefaultEnvironment(), ...networkVariables(process.env, { isProxied: true }) };
}

/** Returns the command for a program, with its whole environment. Throws `SANDBOX_UNAVAILABLE`. */
function launchOf({ command, args, env, sandbox, layer }: Program): SandboxLaunch {
  const whole = { ...environment(), ...env };
  if (sandbox === undefined) return { file: command, args, env: whole, filter: undefined };
  const inside = layer === undefined ? whole : shownEnvironment(layer, whole);
  const launch = launchInSandbox({ command, args, env: whole, inside }, sandbox);
  if (!("problem" in launch)) return launch;
  throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "bubblewrap", problem: launch.problem });
}

/** Counts the processes of a program while it lives, and calls back when there are too many. Works on Linux only. */
function watchCount(pid: number, onTooMany: () => void): NodeJS.Timeout {
  const count = () => {
    const usage = usageOf(pid, { maxProcesses: maxProcesses + 1 });
    if (usage !== undefined && usage.processes > maxProcesses) onTooMany();
  };
  return setInterval(count, countMs).unref();
}

async function endTree(child: Child, pid: number, exited: Promise<unknown>): Promise<void> {
  child.stdin.on("error", () => {}); // the stream may be gone
  child.stdin.end();
  if (!(await within(exited))) {
    signalTree(pid, "SIGTERM");
    // The program's children in other process groups can be found only while the program itself still exists.
    if (!(await within(exited))) killTree(pid);
  }
  // Processes of the program's own group may outlive it.
  if (isAlive(pid)) signalTree(pid, "SIGTERM");
  for (let round = 0; round < 10 && isAlive(pid); round++) await delay(20);
  signalTree(pid, "SIGKILL");
  await exited;
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
}

function within(exited: Promise<unknown>): Promise<boolean> {
  const gone = exited.then(() => true);
  return withTimeout(systemClock, patienceMs, gone, () => false);
}

function isAlive(pid: number): boolean {
  return signalTree(pid, 0);
}

/** Longest time for the trial of a border, in milliseconds. */
const trialMs = 20_000;

/**
 * Tests the border of a program: attempts to break out of it must fail, and a harmless program must run in it. Otherwise rejects
 * with `SANDBOX_UNAVAILABLE`, because a server is never started behind a weaker border.
 */
export async function requireBorder(program: Program | undefined): Promise<void> {
  if (program?.sandbox === undefined) return;
  launchOf(program);
  const kind = program.sandbox.network ? "online" : "closed";
  const proof = await proveSandbox({ kind, env: { ...environment(), ...program.env } });
  if (proof.problem !== null)
    throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "bubblewrap", problem: proof.problem });
  const launch = launchOf({ ...program, command: "/bin/echo", args: ["ready"] });
  const { code, stderr } = await runInSandbox(launch, { timeoutMs: trialMs });
  if (code === 0) return;
  const problem = stderr.trim().slice(0, 500) || `a harmless program in it ended with ${code}`;
  throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "bubblewrap", problem });
}
