import { areStanding, argumentsDigest, isOver } from "../pending/grant.ts";
import { copyOfGiven, rememberApproval } from "../pending/remember.ts";
import { StoredCall } from "../pending/stored-call.ts";
import { ToolmountError, messageOf } from "../contract/errors.ts";
import { isOtherList, ownToolOf } from "./approved-list.ts";
import type { HostState } from "./host-state.ts";
import type { Issue } from "../contract/ports.ts";
import type { ApprovalDecision, Approvals, ApprovalView, QuestionPreview } from "../contract/approvals.ts";
import type { Session } from "../contract/session.ts";
import { isDue, runWithoutCaller, settleDue } from "./resume.ts";
import type { ApprovalRecord, ApprovalStore, RecordedDecision } from "../contract/stores.ts";
import { notifyApproval } from "../call/approve.ts";
import type { JsonObject } from "../json/json.ts";
import { generationOf } from "../registry/generation.ts";

export function createApprovals(host: HostState, openSession: (id: string) => Session): Approvals {
  host.stores.sweep = (store) => sweep(host, store);
  const stored = () => host.stores.approvals(generationOf(host.moduleSet));
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
    async run(id, by) {
      requireName(by);
      const call = await find(host, requireStore(stored()), id);
      requireRunnable(call.record);
      return viewOf(await runWithoutCaller(host, call, by));
    },
    async preview(id) {
      const { record } = await find(host, requireStore(stored()), id);
      requirePending(record);
      return previewQuestion(host, openSession, record);
    },
    async remembered(tool) {
      await host.stores.uses.flush();
      const all = (await stored()?.remembered(tool)) ?? [];
      return all.filter((approval) => !isOver(approval, host.clock.now()));
    },
    revoke: async (id) => revoke(host, requireStore(stored()), id),
    sweep: async () => {
      const store = stored();
      if (store !== null) await host.stores.track(sweep(host, store));
    },
  } satisfies Approvals);
}

function requireStore(store: ApprovalStore | null): ApprovalStore {
  if (store !== null) return store;
  throw new ToolmountError("EXTENSION_MISSING", {
    what: "the decision about calls that wait",
    module: "a store",
    install: "state: sqlite:./.toolmount/state.db in the plan, or createHost({ store })",
  });
}

async function find(host: HostState, store: ApprovalStore, id: string): Promise<StoredCall> {
  const record = typeof id === "string" ? await store.get(id) : null;
  if (record === null) throw new ToolmountError("APPROVAL_NOT_FOUND", {});
  return new StoredCall(host.stores, store, record, null);
}

async function decide(
  host: HostState,
  store: ApprovalStore,
  id: string,
  given: ApprovalDecision | "approve" | "deny",
  by: string,
): Promise<ApprovalRecord> {
  const {
    decision,
    reason,
    remember,
    arguments: edited,
  } = typeof given === "string" ? ({ decision: given } as ApprovalDecision) : given;
  requireAnswer(decision, by, reason);
  if (edited !== undefined && (decision !== "approve" || remember !== undefined))
    throw invalid("arguments", "they are for an approval of this call alone");
  const stored = await find(host, store, id);
  if (isDue(host, stored.record)) await settleDue(host, stored);
  requirePending(stored.record);
  const kept = edited === undefined ? undefined : await readEdited(host, stored.record, edited);
  if (remember !== undefined && decision === "approve")
    await rememberApproval(stored, remember, { by, at: host.clock.now() });
  const recorded: RecordedDecision = {
    decision,
    by,
    at: host.clock.now(),
    ...(reason === undefined ? {} : { reason: reason.slice(0, 2000) }),
    ...(kept === undefined ? {} : { arguments: host.redact(kept) as JsonObject }),
  };
  if (!(await host.stores.track(stored.decide(recorded, kept)))) requirePending(stored.record);
  await reportDecision(host, stored.record);
  return stored.record;
}

/** Rehearses the call of a question, so that the preview of its tool says what the call would change. */
async function previewQuestion(
  host: HostState,
  openSession: (id: string) => Session,
  { id, tool: name, shown, argumentsDigest: digest, info }: ApprovalRecord,
): Promise<QuestionPreview> {
  const tool = generationOf(host.moduleSet).find(name);
  const unknown = (problem: string): QuestionPreview => ({ effects: [], problem });
  if (tool === undefined) return unknown(`no tool named "${name}" is mounted here`);
  if (tool.info.previews !== true) return unknown(`"${name}" has no preview`);
  if (argumentsDigest(name, shown) !== digest) return unknown("a value of its arguments is masked");
  const rehearsal = openSession(info.sessionId ?? `preview-${id}`).rehearse();
  const { userId, conversationId } = info;
  const { result } = await rehearsal.call({ name, arguments: shown }, { userId, conversationId });
  const [call] = rehearsal.calls;
  return {
    effects: call?.effects ?? [],
    problem: call === undefined ? (result.error ?? "it changes nothing") : null,
  };
}

/** Copies the edited arguments if the tool accepts them, or else throws. They are parsed again when the call runs. */
async function readEdited(
  host: HostState,
  { tool: name, shown }: ApprovalRecord,
  edited: JsonObject,
): Promise<JsonObject> {
  const own = ownToolOf(host, name);
  const tool = own ?? generationOf(host.moduleSet).find(name);
  if (tool === undefined)
    throw invalid("arguments", `no tool named "${name}" is mounted, which could parse them`);
  const kept = copyOfGiven("arguments", edited);
  if (own !== null && isOtherList(kept, shown))
    throw invalid("arguments", "of a list only first can be changed, the number of its calls that are made");
  const parsed = await tool.parse(kept);
  if (parsed.ok) return kept;
  throw invalid("arguments", parsed.issues.map(sentenceOf).join("; "));
}

function sentenceOf({ path, message }: Issue): string {
  const place = path.join(".");
  return message.includes(place) ? message : `${place}: ${message}`;
}

function invalid(option: string, problem: string): ToolmountError {
  return new ToolmountError("OPTION_INVALID", { option, problem });
}

function requireAnswer(decision: unknown, by: unknown, reason: unknown): void {
  if (decision !== "approve" && decision !== "deny") throw invalid("decision", "it must be approve or deny");
  requireName(by);
  if (reason !== undefined && typeof reason !== "string") throw invalid("reason", "it must be a text");
}

function requireName(by: unknown): void {
  if (typeof by !== "string" || by.trim() === "") throw invalid("by", "it must name who decides");
}

/** Throws `RUN_REFUSED` unless the call is approved and the host can read its whole request without the caller. */
function requireRunnable({ state, decision, open, tool }: ApprovalRecord): void {
  const refuse = (problem: string) => new ToolmountError("RUN_REFUSED", { tool, problem });
  if (decision === null) throw refuse("no person has approved it");
  if (decision.decision === "deny") throw refuse("it is denied");
  if (open == null && state !== "ended")
    throw refuse("its request has a secret, words of its user or calls that only its caller has");
}

function requirePending({ state, tool, end }: ApprovalRecord): void {
  if (state !== "pending")
    throw new ToolmountError("APPROVAL_DECIDED", {
      tool,
      state: end?.code === "APPROVAL_EXPIRED" ? "expired" : state,
    });
}

/**
 * Reports a stored decision to observers, and continues the call if it waits here. Resolves when the audit has the decision.
 */
async function reportDecision(host: HostState, record: ApprovalRecord): Promise<void> {
  const generation = generationOf(host.moduleSet);
  const decision = record.decision!;
  notifyApproval(host, generation, record);
  const audited = host.stores.audit(generation)?.write({
    kind: "decision",
    at: decision.at,
    runId: record.info.runId,
    tool: record.tool,
    decision: decision.decision,
    by: decision.by,
    ...(decision.reason === undefined ? {} : { reason: decision.reason }),
  });
  host.stores.asking.get(record.id)?.(record);
  await audited?.catch(() => {}); // a failure is already logged, and the decision counts
}

async function revoke(host: HostState, store: ApprovalStore, id: string): Promise<boolean> {
  if (await store.forget(id)) return true;
  const record = await store.get(id);
  if (record === null) return false;
  const stored = new StoredCall(host.stores, store, record, null);
  const at = host.clock.now();
  const decision = { decision: "deny", by: "revoked", at, reason: "its approval was revoked" } as const;
  return host.stores.track(
    stored.change(({ state }) =>
      state === "approved" || state === "suspended" ? { state: "denied", decision } : null,
    ),
  );
}

/** Handles at most 1,000 records that are due. A failure is logged, and the next record is handled. */
async function sweep(host: HostState, store: ApprovalStore): Promise<void> {
  const due = await store.list({ dueBy: host.clock.now(), limit: 1_000 });
  for (const record of due.filter((one) => isDue(host, one))) {
    try {
      await settleDue(host, new StoredCall(host.stores, store, record, null));
    } catch (err) {
      host.logger.error(
        { err, run_id: record.info.runId },
        `a call that waits could not be ended: ${messageOf(err)}`,
      );
    }
  }
}

/** Returns a record as approvers see it, without anything that would allow them to resume the call. */
function viewOf(record: ApprovalRecord): ApprovalView {
  const { reasons, end } = record;
  return {
    id: record.id,
    state: record.state,
    tool: record.tool,
    arguments: record.shown,
    prompt: record.prompt,
    reasons,
    options: record.options,
    digest: record.digest,
    createdAt: record.createdAt,
    expiresAt: record.expiresAt,
    decision: record.decision,
    info: record.info,
    default: record.default,
    rememberable: areStanding(reasons),
    runnable: record.open != null,
    ...(record.place && { place: record.place }),
    ...(end && { end: { status: end.status, at: end.at, ...(end.code && { code: end.code }) } }),
  };
}
