export { config, mount } from "./module.ts";
export { createDelegate, type DelegateEvent, type DelegateServices } from "./delegate.ts";
