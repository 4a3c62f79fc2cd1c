import type { ApprovalStore, AuditSink, HostOptions, SessionStore } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { loaderOptions } from "./loader-options.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import type { Shell } from "../process/shell.ts";

/** Where the command keeps what waits when a plan does not say: beside the plan, made when it is first needed. */
const defaultState = "sqlite:./.toolmount/state.db";

/** What of its calls the command puts down when a plan does not say: not reads, which need no database then. */
const defaultAudit = "changes";

/**
 * Opens a plan's host. A plan that says nothing of `state` gets the command's own, so that a question can wait; if it says
 * nothing of `audit` either, calls of tools that may change something are put down there.
 */
export async function openPlan(
  plan: string | undefined,
  options: PlanOptions,
  shell: Shell,
  more: HostOptions = {},
): Promise<OpenedHost> {
  const { openHost } = await import("@toolmount/loader");
  const host = await openHost(plan, { ...loaderOptions(options, shell), ...more });
  if (host.plan.written["state"] === undefined && more.store === undefined) mountDefaultState(host);
  return host;
}

function mountDefaultState(host: OpenedHost): void {
  const { coordinator, plan } = host;
  let opened: ReturnType<typeof open> | undefined;
  const open = async () => {
    const { openStore } = await import("@toolmount/store");
    return openStore(defaultState, { folder: plan.folder, audit: defaultAudit });
  };
  const approvals = async () => (await (opened ??= open())).approvals;
  const sessions = async () => (await (opened ??= open())).sessions;
  coordinator.mount("approval-store", openedLate(approvals));
  coordinator.mount("session-store", sessionsOpenedLate(sessions));
  if (plan.written["audit"] === undefined)
    coordinator.mount(
      "audit-sink",
      auditOpenedLate(async () => (await (opened ??= open())).audit!),
    );
  coordinator.registerCleanup(async () => (await opened?.catch(() => undefined))?.close());
}

/** A store that is opened by the first question put to it. */
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
  };
}

function sessionsOpenedLate(open: () => Promise<SessionStore>): SessionStore {
  return {
    load: async (id) => (await open()).load(id),
    save: async (record) => (await open()).save(record),
    list: async (filter) => (await open()).list(filter),
    append: async (id, after, entries) => (await open()).append(id, after, entries),
    entries: async (id, range) => (await open()).entries(id, range),
    readState: async (id) => (await open()).readState(id),
    writeState: async (id, changes) => (await open()).writeState(id, changes),
    delete: async (id) => (await open()).delete(id),
  };
}

function auditOpenedLate(open: () => Promise<AuditSink>): AuditSink {
  return {
    mode: defaultAudit,
    append: async (records) => (await open()).append(records),
    read: async (filter) => (await open()).read(filter),
    heads: async () => (await open()).heads(),
  };
}
