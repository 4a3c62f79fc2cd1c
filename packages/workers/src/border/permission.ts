import { dirname } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { Border, Grants, NodeProgram } from "./border.ts";
import { memoryOption } from "./memory-option.ts";
import { endWithParent } from "./plain.ts";

/** Whether Node's permission model of this version also covers the network. */
const coversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");

/**
 * Node's permission model: files outside the grants, child processes, workers, addons and WASI are refused. `node:sqlite`
 * is off, because it opens files past the model. Before Node 25 the network is open.
 */
export const permissionBorder: Border = {
  name: "permission",
  launch(program, grants) {
    requireNetwork(grants.network);
    const args = [...permissionOptions(program, grants), ...program.options, program.file];
    return endWithParent({ file: program.node, args, env: grants.env });
  },
};

/** Refuses a limit on the network that Node cannot enforce. */
function requireNetwork(network: Grants["network"]): void {
  if (network === undefined || network === "any") return;
  if (network === "none" && coversNetwork) return;
  const problem = coversNetwork
    ? "Node's permission model cannot allow single hosts"
    : `Node ${process.versions.node} cannot keep a process from the network; Node 25 can`;
  throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "permission", problem });
}

function permissionOptions({ code, file }: NodeProgram, grants: Grants): string[] {
  const { read, write, network, memoryMb } = grants;
  return [
    "--permission",
    ...[...code, dirname(file), ...read, ...write].map((path) => `--allow-fs-read=${path}`),
    ...write.map((path) => `--allow-fs-write=${path}`),
    ...(coversNetwork && network === "any" ? ["--allow-net"] : []),
    "--no-experimental-sqlite",
    ...memoryOption(memoryMb),
  ];
}
