// What differs between operating systems.
export {
  bubblewrapArguments,
  findProgram,
  launchInSandbox,
  sandboxMounts,
  type BubblewrapProgram,
  type SandboxedProgram,
  type SandboxLaunch,
  type SandboxMounts,
} from "./bubblewrap.ts";
export { basicVariables } from "./environment.ts";
export { canOthersRead } from "./file-mode.ts";
export { signalTree, thisSystem, treeOptions, type ProcessSystem } from "./process-trees.ts";
export { programCommand, type ProgramCommand, type ProgramSystem } from "./program-command.ts";
