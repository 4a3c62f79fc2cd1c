import type { ApprovalRecord, StandingGrant, StateStore } from "@toolmount/core";

/** Two handles on one new, empty store, as two processes would open it. In memory, both are the same object. */
export type StorePair = readonly [one: StateStore, other: StateStore];

/** A behaviour that every store must have. `run` rejects with an assertion error if a store differs. */
export interface StoreCase {
  readonly title: string;
  readonly run: (stores: StorePair) => Promise<void>;
}

/** Makes a pending approval with this id. Its texts contain characters that databases treat specially. */
export function approvalRecord(id: string, fields: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    id,
    ticketHash: `hash of ${id}`,
    state: "pending",
    version: 1,
    tool: "probe",
    info: { callId: "c", runId: `run of ${id}`, tool: "probe", depth: 0, sessionId: "s-1", userId: "alice" },
    digest: "d",
    definition: "e",
    shown: { text: "żółć \u0000 \ud83d\ude00", n: 1.5 },
    argumentsDigest: "f",
    sealed: "AAAA",
    prompt: "Run it?",
    reasons: [{ source: "confirmation", reason: "asks" }],
    options: ["Allow", "Deny"],
    default: "deny",
    idempotent: false,
    client: false,
    createdAt: 1_700_000_000_000,
    expiresAt: 1_700_000_600_000,
    decision: null,
    leaseUntil: null,
    end: null,
    ...fields,
  };
}

/** Makes a remembered approval of the scope `rule`. */
export function rememberedApproval(id: string, tool: string, at: number): StandingGrant {
  return {
    id,
    tool,
    definition: "e",
    scope: "rule",
    argumentsDigest: null,
    pattern: { command: "git *" },
    sessionId: null,
    userId: "alice",
    by: "bob",
    at,
    expiresAt: null,
    uses: 0,
    usedAt: null,
  };
}
