export { config, type Settings } from "./config.ts";
export { mount } from "./module.ts";
export type { Services } from "./searcher.ts";
export { createGrep } from "./grep.ts";
export { createGlob } from "./glob.ts";
