import { dirname } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { Border, Grants, NodeProgram } from "./border.ts";
import { memoryOption } from "./memory-option.ts";
import { endWithParent } from "./plain.ts";
import { readablePaths } from "./readable.ts";

/** Whether Node's permission model of this version also covers the network. */
const coversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");

/**
 * The border of Node's permission model, which refuses files outside of the grants, child processes, workers, addons and WASI.
 * `node:sqlite` is switched off, because it opens files without asking the model. Before Node 25, the network stays open.
 */
export const permissionBorder: Border = {
  name: "permission",
  launch(program, grants) {
    requireNetwork(grants.network);
    keepInspectorClosed();
    const args = [...permissionOptions(program, grants), ...program.options, program.file];
    return endWithParent({ file: program.node, args, env: grants.env });
  },
};

/**
 * Listens to SIGUSR1, so that it does not open the host's inspector, through which any process on the machine could run code in
 * the host. The processes get a Node option for the same purpose.
 */
function keepInspectorClosed(): void {
  if (process.listenerCount("SIGUSR1") === 0) process.on("SIGUSR1", () => {});
}

/** Throws for a limit on the network that Node cannot enforce. */
function requireNetwork(network: Grants["network"]): void {
  if (network === undefined || network === "any") return;
  if (network === "none" && coversNetwork) return;
  const problem = coversNetwork
    ? "Node's permission model cannot allow single hosts"
    : `Node ${process.versions.node} cannot keep a process from the network; Node 25 can`;
  throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "permission", problem });
}

function permissionOptions({ code, file }: NodeProgram, grants: Grants): string[] {
  const { read, write, secret = [], network, memoryMb } = grants;
  const readable = readablePaths([...code, dirname(file), ...read, ...write], secret);
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...write.map((path) => `--allow-fs-write=${path}`),
    ...(coversNetwork && network === "any" ? ["--allow-net"] : []),
    "--no-experimental-sqlite",
    ...memoryOption(memoryMb),
  ];
}
