import { createMemoryStore, silentLogger, systemClock, type StateStore } from "@toolmount/core";
import { onTestFinished } from "vitest";
import { CallHistory } from "../../src/journal/call-history.ts";
import { CallJournal } from "../../src/journal/call-journal.ts";
import { createWorld } from "./world.ts";

let reads = 0;
/** A clock whose every read is a moment later: calls of two hosts in one millisecond have no order. */
const clock = { ...systemClock, now: () => systemClock.now() + ++reads };

/** What a process knows of the calls of a host: its own, and those of the audit where the store has one. */
export function historyOf(store: StateStore = createMemoryStore()) {
  const { host } = createWorld({ store, clock });
  if (store.audit !== undefined) host.coordinator.mount("audit-sink", store.audit);
  const journal = new CallJournal(host, clock, silentLogger);
  onTestFinished(async () => {
    journal.close();
    await host.close();
  });
  return { host, journal, history: new CallHistory(host, journal) };
}
