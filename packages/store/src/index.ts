export { config, mount } from "./mount.ts";
export { openStore, type OpenStore, type StoreOptions } from "./open-store.ts";
export type { PostgresOptions } from "./postgres.ts";
export type { Pruned } from "./prune.ts";
export { openLedger } from "./ledger/open-ledger.ts";
