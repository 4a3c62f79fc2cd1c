// What differs between operating systems.
export {
  bubblewrapArguments,
  findProgram,
  launchInSandbox,
  systemCallFilter,
  type BubblewrapProgram,
  type SandboxedProgram,
  type SandboxLaunch,
} from "./bubblewrap.ts";
export { copyAttributes } from "./attributes.ts";
export { isBelow } from "../below.ts";
export { createControlGroup, delegatedGroup, type ControlGroup, type GroupLimits } from "./control-group.ts";
export { basicVariables } from "./environment.ts";
export { canOthersRead } from "./file-mode.ts";
export { killTree, signalTree, thisSystem, treeOptions, type ProcessSystem } from "./process-trees.ts";
export {
  createLimitMark,
  createProgramGuard,
  type LimitMark,
  type ProgramGuard,
  type ProgramGuardOptions,
} from "./program-guard.ts";
export {
  memoryFolders,
  sandboxMounts,
  wallMounts,
  type SandboxMounts,
  type WallMounts,
} from "./sandbox-mounts.ts";
export { type SandboxKind } from "./escape-table.ts";
export { usageOf, type ProcessUsage } from "./process-usage.ts";
export { type FilterOptions } from "./seccomp-filter.ts";
export { proveSandbox, type ProofOptions, type SandboxProof } from "./prove-sandbox.ts";
export { passFilter, runInSandbox, sandboxStdio, type SandboxRun } from "./start-sandbox.ts";
export { ownProcesses } from "./own-processes.ts";
export { programCommand, type ProgramCommand, type ProgramSystem } from "./program-command.ts";
