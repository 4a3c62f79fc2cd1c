// Recognizes the exports of modules of all contracts, and makes definitions of tools. For packages of toolmount itself.
export {
  completeClassification,
  foreignDefinition,
  isForeignDefinition,
  strictest,
} from "./registry/complete-classification.ts";
export { classify, type Classification } from "./registry/classify.ts";
export { authoredDefinition } from "./registry/define-tool.ts";
export { foldName } from "./registry/registry.ts";
export { requireNoHiddenText } from "./registry/refuse-hidden-text.ts";
export { runMount } from "./registry/mount-return.ts";
export {
  adaptModule,
  exportedTools,
  isDeclaredForeign,
  mayBeForeign,
  recogniseModule,
  type LoadedModule,
  type ModuleExports,
} from "./registry/recognize-module.ts";
export { lockDigest } from "./registry/lock-digest.ts";
