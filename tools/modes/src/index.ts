export { config, mount } from "./module.ts";
export { createListModes } from "./list-modes.ts";
export { createChangeMode } from "./change-mode.ts";
export type { ChangeModeServices, ModeChanged, ModeServices } from "./services.ts";
