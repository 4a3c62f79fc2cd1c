import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ToolmountError } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { launchOf, type Program } from "./process-tree.ts";

/** Milliseconds that the trial may take. */
const timeoutMs = 20_000;

/**
 * Tries the border of a program with a harmless one. Rejects with `SANDBOX_UNAVAILABLE` when it does not work here: the
 * server is never started behind a weaker one.
 */
export async function requireBorder(program: Program | undefined): Promise<void> {
  if (program?.sandbox === undefined) return;
  launchOf(program);
  const { file, args, env } = launchOf({ ...program, command: "/bin/echo", args: ["ready"] });
  try {
    await promisify(execFile)(file, [...args], { env: { ...env }, timeout: timeoutMs });
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    const problem = (stderr?.trim() || messageOf(error)).slice(0, 500);
    throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "bubblewrap", problem }, { cause: error });
  }
}
