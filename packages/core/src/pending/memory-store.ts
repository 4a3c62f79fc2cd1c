import { frozenCopy } from "../json/freeze.ts";
import type { Json } from "../json/json.ts";
import type { AuditFilter, AuditHead, AuditRecord, AuditSink } from "../contract/audit.ts";
import type {
  ApprovalFilter,
  ApprovalRecord,
  ApprovalStore,
  StandingGrant,
  SessionRecord,
  SessionStore,
} from "../contract/stores.ts";
import type { StateStore } from "../contract/state-store.ts";
import { createMemoryWork } from "./memory-work.ts";
import { pastCalls } from "./past-calls.ts";
import { callsLogOf, logsOf } from "./session-logs.ts";

/** Makes a store in the memory of this process. With `audit`, it also keeps an audit of that mode. */
export function createMemoryStore(options: { audit?: AuditSink["mode"] | undefined } = {}): StateStore {
  return {
    approvals: createMemoryApprovals(),
    sessions: createMemorySessions(),
    work: createMemoryWork(),
    ...(options.audit === undefined ? {} : { audit: createMemoryAudit(options.audit) }),
  };
}

function createMemoryApprovals(): ApprovalStore {
  const records = new Map<string, ApprovalRecord>();
  const byTicket = new Map<string, string>();
  const always = new Map<string, StandingGrant>();
  return {
    async add(record) {
      if (records.has(record.id))
        throw new Error(`the store has an approval with the id ${record.id} already`);
      records.set(record.id, frozenCopy(record));
      byTicket.set(record.ticketHash, record.id);
    },
    get: async (id) => records.get(id) ?? null,
    findByTicket: async (hash) => records.get(byTicket.get(hash) ?? "") ?? null,
    async replace(record) {
      if (records.get(record.id)?.version !== record.version - 1) return false;
      records.set(record.id, frozenCopy(record));
      return true;
    },
    list: async (filter = {}) =>
      [...records.values()]
        .filter((record) => isListed(record, filter))
        .toSorted((a, b) => a.createdAt - b.createdAt)
        .slice(0, filter.limit ?? 100),
    remember: async (approval) => void always.set(approval.id, frozenCopy(approval)),
    remembered: async (tool) =>
      [...always.values()].filter((approval) => tool === undefined || approval.tool === tool),
    forget: async (id) => always.delete(id),
    async countUses(uses) {
      for (const { id, count, usedAt } of uses) {
        const known = always.get(id);
        if (known !== undefined)
          always.set(id, { ...known, uses: known.uses + count, usedAt: Math.max(usedAt, known.usedAt ?? 0) });
      }
    },
  };
}

function isListed(record: ApprovalRecord, filter: ApprovalFilter): boolean {
  const { states, sessionId, userId, callId, dueBy } = filter;
  return (
    (states === undefined || states.includes(record.state)) &&
    (sessionId === undefined || record.info.sessionId === sessionId) &&
    (userId === undefined || record.info.userId === userId) &&
    (callId === undefined || record.info.callId === callId) &&
    (dueBy === undefined || (record.state !== "ended" && dueAt(record) <= dueBy))
  );
}

/** Returns when a record needs attention: at the end of its lease while a host owns it, otherwise when it expires. */
function dueAt(record: ApprovalRecord): number {
  return record.leaseUntil ?? record.expiresAt;
}

export function createMemorySessions(): SessionStore {
  const sessions = new Map<string, SessionRecord>();
  const logs = new Map<string, readonly (Json | undefined)[]>();
  const states = new Map<string, Map<string, Json>>();
  return {
    load: async (id) => sessions.get(id) ?? null,
    async save(record) {
      if ((sessions.get(record.id)?.version ?? 0) !== record.version - 1) return false;
      sessions.set(record.id, frozenCopy(record));
      return true;
    },
    list: async ({ parentId, limit = 100 } = {}) =>
      [...sessions.values()]
        .filter((session) => parentId === undefined || session.parentId === parentId)
        .toSorted((a, b) => b.updatedAt - a.updatedAt)
        .slice(0, limit),
    async append(id, after, entries) {
      const log = logs.get(id) ?? [];
      if (log.length !== after) return false;
      logs.set(id, [...log, ...entries.map((entry) => frozenCopy(entry))]);
      return true;
    },
    entries: async (id, { after = 0, limit = Number.MAX_SAFE_INTEGER } = {}) =>
      (logs.get(id) ?? [])
        .flatMap((entry, at) => (entry === undefined || at < after ? [] : [{ sequence: at + 1, entry }]))
        .slice(0, limit),
    async trim(id, before) {
      const log = logs.get(id);
      if (log !== undefined)
        logs.set(
          id,
          log.map((entry, at) => (at + 1 < before ? undefined : entry)),
        );
    },
    readState: async (id) => new Map(states.get(id)),
    async writeState(id, changes) {
      const state = states.get(id) ?? new Map<string, Json>();
      for (const [key, value] of changes)
        if (value === undefined) state.delete(key);
        else state.set(key, frozenCopy(value));
      if (state.size > 0) states.set(id, state);
      else states.delete(id);
    },
    async delete(id) {
      const calls = (logs.get(callsLogOf(id)) ?? []).filter((entry) => entry !== undefined);
      const gone = logsOf(id, calls).map((log) => logs.delete(log));
      return [...gone, states.delete(id), sessions.delete(id)].includes(true);
    },
  };
}

function createMemoryAudit(mode: AuditSink["mode"]): AuditSink {
  const records: AuditRecord[] = [];
  const heads = new Map<string, AuditHead>();
  return {
    mode,
    async append(added) {
      for (const { writer, sequence, hash } of added) heads.set(writer, { writer, sequence, hash });
      records.push(...added.map((record) => frozenCopy(record)));
    },
    async read(filter = {}) {
      const found = records.filter((record) => isRead(record, filter));
      return filter.page === undefined ? lastOf(found, filter.last) : pageOf(found, filter.page);
    },
    calls: async (filter) => pastCalls(records, filter),
    heads: async () => [...heads.values()],
  };
}

function isRead({ writer, entry }: AuditRecord, filter: AuditFilter): boolean {
  return (
    (filter.writer === undefined || writer === filter.writer) &&
    (filter.runId === undefined || entry.runId === filter.runId) &&
    (filter.runIds === undefined || filter.runIds.includes(entry.runId)) &&
    (filter.tool === undefined || entry.tool === filter.tool) &&
    (filter.since === undefined || entry.at >= filter.since)
  );
}

function pageOf(
  records: readonly AuditRecord[],
  { size, after }: NonNullable<AuditFilter["page"]>,
): readonly AuditRecord[] {
  const sorted = records.toSorted(compareRecords);
  const rest = after === undefined ? sorted : sorted.filter((record) => compareRecords(record, after) > 0);
  return rest.slice(0, size);
}

function compareRecords(one: AuditRecord, other: AuditRecord): number {
  if (one.entry.at !== other.entry.at) return one.entry.at - other.entry.at;
  if (one.writer !== other.writer) return one.writer < other.writer ? -1 : 1;
  return one.sequence - other.sequence;
}

function lastOf(records: readonly AuditRecord[], last: number | undefined): readonly AuditRecord[] {
  return last === undefined ? records : records.toReversed().slice(0, last);
}
