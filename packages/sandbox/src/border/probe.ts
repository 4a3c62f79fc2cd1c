import { realpathSync } from "node:fs";
import { isToolmountError } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { runInSandbox } from "../system/start-sandbox.ts";
import type { Border, Grants, Launch } from "./border.ts";

/** Longest time for the probe, in milliseconds. */
const timeoutMs = 20_000;

/** What was found out about a border on this machine. */
export interface BorderFinding {
  /** Why the border cannot be used; null if it works. */
  readonly problem: string | null;
  /**
   * Attempts that a process behind the border made against the host without success; empty for borders without such a trial.
   */
  readonly stopped: readonly string[];
}

/** Makes the attempts of the escape table behind a border, or reads their stored proof, and starts Node with the grants. */
export async function probeBorder(border: Border, grants: Grants, isFresh = false): Promise<BorderFinding> {
  const proof = await border.prove?.(grants, isFresh);
  if (proof !== undefined && proof.problem !== null) return proof;
  return { problem: await startBehind(border, grants), stopped: proof?.stopped ?? [] };
}

/** Starts a process behind the border. Returns null if it worked, else the reason. */
async function startBehind(border: Border, grants: Grants): Promise<string | null> {
  if (border.name === "none") return null;
  try {
    // A launch ends with the code of the program, which here only computes a number and imports nothing.
    const program = { node: realpathSync(process.execPath), options: ["--print"], file: "6 * 7", code: [] };
    return await runProbe(await border.launch(program, grants), grants.cwd);
  } catch (error) {
    if (isToolmountError(error) && error.code === "SANDBOX_UNAVAILABLE")
      return String(error.details["problem"]);
    return messageOf(error).slice(0, 500);
  }
}

async function runProbe(launch: Launch, cwd: string): Promise<string | null> {
  const { stdout, stderr } = await runInSandbox({ filter: undefined, ...launch }, { cwd, timeoutMs });
  if (stdout.trim() === "42") return null;
  const said = stderr.trim().slice(0, 500);
  return said === "" ? `a process behind it printed ${JSON.stringify(stdout.slice(0, 100))}` : said;
}
