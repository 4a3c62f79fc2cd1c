export { config, type Settings } from "./config.ts";
export { mount } from "./module.ts";
export type { Services } from "./services.ts";
export { createTodo } from "./todo.ts";
export type { Todo } from "./list.ts";
