export { config, mount } from "./module.ts";
export { createDelegate, type DelegateServices } from "./delegate.ts";
export type { ChildTurn, DelegateEvent, Spawn, SpawnRequest } from "./services.ts";
