import type { AuditEntry, AuditRecord, JsonObject, PastCallFilter, StateStore } from "@toolmount/core";
import type { StorePair } from "./store-case.ts";

/** Writes a call of each kind, one second apart. */
export async function writeWorld([one, other]: StorePair): Promise<void> {
  await write(one, "w", { kind: "end", runId: "r1", at: 1_000, status: "ok", arguments: { path: "a.txt" } });
  await write(one, "w", {
    kind: "end",
    runId: "r2",
    at: 2_000,
    tool: "pay",
    status: "denied",
    code: "DENIED",
    error: "over the budget",
    arguments: { to: "ACME" },
  });
  await write(one, "w", {
    kind: "start",
    runId: "r3",
    at: 3_000,
    userId: "bob",
    arguments: { order: "o-104" },
  });
  await write(one, "w", {
    kind: "end",
    runId: "r3",
    at: 3_500,
    userId: "bob",
    status: "ok",
    durationMs: 500,
  });
  await write(other, "v", {
    kind: "pending",
    runId: "r4",
    at: 4_000,
    tool: "pay",
    sessionId: "s-2",
    status: "pending",
    arguments: { to: "東京都, 12 Rue de l'Église" },
  });
  await write(other, "v", {
    kind: "end",
    runId: "r4",
    at: 4_500,
    tool: "pay",
    sessionId: "s-2",
    status: "ok",
  });
  await write(one, "w", {
    kind: "end",
    runId: "r5",
    at: 5_000,
    userId: "bob",
    status: "ok",
    resultText: '{"text":"it\'s \\"quoted\\"\\nodd',
  });
}

/** Returns the ids of the runs that a filter finds, newest first. */
export async function listRuns(store: StateStore, filter: PastCallFilter): Promise<readonly string[]> {
  return (await store.audit!.calls!(filter)).calls.map(({ runId }) => runId);
}

let sequence = 0;

/** Appends a record with these fields to the audit. */
export async function write(
  store: StateStore,
  writer: string,
  fields: Partial<AuditEntry> & JsonObject,
): Promise<void> {
  await store.audit!.append([record(writer, ++sequence, fields)]);
}

/** Makes a record of the audit, with defaults for the fields that every record has. */
export function record(
  writer: string,
  number: number,
  fields: Partial<AuditEntry> & JsonObject,
): AuditRecord {
  const { kind = "end", at = 1, runId = "r", tool = "probe" } = fields;
  const entry = {
    callId: `call of ${runId}`,
    sessionId: "s-1",
    userId: "alice",
    ...fields,
    kind,
    at,
    runId,
    tool,
  };
  return { writer, sequence: number, previous: "", hash: `${writer}${number}`, entry };
}
