// What differs between operating systems.
export { basicVariables } from "./environment.ts";
export { canOthersRead } from "./file-mode.ts";
export { signalTree, thisSystem, treeOptions, type ProcessSystem } from "./process-trees.ts";
export { programCommand, type ProgramCommand, type ProgramSystem } from "./program-command.ts";
