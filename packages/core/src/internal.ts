// For the packages of toolmount itself. Unstable: any release may change or remove these names.
export { canonicalJson, digestOf } from "./json/canonical.ts";
export { frozenCopy, maxDepth, NotJson } from "./json/freeze.ts";
export { isRecord } from "./json/json.ts";
export { isHostCapability } from "./contract/coordinator.ts";
export {
  hasWords,
  isWanted,
  joinRecord,
  lineOf,
  newestFirst,
  pastCalls,
  searchProblem,
  soughtWords,
  wordsOf,
  type SoughtWord,
  kindOf,
} from "./pending/past-calls.ts";
export { readProgram, type PastProgram, type ProgramLine } from "./pending/past-program.ts";
export { listTool, type ApprovedListArguments } from "./sessions/bundle.ts";
export { workStoreOf } from "./pending/memory-work.ts";
export { decryptWithTicket, encryptWithTicket } from "./pending/ticket.ts";
export { meter } from "./json/meter.ts";
export { boundedFetch, LineReader, readBounded, requireNarrow } from "./json/bounded-fetch.ts";
export { parseExact, quoteChanged, refusalOf } from "./json/shape.ts";
export { ProgressPace } from "./scheduling/progress-pace.ts";
export {
  completeClassification,
  foreignDefinition,
  isForeignDefinition,
  strictest,
} from "./registry/complete-classification.ts";
export { classify, type Classification } from "./registry/classify.ts";
export { authoredDefinition } from "./registry/define-tool.ts";
export { isStandardSchema } from "./contract/standard-schema.ts";
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
export { requireJsonSchema } from "./schema/require-json-schema.ts";
export { plainRule, plainWords } from "./schema/plain-rule.ts";
export { invalidArguments, prepareSchema, type PreparedSchema } from "./schema/schema.ts";
export { validateStandard, zodSize } from "./schema/zod-parser.ts";
export { lockDigest } from "./registry/lock-digest.ts";
export { callInternal } from "./host/session.ts";
export { argumentAt, confirmedValues, withoutContent } from "./call/kept-result.ts";
export { readHostLinks } from "./contract/host-chain.ts";
export { fitsOutputSchema, isAvailable, offerMarkOf, toolsHere, type ToolHere } from "./host/tools-here.ts";
export { loggedOf } from "./contract/logger.ts";
export { placeText } from "./pending/place.ts";
export { redactingLogger } from "./text/redacting-logger.ts";
export { holdsVariables } from "./text/redact.ts";
export { ContractBreach } from "./result/normalize.ts";
export { isUnreachable } from "./scheduling/unreachable.ts";
export { withTimeout } from "./scheduling/with-timeout.ts";
