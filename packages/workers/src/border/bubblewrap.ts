import { bubblewrapArguments, sandboxMounts } from "@toolmount/paths";
import { ToolmountError } from "@toolmount/core";
import type { Border, Grants } from "./border.ts";
import { memoryOption } from "./memory-option.ts";
import { findProgram } from "./plain.ts";

/**
 * bubblewrap: the process sees the system's programs, its own code and the granted paths, no other process and, unless
 * the plan allows it, no network.
 */
export const bubblewrapBorder: Border = {
  name: "bubblewrap",
  launch({ node, options, file, code }, grants) {
    const { read, write, denied, memoryMb, env, cwd } = grants;
    const bwrap = findProgram("bwrap", env["PATH"]);
    if (bwrap === undefined) throw unavailable("bwrap is not on PATH; install the package bubblewrap");
    const inside = [node, ...code, ...read];
    const mounts = sandboxMounts({ cwd, read: inside, write, denied, network: networkOf(grants) });
    const args = bubblewrapArguments({ cwd, env }, mounts);
    return { file: bwrap, args: [...args, node, ...memoryOption(memoryMb), ...options, file], env };
  },
};

function networkOf({ network = "none" }: Grants): boolean {
  if (typeof network === "string") return network === "any";
  throw unavailable('it cannot allow single hosts; network is "none" or "any", or the border is srt');
}

function unavailable(problem: string): ToolmountError {
  return new ToolmountError("SANDBOX_UNAVAILABLE", { border: "bubblewrap", problem });
}
