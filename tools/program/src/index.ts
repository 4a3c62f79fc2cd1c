export { config, type Settings } from "./config.ts";
export { mount } from "./module.ts";
export type { Services } from "./services.ts";
export { createDescribeTools } from "./describe-tools.ts";
export { createRunProgram } from "./run-program.ts";
export { Threads } from "./sandbox/threads.ts";
