// Borders around processes of Node
export { chooseBorder, examineBorders } from "./border/choose-border.ts";
export type { BorderFinding } from "./border/probe.ts";
export type { Border, BorderName, Grants, Launch, NodeProgram, WantedBorder } from "./border/border.ts";
export { processEnvironment } from "./border/environment.ts";
export { codeFolders, secretsBeside } from "./border/code-folders.ts";
export { credentialPaths } from "./border/credentials.ts";
export { endWithParent, plainBorder } from "./border/plain.ts";

// Programs, and what bounds them
export {
  bubblewrapArguments,
  findProgram,
  launchInSandbox,
  systemCallFilter,
  type BubblewrapProgram,
  type SandboxedProgram,
  type SandboxLaunch,
} from "./system/bubblewrap.ts";
export {
  createControlGroup,
  delegatedGroup,
  type ControlGroup,
  type GroupLimits,
} from "./system/control-group.ts";
export { basicVariables, networkVariables, residentEnvironment } from "./system/environment.ts";
export {
  killEntered,
  killTree,
  signalTree,
  spawnChild,
  thisSystem,
  treeOptions,
  type ProcessSystem,
} from "./system/process-trees.ts";
export {
  createLimitMark,
  createProgramGuard,
  type LimitMark,
  type ProgramGuard,
  type ProgramGuardOptions,
} from "./system/program-guard.ts";
export {
  memoryFolders,
  sandboxMounts,
  wallMounts,
  type SandboxMounts,
  type WallMounts,
} from "./system/sandbox-mounts.ts";
export { type SandboxKind } from "./system/escape-table.ts";
export { usageOf, type ProcessUsage } from "./system/process-usage.ts";
export { type FilterOptions } from "./system/seccomp-filter.ts";
export { proveSandbox, type ProofOptions, type SandboxProof } from "./system/prove-sandbox.ts";
export { passFilter, runInSandbox, sandboxStdio, type SandboxRun } from "./system/start-sandbox.ts";
export { ownProcesses } from "./system/own-processes.ts";
export { programCommand, type ProgramCommand, type ProgramSystem } from "./system/program-command.ts";

// A session's layer over a folder
export { hostPattern } from "./border/hosts-proxy.ts";
export { gateEnvironment, openHostGate, type HostGate } from "./border/host-gate.ts";
export { openLayer, proveLayer, type Entered, type Layer } from "./layer/layer.ts";
export { type LayerOptions } from "./layer/mount.ts";
export { type Conflict } from "./layer/conflicts.ts";
export { type Choice, type KeepResult } from "./layer/keep.ts";
export { layersIn, type LeftLayer } from "./layer/place.ts";
export { shownEnvironment, toPerson } from "./layer/person-paths.ts";
export { type Mark } from "./system/mark.ts";
export { type Sides, type Texts } from "./layer/texts.ts";
export { type Difference, type LayerChange, type Section } from "./layer/difference.ts";
