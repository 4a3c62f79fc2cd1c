// The state of a session that tools and reasoners share: its mode, which tools are active, and the logs of its calls.
export {
  callsLogOf,
  changesLogOf,
  innerLogOf,
  logsOf,
  resultsLogOf,
  ticketsLogOf,
} from "./pending/session-logs.ts";
export { activateTools, activeTools } from "./sessions/activation.ts";
export { changeSessionMode, defaultMode, sessionMode } from "./sessions/mode.ts";
export { toolsOfMode } from "./sessions/offer.ts";
export { guidanceBesideDefinitions, guidanceOf, summaryOf } from "./sessions/guidance.ts";
