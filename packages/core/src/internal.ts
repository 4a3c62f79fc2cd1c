// For the packages of toolmount itself. Unstable: any release may change or remove these names.
export { isHostCapability } from "./contract/coordinator.ts";
export { listTool, type ApprovedListArguments } from "./sessions/bundle.ts";
export { workStoreOf } from "./pending/memory-work.ts";
export { decryptWithTicket, encryptWithTicket } from "./pending/ticket.ts";
export { rateForm, readRate } from "./scheduling/rate.ts";
export { ProgressPace } from "./scheduling/progress-pace.ts";
export { callInternal } from "./host/session.ts";
export { readHostLinks } from "./contract/host-chain.ts";
export { isAvailable, offerMarkOf, shareRates, toolsHere, type ToolHere } from "./host/tools-here.ts";
export { loggedOf } from "./contract/logger.ts";
export { redactingLogger } from "./text/redacting-logger.ts";
export { holdsVariables } from "./text/redact.ts";
export { ContractBreach } from "./result/normalize.ts";
export { isUnreachable } from "./scheduling/unreachable.ts";
export { withTimeout } from "./scheduling/time.ts";
