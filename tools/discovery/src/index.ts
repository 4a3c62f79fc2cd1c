export { config, type Settings } from "./config.ts";
export { mount } from "./module.ts";
export type { Services } from "./services.ts";
export { createToolSearch } from "./tool-search.ts";
export { createActivateTools } from "./activate-tools.ts";
export { createToolIndex, type ToolIndex } from "./tool-index.ts";
