import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { onTestFailed, onTestFinished } from "vitest";
import type { Shell } from "../../src/process/shell.ts";
import { createScreen } from "../../src/screen/screen.ts";
import { personAt, type Press } from "./person.ts";

/** The repository's root. */
export const root = join(import.meta.dirname, "../../../..");

/** Set by `npm test`, which builds first: the built command starts in less than half of the time. */
const isBuilt = process.env["TOOLMOUNT_TEST_BUILT"] === "1";

/** What Node gets before the words of a command: the built command, or else its sources. */
export const command: readonly string[] = isBuilt
  ? [join(root, "packages/cli/dist/main.js")]
  : ["-C", "@toolmount/source", join(root, "packages/cli/src/main.ts")];

/** How a command ended, and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What it printed, read as JSON. */
  json(): Record<string, unknown>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input, closed after it. */
  readonly input?: string;
  /** What Node gets before the words, in place of {@link command}. */
  readonly program?: readonly string[];
  /** Only {@link runHere}: what a person at the terminal presses, who then sees stderr as a terminal of 100 columns shows it. */
  readonly presses?: readonly Press[] | undefined;
  /** Only {@link runHere}: aborted as by Ctrl-C or a signal, it ends the command. */
  readonly controller?: AbortController;
}

/** A command under way. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the command as a process of its own, with no terminal. */
function startCommand(
  words: readonly string[],
  { cwd = root, env = {}, input = "", program = command }: RunOptions = {},
): Started {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const plain = { PATH, HOME, NODE_COMPILE_CACHE };
  const child = spawn(process.execPath, [...program, ...words], {
    cwd,
    env: { ...plain, ...env },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const show = showWhenFailed(words);
  child.stdin.on("error", () => {}); // it may end without reading
  child.stdin.end(input);
  const exit = new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(([code, stdout, stderr]) =>
    show({ code, stdout, stderr }),
  );
  return { child, ended };
}

/** Runs the command to its end. */
export function runCommand(words: readonly string[], options?: RunOptions): Promise<Ended> {
  return startCommand(words, options).ended;
}

/**
 * Runs the command in this process, which is many times faster: for what a command prints, writes and ends with.
 * Signals, terminals, and what a module does to its process need {@link runCommand}.
 */
export async function runHere(
  words: readonly string[],
  { cwd = root, env = {}, input = "", presses, controller = new AbortController() }: RunOptions = {},
): Promise<Ended> {
  let [code, stdout, stderr] = [0, "", ""];
  const show = showWhenFailed(words);
  const person = presses === undefined ? undefined : personAt(presses);
  const { PATH = "", HOME = "" } = process.env;
  const variables = { PATH, HOME, ...env };
  const answers = new PassThrough().on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  const shell: Shell = {
    env: variables,
    cwd,
    settings: { verbosity: "normal", plan: undefined },
    input: Readable.from(input === "" ? [] : [Buffer.from(input)]),
    out: createScreen({ write: (piece) => void (stdout += piece) }, variables),
    err: person?.screen ?? createScreen({ write: (piece) => void (stderr += piece) }, variables),
    terminal: person?.terminal,
    calls: { begin: () => () => {} },
    openAnswerStream: () => answers,
    end: (ended) => void (code = ended),
    interruptible: (work) => work(controller),
  };
  // Imported late: most test files only start processes.
  const { runProgram } = await import("../../src/program.ts");
  await runProgram(words, shell);
  return show({ code, stdout, stderr: (await person?.seen()) ?? stderr });
}

/**
 * A red test shows what the command said on stderr: often that is why stdout has not what the test expects. A command may end
 * when its test is over, so the test is asked before it begins.
 */
function showWhenFailed(words: readonly string[]): (ended: Omit<Ended, "json">) => Ended {
  let said = "";
  onTestFailed(() => void (said !== "" && process.stdout.write(said)));
  return (ended) => {
    if (ended.stderr !== "") said = `toolmount ${words.join(" ")}: ${ended.code}\n${ended.stderr}\n`;
    return { ...ended, json: () => JSON.parse(ended.stdout) as Record<string, unknown> };
  };
}

/** A folder of files, gone after the test. It finds the packages that the repository's own plans find. */
export async function workspace(files: Readonly<Record<string, string>>) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-cli-")));
  // A process that is about to end may still write there.
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 }));
  await symlink(join(root, "mount-plans/node_modules"), join(folder, "node_modules"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const run = (words: readonly string[], options: RunOptions = {}) =>
    runCommand(words, { cwd: folder, ...options });
  /** As {@link runHere} does. */
  const here = (words: readonly string[], options: RunOptions = {}) =>
    runHere(words, { cwd: folder, ...options });
  const start = (words: readonly string[], options: RunOptions = {}) =>
    startCommand(words, { cwd: folder, ...options });
  const read = (path: string) => readFile(join(folder, path), "utf8");
  const write = (path: string, content: string) => writeFile(join(folder, path), content);
  return { folder, run, here, start, read, write };
}

/** A module of one tool beside its plan. `body` is what the tool does with `params` and `context`. */
export function oneTool(facts: {
  readonly name: string;
  readonly schema?: string;
  readonly confirm?: string;
  readonly body: string;
}): string {
  const { name, schema = "", confirm = "false", body } = facts;
  return `
    import { data, defineTool, failure, type Coordinator } from "@toolmount/core";
    import { z } from "zod";

    const tool = defineTool({
      name: "${name}",
      description: "Does what a test wants. Use in tests.",
      schema: z.strictObject({ ${schema} }),
      category: "side_effect",
      consequenceLevel: "medium",
      requiresConfirmation: ${confirm},
      execute: async (params, context) => { ${body} },
    });

    export function mount(coordinator: Coordinator) {
      coordinator.mount("tools", tool);
    }
  `;
}

/** A module of one tool that asks before each call, as if it removed the file at `path`. */
export function removingTool(name = "remove"): string {
  return oneTool({
    name,
    schema: "path: z.string()",
    confirm: "true",
    body: "return data({ gone: params.path });",
  });
}

/** A plan of modules by their paths. */
export function planOf(...modules: readonly string[]): string {
  return `version: 1\ntools:\n${modules.map((module) => `  - module: ${module}\n`).join("")}`;
}
