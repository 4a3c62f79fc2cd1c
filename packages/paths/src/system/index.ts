// What differs between operating systems.
export {
  bubblewrapArguments,
  findProgram,
  deniedMounts,
  launchInSandbox,
  ownProcesses,
  sandboxMounts,
  secretMounts,
  type BubblewrapProgram,
  type SandboxedProgram,
  type SandboxLaunch,
  type SandboxMounts,
} from "./bubblewrap.ts";
export { basicVariables } from "./environment.ts";
export { canOthersRead } from "./file-mode.ts";
export { killTree, signalTree, thisSystem, treeOptions, type ProcessSystem } from "./process-trees.ts";
export { createProgramGuard, type ProgramGuard, type ProgramGuardOptions } from "./program-guard.ts";
export { programCommand, type ProgramCommand, type ProgramSystem } from "./program-command.ts";
