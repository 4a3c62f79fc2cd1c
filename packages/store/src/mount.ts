import { systemClock, type Coordinator, type FleetLedgerSource, type Timer } from "@toolmount/core";
import { z } from "zod";
import { openLedger } from "./ledger/open-ledger.ts";
import { openStore, unavailable, type OpenStore } from "./open-store.ts";

const modes = ["batched", "durable", "mixed", "changes"] as const;

/** The plan's sections `state:` and `audit:`. */
export const config = z
  .strictObject({
    /** `sqlite:./path`, relative to the plan, or `postgres://…` */
    state: z
      .string()
      .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, {
        error: "state is memory, sqlite:<path> or postgres://…",
      })
      .optional(),
    /** How calls are recorded. In a map, `results: false` leaves their results out. */
    audit: z
      .union([
        z.enum(["off", ...modes]),
        z.strictObject({ mode: z.enum(modes), results: z.boolean().default(true) }),
      ])
      .optional(),
  })
  .refine(({ state, audit }) => state !== undefined || audit === undefined || audit === "off", {
    error: "an audit needs a store: add state: sqlite:./.toolmount/state.db",
    path: ["audit"],
  });

const dayMs = 86_400_000;

/** Milliseconds for which ended approvals and counters are kept: 90 days. An audit is kept until `prune` is called. */
const keepEndedMs = 90 * dayMs;

/**
 * Mounts the stores of approvals, sessions, work and credentials and, if configured, of the audit. Now and every day it deletes
 * ended approvals that are older than 90 days, and counters that were not changed for 90 days. The loop guard's counters, of
 * which there is one for each call, are deleted after a day without a change.
 */
export async function mount(
  coordinator: Coordinator,
  { state, audit }: z.output<typeof config>,
): Promise<void> {
  if (state === undefined) return;
  const store = await openStore(state, {
    folder: coordinator.getCapability("session.working_dir") ?? undefined,
    audit: audit === "off" ? undefined : typeof audit === "object" ? audit.mode : audit,
    auditResults: typeof audit === "object" ? audit.results : undefined,
  });
  const stop = pruneDaily(store, coordinator.logger);
  coordinator.registerCleanup(() => stop().then(() => store.close()));
  coordinator.mount("approval-store", store.approvals);
  coordinator.mount("session-store", store.sessions);
  coordinator.mount("work-store", store.work);
  coordinator.registerCapability("credentials.store", store.credentials);
  if (store.audit !== undefined) coordinator.mount("audit-sink", store.audit);
  if (/^postgres(ql)?:/.test(state)) coordinator.registerCapability("fleet.ledger", ledgerSource(state));
}

/** Deletes old records every day. The returned function stops this, and resolves when the store may be closed. */
function pruneDaily(store: OpenStore, logger: Coordinator["logger"]): () => Promise<void> {
  let pruning: Promise<unknown>;
  let timer: Timer;
  const prune = () => {
    const now = systemClock.now();
    const before = now - keepEndedMs;
    pruning = Promise.all([
      store.pruneApprovals(before),
      store.pruneCounters(before),
      store.pruneCounters(now - dayMs, "repeats "),
    ]).catch((err: unknown) => logger.warn({ err }, "old approvals and counters were not deleted"));
    timer = systemClock.setTimer(prune, dayMs);
    timer.keepAlive(false);
  };
  prune();
  return async () => {
    timer.cancel();
    await pruning;
  };
}

/** Returns the source of the ledger, which is in the same database. It is opened only where it is needed. */
function ledgerSource(url: string): FleetLedgerSource {
  const open = (options?: Parameters<typeof openLedger>[1]) =>
    openLedger(url, options).catch((error: unknown) => {
      throw unavailable(url, error);
    });
  return { url, open };
}
