// The state of a session that tools and reasoners share: its mode, and which tools are active.
export { activateTools, activeTools } from "./sessions/activation.ts";
export { changeSessionMode, defaultMode, sessionMode } from "./sessions/mode.ts";
export { toolsOfMode } from "./sessions/offer.ts";
export { guidanceBesideDefinitions, guidanceOf, summaryOf } from "./sessions/guidance.ts";
