import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** Set by `npm test`, which builds first: built packages start in less than half of the time of their sources. */
const isBuilt = process.env["TOOLMOUNT_TEST_BUILT"] === "1";

/** Flags of Node for a program that imports the packages of this repository: built, or else their sources. */
export const nodeFlags: readonly string[] = isBuilt ? [] : ["-C", "@toolmount/source"];

/** How the command is started: what `npm test` has built, or else its sources. */
export const toolmount: readonly string[] = isBuilt
  ? [process.execPath, join(root, "packages/cli/dist/main.js")]
  : [process.execPath, "-C", "@toolmount/source", join(root, "packages/cli/src/main.ts")];

/** Lets modules of a folder import what the repository's own plans import. */
export function linkPackages(folder: string): Promise<void> {
  return symlink(join(root, "mount-plans/node_modules"), join(folder, "node_modules"));
}

/** Variables that every command gets. */
export function plainEnv(): Record<string, string> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE };
}

/** Runs the command to its end. */
export async function run(
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const [command = "", ...before] = toolmount;
  const child = spawn(command, [...before, ...words], {
    cwd,
    env: { ...plainEnv(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  const [ended, stdout, stderr] = await Promise.all([code, text(child.stdout), text(child.stderr)]);
  return { code: ended, stdout, stderr };
}

/** Starts `toolmount serve --http` on a free port, and resolves to its address. It ends with the test, or by `kill`. */
export async function serveCommand(
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<{
  readonly url: string;
  readonly kill: () => Promise<unknown>;
  /** What it wrote to stderr; resolves when it has ended. */
  readonly logged: Promise<string>;
}> {
  const [command = "", ...before] = toolmount;
  const child = spawn(command, [...before, "serve", "--http", "127.0.0.1:0", "--json", ...words], {
    cwd,
    env: { ...plainEnv(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const stderr = text(child.stderr);
  const kill = () => {
    const closed = once(child, "close");
    child.kill("SIGKILL");
    return closed;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { listening: url } = JSON.parse(line) as { readonly listening?: string };
    if (url !== undefined) return { url, kill, logged: stderr };
  }
  throw new Error(`the server ended: ${await stderr}`);
}

/** A client of the official SDK before `toolmount serve --stdio`; both end with the test. */
export async function connectCommand(
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  options: ClientOptions = { versionNegotiation: { mode: "auto" } },
): Promise<Client> {
  const [command = "", ...before] = toolmount;
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  onTestFinished(() => client.close());
  const args = [...before, "serve", "--stdio", ...words];
  await client.connect(new StdioClientTransport({ command, args, cwd, env: { ...plainEnv(), ...env } }));
  return client;
}
