import type { ApprovalRecord, ApprovalState, ApprovalStore, StandingGrant } from "@toolmount/core";
import type { Kysely } from "kysely";
import { readForeign, readRow } from "./read-row.ts";
import type { Tables } from "./tables.ts";

/** Stores waiting calls. If several hosts change a record, the version in the `where` of the update lets only one succeed. */
export function createApprovals(db: Kysely<Tables>): ApprovalStore {
  const read = (row: { body: string } | undefined) =>
    row === undefined ? null : (readRow(row.body) as ApprovalRecord);
  return {
    async add(record) {
      await db.insertInto("approvals").values(rowOf(record)).execute();
    },
    get: async (id) =>
      read(await db.selectFrom("approvals").select("body").where("id", "=", id).executeTakeFirst()),
    findByTicket: async (hash) =>
      read(
        await db.selectFrom("approvals").select("body").where("ticket_hash", "=", hash).executeTakeFirst(),
      ),
    async replace(record) {
      const { numUpdatedRows } = await db
        .updateTable("approvals")
        .set(rowOf(record))
        .where("id", "=", record.id)
        .where("version", "=", record.version - 1)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async list({ states, sessionId, userId, callId, dueBy, limit = 100 } = {}) {
      const rows = await db
        .selectFrom("approvals")
        .selectAll()
        .$if(states !== undefined, (query) => query.where("state", "in", [...states!]))
        .$if(sessionId !== undefined, (query) => query.where("session_id", "=", sessionId!))
        .$if(userId !== undefined, (query) => query.where("user_id", "=", userId!))
        .$if(callId !== undefined, (query) => query.where("call_id", "=", JSON.stringify(callId!)))
        .$if(dueBy !== undefined, (query) => query.where("due_at", "<=", dueBy!))
        .orderBy("created_at")
        .limit(limit)
        .execute();
      const listed = rows.map(readListed);
      // The host ends calls whose questions are due, but it cannot end a call that it cannot read.
      return dueBy === undefined ? listed : listed.filter(({ sealed }) => sealed !== unreadable.sealed);
    },
    ...createRemembered(db),
  };
}

/** What a question that cannot be read has instead of its own members. No call can be resumed with it. */
const unreadable = {
  tool: "unreadable",
  digest: "",
  definition: "",
  shown: {},
  argumentsDigest: "",
  sealed: "",
  options: ["deny"],
  default: "deny",
  idempotent: false,
  client: false,
  decision: null,
  leaseUntil: null,
  end: null,
} as const;

/** Reads a row of a list. A row that is damaged or too wide is listed by its columns, so that it hides no other row. */
function readListed(row: Tables["approvals"]): ApprovalRecord {
  try {
    return readRow(row.body) as ApprovalRecord;
  } catch (error) {
    const { id, ticket_hash: ticketHash, state, version, created_at: createdAt } = row;
    const info = {
      callId: "",
      runId: "",
      tool: unreadable.tool,
      depth: 0,
      ...(row.session_id !== null && { sessionId: row.session_id }),
      ...(row.user_id !== null && { userId: row.user_id }),
    };
    const prompt = `it cannot be read, and no answer to it counts: ${(error as Error).message}`;
    // The source is not `confirmation`, so no answer to it can be remembered for later calls.
    const reasons = [{ source: "rule" as const, reason: prompt }];
    const known = {
      id,
      ticketHash,
      state: state as ApprovalState,
      version,
      createdAt,
      info,
      prompt,
      reasons,
    };
    return { ...unreadable, ...known, expiresAt: row.due_at ?? createdAt };
  }
}

/** Stores approvals for later calls. */
function createRemembered(
  db: Kysely<Tables>,
): Pick<ApprovalStore, "remember" | "remembered" | "forget" | "countUses"> {
  const remembered = ({ body, uses, used_at }: Omit<Tables["remembered"], "id" | "tool" | "at">) => {
    const known = readForeign(body) as StandingGrant | null;
    // An approval that cannot be read approves nothing.
    return known === null ? [] : [{ ...known, expiresAt: known.expiresAt ?? null, uses, usedAt: used_at }];
  };
  return {
    async remember(approval) {
      const { uses, usedAt, ...rest } = approval;
      const { id, tool, at } = rest;
      await db
        .insertInto("remembered")
        .values({ id, tool, at, body: JSON.stringify(rest), uses, used_at: usedAt })
        .execute();
    },
    async remembered(tool) {
      const rows = await db
        .selectFrom("remembered")
        .select(["body", "uses", "used_at"])
        .$if(tool !== undefined, (query) => query.where("tool", "=", tool!))
        .orderBy("at")
        .execute();
      return rows.flatMap(remembered);
    },
    async forget(id) {
      const { numDeletedRows } = await db.deleteFrom("remembered").where("id", "=", id).executeTakeFirst();
      return numDeletedRows === 1n;
    },
    async countUses(uses) {
      await db.transaction().execute(async (transaction) => {
        for (const { id, count, usedAt } of uses)
          await transaction
            .updateTable("remembered")
            .set((row) => ({
              uses: row("uses", "+", count),
              used_at: row.case().when("used_at", ">", usedAt).then(row.ref("used_at")).else(usedAt).end(),
            }))
            .where("id", "=", id)
            .execute();
      });
    },
  };
}

function rowOf(record: ApprovalRecord): Tables["approvals"] {
  const { id, ticketHash, state, version, info, createdAt, leaseUntil, expiresAt } = record;
  return {
    id,
    ticket_hash: ticketHash,
    state,
    version,
    session_id: info.sessionId ?? null,
    user_id: info.userId ?? null,
    call_id: JSON.stringify(info.callId),
    created_at: createdAt,
    due_at: state === "ended" ? null : (leaseUntil ?? expiresAt),
    body: JSON.stringify(record),
  };
}
