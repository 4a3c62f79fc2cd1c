import { launchInSandbox } from "@toolmount/paths/system";
import { ToolmountError } from "@toolmount/core";
import type { Border, Grants } from "./border.ts";
import { memoryOption } from "./memory-option.ts";

/**
 * bubblewrap: the process sees the system's programs, its own code and the granted paths, no other process and, unless
 * the plan allows it, no network.
 */
export const bubblewrapBorder: Border = {
  name: "bubblewrap",
  launch({ node, options, file, code }, grants) {
    const { read, write, denied, memoryMb, env, cwd } = grants;
    const args = [...memoryOption(memoryMb), ...options, file];
    const mounts = { cwd, read: [...code, ...read], write, denied, network: networkOf(grants) };
    const launch = launchInSandbox({ command: node, args, env }, mounts);
    if ("problem" in launch) throw unavailable(launch.problem);
    return launch;
  },
};

function networkOf({ network = "none" }: Grants): boolean {
  if (typeof network === "string") return network === "any";
  throw unavailable('it cannot allow single hosts; network is "none" or "any", or the border is srt');
}

function unavailable(problem: string): ToolmountError {
  return new ToolmountError("SANDBOX_UNAVAILABLE", { border: "bubblewrap", problem });
}
