import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createShell, type Services, type Settings } from "@toolmount/tool-bash";
import { onTestFinished } from "vitest";

/**
 * Whether the tests of the sandbox are run. In CI they always are, and fail where bubblewrap is missing; elsewhere they
 * are reported as skipped. scripts/system-packages.sh installs it.
 */
export const sandboxIsTested =
  process.env["CI"] !== undefined || spawnSync("bwrap", ["--version"]).error === undefined;

/** A folder that is gone when the test is. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-bash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The shell tools over a folder of their own, without a sandbox unless the test asks for one; closed at its end. */
export function shell(settings: Settings = {}, services: Services = {}) {
  const folder = settings.working_dir ?? scratch();
  const tools = createShell({ working_dir: folder, isolation: "none", ...settings }, services);
  onTestFinished(() => tools.close());
  return { ...tools, folder, read: (name: string) => readFileSync(join(folder, name), "utf8") };
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly returncode: number;
  readonly truncated?: boolean;
  readonly stdout_total_bytes?: number;
  readonly id?: string;
}

/** A time for `sleep` that no other process of the machine names, such as one of another run of these tests. */
export function ownSeconds(): string {
  return `60.${randomInt(1e12)}`;
}

/** Process ids of those whose environment or command line holds a text, zombies left out. */
export function processesWith(text: string): number[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const state = readOr(`/proc/${pid}/stat`).replace(/^.*\) /s, "");
      if (state === "" || state.startsWith("Z") || pid === process.pid) return false;
      return readOr(`/proc/${pid}/cmdline`).includes(text) || readOr(`/proc/${pid}/environ`).includes(text);
    });
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Starts a command in the background, waits until it says that it is ready, and stops it. */
export async function stopOnceReady(tools: ReturnType<typeof shell>, command: string): Promise<void> {
  const { data } = await tools.bash.execute({ command, run_in_background: true });
  const { id } = data as { id: string };
  await tools.bashOutput.execute({ id, wait: 60 });
  await tools.bashStop.execute({ id });
}
