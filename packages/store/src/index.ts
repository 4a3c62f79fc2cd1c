export { config, mount } from "./mount.ts";
export { openStore, type OpenStore, type StoreOptions } from "./open-store.ts";
