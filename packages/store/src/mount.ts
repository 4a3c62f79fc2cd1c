import { systemClock, type Coordinator, type FleetLedgerSource } from "@toolmount/core";
import { z } from "zod";
import { openLedger } from "./ledger/open-ledger.ts";
import { openStore, unavailable } from "./open-store.ts";

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

/** How long ended approvals and counters are kept, in milliseconds: 90 days. An audit is kept until `prune` is called. */
const keepEndedMs = 90 * 86_400_000;

/**
 * Mounts the stores of approvals, sessions and credentials and, if configured, of the audit. Deletes approvals that ended
 * and are older than 90 days, and counters without a change since then.
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
  const before = systemClock.now() - keepEndedMs;
  const pruned = Promise.all([store.pruneApprovals(before), store.pruneCounters(before)]).catch(
    (err: unknown) => coordinator.logger.warn({ err }, "old approvals and counters were not deleted"),
  );
  coordinator.registerCleanup(() => pruned.then(() => store.close()));
  coordinator.mount("approval-store", store.approvals);
  coordinator.mount("session-store", store.sessions);
  coordinator.mount("work-store", store.work);
  coordinator.registerCapability("credentials.store", store.credentials);
  if (store.audit !== undefined) coordinator.mount("audit-sink", store.audit);
  if (/^postgres(ql)?:/.test(state)) coordinator.registerCapability("fleet.ledger", ledgerSource(state));
}

/** The ledger is in the same database, and is opened where it is needed. */
function ledgerSource(url: string): FleetLedgerSource {
  const open = (options?: Parameters<typeof openLedger>[1]) =>
    openLedger(url, options).catch((error: unknown) => {
      throw unavailable(url, error);
    });
  return { url, open };
}
