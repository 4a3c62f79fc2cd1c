export { config, mount } from "./module.ts";
export { createHelloWorld } from "./hello-world.ts";
