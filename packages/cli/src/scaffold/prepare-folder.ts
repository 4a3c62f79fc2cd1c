import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { programCommand } from "@toolmount/paths/system";

/** Whether a folder is in a git repository. */
export function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (dirname(at) === at) return false;
  }
}

/** Runs a program in a folder, at the same terminal. Resolves to whether it ended well. */
export async function runIn(
  folder: string,
  [program = "", ...words]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { file, args, options } = programCommand(program, words, { platform: process.platform, env });
  const child = spawn(file, args, { ...options, cwd: folder, env: { ...env }, stdio: "inherit" });
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code === 0;
  } catch {
    // There is no such program: the next commands name it.
    return false;
  }
}
