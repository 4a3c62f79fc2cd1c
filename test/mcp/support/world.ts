import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readdirSync, readFileSync } from "node:fs";
import { openHost, type OpenedHost, type OpenHostOptions } from "@toolmount/loader";
import * as interop from "@toolmount/interop";
import * as mcp from "@toolmount/mcp";
import * as store from "@toolmount/store";
import { onTestFinished } from "vitest";
import { nodeFlags } from "./command.ts";

/** The server of the tests. */
const fixture = join(import.meta.dirname, "../fixtures/server.ts");

/** A server gets only the variables that its entry names. With this one, its sources have their types stripped once. */
const compiled = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" };

/** The part of an entry's source that starts the server of the tests. */
export function serverOf(...words: readonly string[]) {
  return { command: process.execPath, args: [...nodeFlags, fixture, ...words], env: compiled };
}

/** A folder of files, gone after the test. */
export async function folderOf(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-mcp-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** Opens a plan with what the packages of the house bring; closed after the test. A plan without a file has a folder of its own. */
export async function open(plan: string | object, options: OpenHostOptions = {}): Promise<OpenedHost> {
  const host = await openHost(plan as string, {
    ...(typeof plan === "object" && { cwd: await folderOf() }),
    extensions: { "@toolmount/interop": interop, "@toolmount/mcp": mcp, "@toolmount/store": store },
    env: {},
    ...options,
  });
  onTestFinished(async () => void (await host.close()));
  return host;
}

/** A plan of one server of the tests. */
export function planOf(source: object, entry: object = {}) {
  return { version: 1, tools: [{ module: "fixture", source: { mcp: source }, ...entry }] };
}

/** Processes of this machine whose command line or environment has a word. Linux only. */
export function processesWith(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && has(pid, word));
}

function has(pid: number, word: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(word);
  } catch {
    return false; // it has ended, or is another user's process
  }
}

/** The eras of a client and of a server behind the host. */
export const eraPairs = [
  ["legacy", "legacy"],
  ["legacy", "modern"],
  ["modern", "legacy"],
  ["modern", "modern"],
] as const;

/** Waits until something is so. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 20));
}

let count = 0;

/** A variable by which the processes of one test are found. */
export function mark(): { env: Record<string, string>; word: string } {
  const word = `TOOLMOUNT_TEST_MARK=${process.pid}-${count++}`;
  const [name = "", value = ""] = word.split("=");
  return { env: { ...compiled, [name]: value }, word };
}
