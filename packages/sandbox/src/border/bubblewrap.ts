import { launchInSandbox } from "../system/bubblewrap.ts";
import { memoryFolders } from "../system/sandbox-mounts.ts";
import { proveSandbox } from "../system/prove-sandbox.ts";
import { ToolmountError } from "@toolmount/core";
import type { Border, Grants } from "./border.ts";
import { readablePaths } from "./readable.ts";
import { memoryOption } from "./memory-option.ts";

/**
 * The bubblewrap border: a process sees the system's programs, its own code and the granted paths, but no other process and,
 * unless the plan allows it, no network.
 */
export const bubblewrapBorder: Border = {
  name: "bubblewrap",
  launch({ node, options, file, code }, grants) {
    const { read, write, denied, secret = [], memoryMb, env, cwd } = grants;
    const args = [...memoryOption(memoryMb), ...options, file];
    // These paths need not exist: a file next to the code may be deleted before the process starts.
    const readIfThere = readablePaths(code, secret);
    const mounts = { cwd, read, readIfThere, write, denied, secret, network: networkOf(grants), memoryMb };
    const launch = launchInSandbox({ command: node, args, env }, mounts);
    if ("problem" in launch) throw unavailable(launch.problem);
    const granted = [...read, ...write];
    const foldersInMemory = memoryFolders.filter((folder) => !isGranted(folder, granted));
    return { ...launch, foldersInMemory };
  },
  prove: (grants, isFresh) =>
    proveSandbox({ kind: networkOf(grants) ? "online" : "closed", env: grants.env, isFresh }),
};

/** Whether the plan grants a folder that would otherwise be in memory. It is then the machine's own folder. */
function isGranted(folder: string, granted: readonly string[]): boolean {
  return granted.some((path) => path === "/" || path === folder);
}

function networkOf({ network = "none" }: Grants): boolean {
  if (typeof network === "string") return network === "any";
  throw unavailable('it cannot allow single hosts; network is "none" or "any", or the border is srt');
}

function unavailable(problem: string): ToolmountError {
  return new ToolmountError("SANDBOX_UNAVAILABLE", { border: "bubblewrap", problem });
}
