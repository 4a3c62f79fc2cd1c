import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { expect } from "vitest";

/** How a call ended, as its host saw it; without a code, `-`. */
export interface Ended {
  readonly runId: string;
  readonly tool: string;
  readonly status: string;
  readonly code: string;
}

/**
 * Holds what hosts saw against what the tools of `fleet-tools.ts` did in a folder, and against the ledger: each call
 * has one outcome, which is true, and no effect happened twice. Resolves to the number of ends that the ledger still
 * has, and of idempotent calls that ran again.
 */
export async function findTruth(outcomes: readonly Ended[], folder: string, database: string) {
  const runs = countBy(linesOf(join(folder, "effect")));
  const repeats = countBy(linesOf(join(folder, "repeatable")));
  expect(new Set(outcomes.map(({ runId }) => runId)).size).toBe(outcomes.length);
  expect([...runs.values()].filter((count) => count > 1)).toEqual([]);
  for (const outcome of outcomes) {
    const { runId, tool, status, code } = outcome;
    const effects = (tool === "effect" ? runs : repeats).get(runId) ?? 0;
    if (status === "ok") expect({ ...outcome, effects: effects > 0 }).toMatchObject({ effects: true });
    else if (code === "UNAVAILABLE") expect({ ...outcome, effects }).toMatchObject({ effects: 0 });
    else expect(outcome).toMatchObject({ tool: "effect", status: "unknown", code: "OUTCOME_UNKNOWN" });
  }

  // Calls whose host was killed: each ended, too, and a host that lived has collected its own.
  const rows = await rowsOf(database);
  const known = new Map(outcomes.map((outcome) => [outcome.runId, outcome]));
  for (const { run_id: runId, state, kind, tool } of rows) {
    expect(state).toBe("ended");
    if (kind === "lost") expect(tool).toBe("effect");
    const outcome = known.get(runId);
    if (outcome !== undefined) expect(outcome.status === "unknown").toBe(kind === "lost");
  }
  return { ends: rows.length, repeated: [...repeats.values()].filter((times) => times > 1).length };
}

export function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

function countBy(list: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of list) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

interface LedgerRow {
  readonly run_id: string;
  readonly state: string;
  readonly tool: string;
  readonly kind: string;
}

async function rowsOf(database: string): Promise<readonly LedgerRow[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const sql = "select run_id, state, tool, ending::json ->> 'kind' as kind from toolmount_fleet_calls";
  const { rows } = await client.query<LedgerRow>(sql);
  await client.end();
  return rows;
}
