import { keepAlways } from "../pending/remember.ts";
import { Case } from "../pending/pending-call.ts";
import { recordDecision } from "../pending/desk.ts";
import { ToolmountError, messageOf } from "../contract/errors.ts";
import type { HostState } from "./host-state.ts";
import type { ApprovalDecision, Approvals, ApprovalView } from "../contract/approvals.ts";
import { isDue, settleDue } from "./resume.ts";
import type { ApprovalRecord, ApprovalStore, RecordedDecision } from "../contract/stores.ts";
import { tellApproval } from "../pending/notify.ts";

/** The approver's side of a host. */
export function createApprovals(host: HostState): Approvals {
  host.desk.sweep = (store) => sweep(host, store);
  const stored = () => host.desk.approvals(host.home.generation());
  return Object.freeze({
    async list(filter = {}) {
      const store = stored();
      if (store === null) return [];
      await sweep(host, store);
      const { states = ["pending"], ...rest } = filter;
      return (await store.list({ states, ...rest })).map(viewOf);
    },
    async decide(id, decision, by) {
      return viewOf(await decide(host, requireStore(stored()), id, decision, by));
    },
    remembered: async (tool) => (await stored()?.remembered(tool)) ?? [],
    revoke: (id) => revoke(host, requireStore(stored()), id),
    sweep: async () => {
      const store = stored();
      if (store !== null) await host.desk.track(sweep(host, store));
    },
  } satisfies Approvals);
}

function requireStore(store: ApprovalStore | null): ApprovalStore {
  if (store !== null) return store;
  throw new ToolmountError("EXTENSION_MISSING", {
    what: "deciding about calls that wait",
    module: "a store",
    install: "state: sqlite:./.toolmount/state.db in the plan, or createHost({ store })",
  });
}

async function find(host: HostState, store: ApprovalStore, id: string): Promise<Case> {
  const record = typeof id === "string" ? await store.get(id) : null;
  if (record === null) throw new ToolmountError("APPROVAL_NOT_FOUND", {});
  return new Case(host, store, record, null);
}

async function decide(
  host: HostState,
  store: ApprovalStore,
  id: string,
  given: ApprovalDecision | "approve" | "deny",
  by: string,
): Promise<ApprovalRecord> {
  const { decision, reason, remember } =
    typeof given === "string" ? ({ decision: given } as ApprovalDecision) : given;
  requireAnswer(decision, by);
  const open = await find(host, store, id);
  if (isDue(open.record, host.clock.now())) await settleDue(open);
  requirePending(open.record);
  if (remember !== undefined && decision === "approve") await keepAlways(open, remember, by);
  const kept: RecordedDecision = {
    decision,
    by,
    at: host.clock.now(),
    ...(reason === undefined ? {} : { reason: reason.slice(0, 2000) }),
  };
  if (!(await host.desk.track(recordDecision(open, kept)))) requirePending(open.record);
  await tellDecision(host, open.record);
  return open.record;
}

function requireAnswer(decision: unknown, by: unknown): void {
  if (decision !== "approve" && decision !== "deny")
    throw new ToolmountError("OPTION_INVALID", { option: "decision", problem: "it is approve or deny" });
  if (typeof by !== "string" || by.trim() === "")
    throw new ToolmountError("OPTION_INVALID", { option: "by", problem: "say who decides" });
}

function requirePending({ state, tool, end }: ApprovalRecord): void {
  if (state !== "pending")
    throw new ToolmountError("APPROVAL_DECIDED", {
      tool,
      state: end?.code === "APPROVAL_EXPIRED" ? "expired" : state,
    });
}

/** The decision is on disk: whoever waits in this process goes on, and observers and the audit are told. */
async function tellDecision(host: HostState, record: ApprovalRecord): Promise<void> {
  const generation = host.home.generation();
  const decision = record.decision!;
  const event = decision.decision === "approve" ? "approval:granted" : "approval:denied";
  tellApproval(host, generation, event, record);
  host.desk.audit(generation)?.note({
    kind: "decision",
    at: decision.at,
    runId: record.info.runId,
    tool: record.tool,
    decision: decision.decision,
    by: decision.by,
    ...(decision.reason === undefined ? {} : { reason: decision.reason }),
  });
  host.desk.waiting.get(record.id)?.(record);
}

/** Takes back an "always", or an approval that nobody has used. */
async function revoke(host: HostState, store: ApprovalStore, id: string): Promise<boolean> {
  if (await store.forget(id)) return true;
  const record = await store.get(id);
  if (record === null) return false;
  const open = new Case(host, store, record, null);
  const decision = {
    decision: "deny",
    by: "revoked",
    at: host.clock.now(),
    reason: "its approval was taken back",
  } as const;
  return host.desk.track(
    open.change(({ state }) => (state === "approved" ? { state: "denied", decision } : null)),
  );
}

/** Does what the time of each record asks for. One that fails is logged, and the others are done. */
async function sweep(host: HostState, store: ApprovalStore): Promise<void> {
  const due = await store.list({ dueBy: host.clock.now(), limit: 1_000 });
  for (const record of due) {
    try {
      await settleDue(new Case(host, store, record, null));
    } catch (err) {
      host.logger.error(
        { err, run_id: record.info.runId },
        `a call that waits could not be ended: ${messageOf(err)}`,
      );
    }
  }
}

/** A record as approvers see it: nothing of it lets anybody go on with the call. */
function viewOf(record: ApprovalRecord): ApprovalView {
  const {
    id,
    state,
    tool,
    shown,
    prompt,
    reasons,
    options,
    digest,
    createdAt,
    expiresAt,
    decision,
    info,
    end,
  } = record;
  const rememberable = reasons.every(({ source }) => source === "confirmation" || source === "level");
  return {
    id,
    state,
    tool,
    arguments: shown,
    prompt,
    reasons,
    options,
    digest,
    createdAt,
    expiresAt,
    decision,
    info,
    default: record.default,
    rememberable,
    ...(end === null
      ? {}
      : { end: { status: end.status, at: end.at, ...(end.code === undefined ? {} : { code: end.code }) } }),
  };
}
