import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { linkSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { waitFor } from "@toolmount/testing";
import { expect, onTestFinished, test } from "vitest";
import { scratch } from "./scratch.ts";

/** For text without order the engine needs as many states as there are texts of this length: it is slow, and finds nothing. */
const pattern = "a[ab]{300}\\W\\W";

/** Files in which the engine searches for minutes: it never fails to write a result. */
function plantFiles(): string {
  const { base, path } = scratch();
  let bits = "";
  for (let n = 0; bits.length < 1_000_000; n++)
    bits += createHash("sha256")
      .update(String(n))
      .digest("hex")
      .replaceAll(/[0-7]/g, "a")
      .replaceAll(/[^a]/g, "b");
  writeFileSync(path("0.txt"), bits);
  for (let n = 1; n < 100; n++) linkSync(path("0.txt"), path(`${n}.txt`));
  return base;
}

/** A host in a process of its own, with two searches that run. */
async function startHost(): Promise<{ host: ChildProcess; base: string }> {
  const base = plantFiles();
  const program = `
    const { createGrep } = await import(${JSON.stringify(import.meta.resolve("@toolmount/tool-search"))});
    const grep = createGrep({ working_dir: ${JSON.stringify(base)} });
    for (let n = 0; n < 2; n++) void grep.execute(${JSON.stringify({ pattern })});
    process.stdin.once("data", (action) => new Function(String(action))());
  `;
  const flags = ["-C", "@toolmount/source", "--input-type=module", "--eval", program];
  const host = spawn(process.execPath, flags, { stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => {
    host.kill("SIGKILL");
    for (const pid of enginesIn(base)) endProcess(pid);
  });
  await waitFor(() => enginesIn(base).length === 2, { timeoutMs: 60_000, everyMs: 20 });
  return { host, base };
}

const ends: readonly { how: string; end: (host: ChildProcess) => void }[] = [
  { how: "is killed with SIGKILL", end: (host) => host.kill("SIGKILL") },
  { how: "ends on SIGTERM without a handler", end: (host) => host.kill("SIGTERM") },
  { how: "exits", end: (host) => host.stdin!.write("process.exit(0)") },
  { how: "throws where nothing catches it", end: (host) => host.stdin!.write("throw new Error('boom')") },
];

test.runIf(process.platform === "linux").each(ends)(
  "no search engine outlives a host that $how",
  async ({ end }) => {
    const { host, base } = await startHost();
    const ended = once(host, "exit");

    end(host);
    await ended;

    const isGone = () => enginesIn(base).length === 0;
    expect(await waitFor(isGone, { timeoutMs: 30_000, everyMs: 20 })).toBe(true);
  },
);

/** Process ids of the engines that search a folder. */
function enginesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => basename(linkOf(pid, "exe")) === "rg" && linkOf(pid, "cwd") === folder);
}

function linkOf(pid: number, name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return "";
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
