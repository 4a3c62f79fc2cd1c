import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createShell, type Services, type Settings } from "@toolmount/tool-bash";
import { onTestFinished } from "vitest";

/** A folder that is gone when the test is. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-bash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The shell tools over a folder of their own, closed when the test is over. */
export function shell(settings: Settings = {}, services: Services = {}) {
  const folder = settings.working_dir ?? scratch();
  const tools = createShell({ working_dir: folder, ...settings }, services);
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
