import type { ApprovalStore, AuditSink, SessionStore, WorkStore } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";

/** Where the command stores waiting calls and sessions of a plan without `state`: in the plan's folder, created on first use. */
export const defaultState = "sqlite:./.toolmount/state.db";

/**
 * Which calls the command audits for a plan without `audit`: all (`mixed`), or only those that may change something (`changes`),
 * so that reads need no database.
 */
export type DefaultAudit = "changes" | "mixed";

/**
 * Gives a plan without `state` the command's own store, and a plan without `audit` an audit in this store. The database is opened
 * on first use.
 */
export function mountDefaultState(host: OpenedHost, defaultAudit: DefaultAudit): void {
  const { coordinator, plan } = host;
  let opened: ReturnType<typeof open> | undefined;
  const open = async () => {
    const { openStore } = await import("@toolmount/store");
    return openStore(defaultState, { folder: plan.folder, audit: defaultAudit });
  };
  const approvals = async () => (await (opened ??= open())).approvals;
  const sessions = async () => (await (opened ??= open())).sessions;
  if (plan.written["state"] === undefined) {
    coordinator.mount("approval-store", openedLate(approvals));
    coordinator.mount("session-store", sessionsOpenedLate(sessions));
    coordinator.mount(
      "work-store",
      workOpenedLate(async () => (await (opened ??= open())).work),
    );
  }
  if (plan.written["audit"] === undefined)
    coordinator.mount(
      "audit-sink",
      auditOpenedLate(defaultAudit, async () => (await (opened ??= open())).audit!),
    );
  coordinator.registerCleanup(async () => (await opened?.catch(() => undefined))?.close());
}

/** Returns a store that is opened on its first use. */
function openedLate(open: () => Promise<ApprovalStore>): ApprovalStore {
  return {
    add: async (record) => (await open()).add(record),
    get: async (id) => (await open()).get(id),
    findByTicket: async (hash) => (await open()).findByTicket(hash),
    replace: async (record) => (await open()).replace(record),
    list: async (filter) => (await open()).list(filter),
    remember: async (approval) => (await open()).remember(approval),
    remembered: async (tool) => (await open()).remembered(tool),
    forget: async (id) => (await open()).forget(id),
    countUses: async (uses) => (await open()).countUses(uses),
  };
}

function sessionsOpenedLate(open: () => Promise<SessionStore>): SessionStore {
  return {
    load: async (id) => (await open()).load(id),
    save: async (record) => (await open()).save(record),
    list: async (filter) => (await open()).list(filter),
    append: async (id, after, entries) => (await open()).append(id, after, entries),
    entries: async (id, range) => (await open()).entries(id, range),
    trim: async (id, before) => (await open()).trim?.(id, before),
    readState: async (id) => (await open()).readState(id),
    writeState: async (id, changes) => (await open()).writeState(id, changes),
    delete: async (id) => (await open()).delete(id),
  };
}

function workOpenedLate(open: () => Promise<WorkStore>): WorkStore {
  return {
    get: async (kind, id) => (await open()).get(kind, id),
    save: async (record) => (await open()).save(record),
    list: async (filter) => (await open()).list(filter),
    remove: async (kind, statuses, before) => (await open()).remove(kind, statuses, before),
    count: async (key, change) => (await open()).count(key, change),
  };
}

function auditOpenedLate(mode: DefaultAudit, open: () => Promise<AuditSink>): AuditSink {
  return {
    mode,
    append: async (records) => (await open()).append(records),
    read: async (filter) => (await open()).read(filter),
    calls: async (filter) => (await open()).calls!(filter),
    heads: async () => (await open()).heads(),
    prune: async (before) => (await open()).prune!(before),
  };
}
