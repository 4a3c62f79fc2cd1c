export { config, type Settings } from "./config.ts";
export { mount } from "./module.ts";
export { createWebFetch } from "./tools/web-fetch.ts";
export { createWebSearch } from "./tools/web-search.ts";
export type { Services } from "./web.ts";
export type { Resolve } from "./guard/target.ts";
export type { Connect, Destination } from "./fetch/connect.ts";
