import type { WorkStore } from "@toolmount/core";
import { z } from "zod";
import { allWork } from "./work-store.ts";

/** The kind of the records of servers in the store. */
export const serverKind = "server";
/** The kind of the record that asks the servers of a plan to reload. Its version is the number of the last such request. */
export const reloadKind = "reload";
const bodySchema = z.object({
  /** The address at which the server listens. */
  url: z.string(),
  machine: z.string(),
  /** The version of the server's package. */
  version: z.string(),
  /** The first 12 digits of the digest of the plan that the server has mounted. */
  plan: z.string(),
  /** Why the server could not mount the plan again; null if it could. */
  problem: z.string().nullable(),
  /** When the server began, in milliseconds since the epoch. */
  since: z.number(),
  /**
   * The number of the last reload that this server has done. Absent for older servers, which reload without waiting for each
   * other.
   */
  reload: z.number().optional(),
});

/** A server of a plan, as the store has it. */
export interface Replica extends z.output<typeof bodySchema> {
  readonly id: string;
  /** `gone`: it has not renewed its lease. `draining`: it is ending, and takes no new work. */
  readonly state: "ready" | "draining" | "gone";
}

/** Members of a record that belongs to no session and no user. */
export const ownerless = { sessionId: null, userId: null };

/** Asks the servers of a plan to mount it again, one after the other. Resolves to the number of this request. */
export async function askReload(store: WorkStore, scope: string, at: number): Promise<number> {
  for (;;) {
    const version = ((await store.get(reloadKind, scope))?.version ?? 0) + 1;
    const asked = { ...ownerless, kind: reloadKind, id: scope, version, scope, status: "asked", at };
    if (await store.save({ ...asked, dueAt: null, body: {} })) return version;
  }
}

/**
 * Returns the stored servers that have not ended: those of one plan or, without `scope`, of all plans. Those that stored their
 * state last come first.
 */
export async function listReplicas(
  store: WorkStore,
  scope: string | undefined,
  now: number,
): Promise<readonly Replica[]> {
  const found: Replica[] = [];
  const filter = { kind: serverKind, scope, statuses: ["ready", "draining"] };
  for await (const { id, dueAt, status, body } of allWork(store, filter)) {
    const state = (dueAt ?? 0) < now ? "gone" : (status as "ready" | "draining");
    found.push({ ...bodySchema.parse(body), id, state });
  }
  return found;
}
