export { config, mount } from "./module.ts";
export type { Settings } from "./config.ts";
