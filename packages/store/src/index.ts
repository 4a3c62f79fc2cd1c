export { config, mount } from "./mount.ts";
export { openStore, type OpenStore, type StoreOptions } from "./open-store.ts";
export { countWaiting } from "./waiting.ts";
export type { PostgresOptions, Pruned } from "./store-shapes.ts";
export { openLedger } from "./ledger/open-ledger.ts";
