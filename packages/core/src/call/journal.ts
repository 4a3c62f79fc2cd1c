import type { AuditEntry, AuditSink } from "../contract/audit.ts";
import type { RecordedEnd } from "../contract/stores.ts";
import { digestOf } from "../json/canonical.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { AuditWriter } from "../pending/audit.ts";
import type { StoredCall } from "../pending/stored-call.ts";
import type { Generation } from "../registry/generation.ts";
import { needsApproval, type Call, type CallHost } from "./call.ts";
import { yesOf } from "./grants.ts";
import { announceIrreversible, undoProblem } from "./changes.ts";
import { releaseRecord, sealForCaller } from "./hold.ts";
import { beginInLog, endInnerLog, mustBegin } from "./inner-log.ts";
import { lineOf } from "../pending/place.ts";
import { logError, logFields } from "./trace.ts";
import { outcomeOf, phaseOf } from "./transitions.ts";

/** Maximum number of characters of arguments, of a result or of an error in an audit entry. */
const maxText = 4_096;

/** Whether anything about a call is stored. Most calls store nothing, and pay only for this check. */
export function isRecorded(call: Call): boolean {
  if (call.stored !== null || isAudited(call) || isUnsaved(call) || call.madeIn !== null) return true;
  return hasLog(call) || isIrreversible(call);
}

/** Whether the calls that the tool of this call made are in a log. */
function hasLog({ inner }: Call): boolean {
  return inner !== null && inner.log !== null;
}

/** Whether the session of the call has changes that are not stored. */
function isUnsaved({ sessionKey, host }: Call): boolean {
  return sessionKey !== undefined && host.states.unsaved.has(sessionKey);
}

/** Whether a call cannot be undone: its tool says so, or its undo runs nowhere. For most calls this costs two property reads. */
function isIrreversible(call: Call): boolean {
  const { given, tool, undo } = call;
  if (tool === null || (tool.info.irreversible !== true && tool.info.undoable !== true)) return false;
  if (given.sessionId === undefined || undo !== null || given.rehearsal !== undefined) return false;
  return tool.info.irreversible === true || undoProblem(call) !== null;
}

function isAudited({ host, generation, tool, stored }: Call): boolean {
  const sink = sinkOf(host, generation);
  if (sink === null) return false;
  if (sink.mode !== "changes") return true;
  // A call that waited may have changed something, even if its tool was removed since. An unknown name changes nothing.
  return tool === null ? stored !== null : tool.info.category !== "read";
}

/** The sink to which the calls of a generation are audited; null without an audit. */
function sinkOf({ stores }: CallHost, generation: Generation): AuditSink | null {
  return stores.givenAudit ?? generation.auditSink;
}

function isDurable({ host, generation, tool }: Call): boolean {
  const mode = sinkOf(host, generation)?.mode;
  return mode === "durable" || mode === "changes" || (mode === "mixed" && tool?.info.category !== "read");
}

function auditOf(call: Call): AuditWriter | null {
  return isAudited(call) ? call.host.stores.audit(call.generation) : null;
}

/** Whether this call was made by a tool whose log of calls must say, before the called tool runs, that it begins. */
function begins(call: Call): boolean {
  return call.madeIn !== null && mustBegin(call);
}

/** Stores that the tool begins. Resolves to the reason why it may not, or to null; returns null if there is nothing to await. */
export function recordStart(call: Call): Promise<string | null> | null {
  const { stores } = call.host;
  const isStored = call.stored !== null || isUnsaved(call) || begins(call) || isIrreversible(call);
  if (!isStored && (call.audited || !isDurable(call))) {
    void auditStart(call);
    return null;
  }
  return stores.track(storeStart(call));
}

async function storeStart(call: Call): Promise<string | null> {
  let failure = "the state of its session could not be stored";
  try {
    // Counts that gates keep in the session's state are stored now, because this process may end before the call does.
    if (isUnsaved(call)) await call.host.states.save(call.sessionKey!);
    failure = "it could not be stored that it cannot be undone";
    if (isIrreversible(call)) await announceIrreversible(call);
    failure = "its start could not be written to the audit";
    const audited = auditStart(call);
    if (audited !== null) await audited;
    failure = "its start could not be written to the log of the call that made it";
    if (begins(call)) await beginInLog(call);
    failure = "the use of its approval could not be stored";
    if (call.stored === null || (await useApproval(call))) return null;
    return "its approval was used or revoked meanwhile";
  } catch (err) {
    logError(call, err, failure);
    return failure;
  }
}

/** Marks the stored call as started: from here on, its tool may have run. */
async function useApproval(call: Call): Promise<boolean> {
  const { host } = call;
  const stored = call.stored!;
  if (stored.record.state === "claimed") stored.dropLease();
  const started = await stored.change((record) =>
    record.state === "approved" || (record.state === "claimed" && stored.owns(record))
      ? { state: "started", leaseUntil: host.clock.now() + host.stores.options.leaseMs }
      : null,
  );
  if (started) stored.keepLease();
  else stored.lost = true;
  return started;
}

function auditStart(call: Call): Promise<void> | null {
  const audit = auditOf(call);
  if (audit === null || call.audited) return null;
  call.audited = true;
  const entry = {
    ...entryOf(call, "start"),
    ...argumentsOf(call),
    ...lineOf(call),
    ...yesOf(call),
    runBy: call.stored?.runBy,
  };
  if (isDurable(call)) return audit.write(entry);
  audit.note(entry);
  return null;
}

/** Stores how a call ended, or that it waits. Never rejects: a failure is logged, and becomes a warning. */
export function recordEnd(call: Call): Promise<void> | null {
  const log = call.inner?.log ?? null;
  if (log !== null && call.ending.status !== "pending")
    return call.host.stores.track(endInnerLog(call, log).then(() => recordRest(call) ?? undefined));
  return recordRest(call);
}

function recordRest(call: Call): Promise<void> | null {
  if (!isUnsaved(call)) return recordOutcome(call);
  return call.host.stores.track(saveState(call).then(() => recordOutcome(call) ?? undefined));
}

/** Saves the session's state before the outcome of the call is reported. */
async function saveState(call: Call): Promise<void> {
  const { states } = call.host;
  try {
    await states.save(call.sessionKey!);
  } catch (err) {
    logError(call, err, "the state of a session could not be stored");
    call.ending.addWarning("its changes of its session's state could not be stored");
  }
}

function recordOutcome(call: Call): Promise<void> | null {
  const { stores } = call.host;
  const audit = auditOf(call);
  if (call.stored?.lost === true && call.ending.status === "pending") return null;
  if (call.stored !== null && call.stored.endsAt !== null)
    return stores.track(storeOtherEnd(call, call.stored));
  const audited = audit === null ? null : auditEnd(call, audit);
  if (call.stored === null) return audited;
  // If the tool of a resumed call interrupts it to ask a person itself, the call has not ended, and its approval stays valid.
  const isPaused = call.ending.interrupt !== null && call.stored.isResumed;
  if (call.ending.status !== "pending" && !isPaused) return stores.track(storeEnd(call, audited));
  if (!isPaused && call.stored.record.state !== "claimed") return audited;
  return stores.track(releaseRecord(call).then(() => audited ?? undefined));
}

function auditEnd(call: Call, audit: AuditWriter): Promise<void> | null {
  const { ending, timing, approval } = call;
  const { code, error } = ending.result!;
  const entry: AuditEntry = {
    ...entryOf(call, ending.status === "pending" ? "pending" : "end"),
    ...(call.audited ? {} : { ...argumentsOf(call), ...lineOf(call) }),
    status: ending.status,
    durationMs: timing.endedAt - timing.startedAt,
    ...(code === undefined ? {} : { code }),
    ...(error === undefined ? resultOf(call) : { error: error.slice(0, maxText), phase: phaseOf(call) }),
    ...originsOf(call),
    ...(needsApproval(call)
      ? { asked: approval!.reasons.map(({ source, rule = null }) => ({ source, rule })) }
      : {}),
    ...(approval?.deniedBy === undefined ? {} : { by: approval.deniedBy }),
  };
  if (!isDurable(call)) return (audit.note(entry), null);
  return call.host.stores
    .track(audit.write(entry))
    .catch(() => call.ending.addWarning("its end could not be written to the audit"));
}

/** Stores the end of a call that ran here. When the store fails, the host keeps its lease and tries again. */
async function storeEnd(call: Call, audited: Promise<void> | null): Promise<void> {
  const { ending, host } = call;
  const stored = call.stored!;
  await audited;
  if (stored.lost) return;
  const end = endOf(call, stored);
  try {
    await stored.end(end);
    if (stored.lost)
      host.logger.warn(logFields(call), "another host ended a call before its tool answered here");
  } catch (err) {
    logError(call, err, "the end of a resumed call could not be stored; the host tries again");
    ending.addWarning("its end is not stored yet; the host tries again");
    void host.stores.track(stored.endLater(end));
  }
}

/** Stores and audits the end of a call that did not run here. When the store fails, a later sweep ends it. */
async function storeOtherEnd(call: Call, stored: StoredCall): Promise<void> {
  try {
    await stored.end(endOf(call, stored));
  } catch (err) {
    logError(call, err, "the end of a waiting call could not be stored");
    stored.lost = true;
    stored.failure = { err };
  }
  const audit = auditOf(call);
  if (stored.lost || audit === null || (await hasAuditedEnd(call))) return;
  await auditEnd(call, audit);
}

/** Whether the host that ran a call wrote the call's end to the audit before that host itself stopped. */
async function hasAuditedEnd({ generation, host, runId }: Call): Promise<boolean> {
  try {
    const written = (await sinkOf(host, generation)?.read({ runId })) ?? [];
    return written.some(({ entry }) => entry.kind === "end");
  } catch {
    return false; // a second end is better than a missing end
  }
}

function endOf(call: Call, stored: StoredCall): RecordedEnd {
  const { ending, host, timing } = call;
  const { code, error } = ending.result!;
  const sealed = sealForCaller(outcomeOf(call), stored);
  return {
    status: ending.status,
    at: host.time.at(timing.endedAt),
    ...(code === undefined ? {} : { code }),
    ...(error === undefined || sealed !== null ? {} : { error }),
    sealed,
  };
}

/** Returns where the values of the arguments came from, if a policy asked. */
function originsOf({ host, origins }: Call): { origins?: Json } {
  return origins === null ? {} : { origins: host.redact(origins as unknown as Json) };
}

function entryOf(call: Call, kind: AuditEntry["kind"]): AuditEntry {
  const { sessionId, conversationId, turnId, userId } = call.given;
  return {
    kind,
    at: call.host.clock.now(),
    runId: call.runId,
    callId: call.callId,
    tool: call.tool?.name ?? String(call.request.name).slice(0, 200),
    depth: call.depth,
    sessionId,
    conversationId,
    turnId,
    userId,
    parentRunId: call.parent?.runId,
    undoOf: call.undo?.request.runId,
    rehearsalId: call.given.rehearsal?.id,
  };
}

/** Returns the arguments for the audit, with secrets masked and long ones cut, and a digest of the unmasked arguments. */
function argumentsOf(call: Call): { arguments?: JsonObject | string; argumentsDigest?: string } {
  if (call.arguments === null) return {};
  const masked = call.host.redact(call.arguments as JsonObject) as JsonObject;
  const text = JSON.stringify(masked);
  return {
    arguments: text.length <= maxText ? masked : text.slice(0, maxText),
    argumentsDigest: digestOf(call.arguments),
  };
}

/** Returns a result's data and what it omits, masked, for the audit. Long data becomes the start of its JSON and its length. */
function resultOf({ ending, host, generation }: Call): Partial<AuditEntry> {
  const { data, omitted } = ending.result!;
  if (data === undefined || sinkOf(host, generation)?.keepsResults === false) return {};
  const masked = host.redact(data as Json);
  const text = JSON.stringify(masked);
  const left = omitted === undefined ? {} : { omitted: host.redact(omitted as unknown as Json) };
  if (text.length <= maxText) return { result: masked, ...left };
  return { resultText: text.slice(0, maxText).toWellFormed(), resultLength: text.length, ...left };
}
