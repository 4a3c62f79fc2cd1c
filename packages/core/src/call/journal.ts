import type { AuditWriter } from "../pending/audit.ts";
import { digestOf } from "../json/canonical.ts";
import type { JsonObject } from "../json/json.ts";
import { outcomeOf } from "./outcome.ts";
import type { Run } from "./call.ts";
import { release } from "./requeue.ts";
import { seal } from "../pending/ticket.ts";
import type { AuditEntry } from "../contract/stores.ts";
import { runFields } from "./log-fields.ts";

/** Longest text of arguments or an error that an audit entry has. */
const maxText = 4_096;

/** Whether anything of a run is put down at all; most are not, and pay only for this question. */
export function isRecorded(run: Run): boolean {
  return run.case !== null || isAudited(run) || run.host.states.isUnsaved(run.given.sessionId);
}

function isAudited({ host, generation, tool, case: open }: Run): boolean {
  const sink = host.desk.sink ?? generation.auditSink;
  if (sink === null) return false;
  if (sink.mode !== "changes") return true;
  // A tool that is gone by the time its call goes on may have changed something; a name that never was one has not.
  return tool === null ? open !== null : tool.info.category !== "read";
}

/**
 * Puts down that a run begins: in the audit, and in the record of a call that was waited for, whose approval is used
 * from then on. Resolves to why it may not begin, or to null. Null at once when there is nothing to wait for.
 */
export function recordStart(run: Run): Promise<string | null> | null {
  const unsaved = run.host.states.isUnsaved(run.given.sessionId);
  if (run.case === null && !unsaved && (run.audited || !isDurable(run))) {
    void noteStart(run);
    return null;
  }
  return run.host.desk.track(putStart(run));
}

async function putStart(run: Run): Promise<string | null> {
  const { states } = run.host;
  try {
    // What a gate counts, such as a budget, counts even if this process does not live to see the end.
    if (states.isUnsaved(run.given.sessionId)) await states.save(run.given.sessionId!);
  } catch {
    return "the state of its session could not be kept";
  }
  try {
    const audited = noteStart(run);
    if (audited !== null) await audited;
  } catch {
    return "its start could not be written into the audit";
  }
  try {
    return run.case === null || (await begin(run)) ? null : "its approval was used or taken back meanwhile";
  } catch (err) {
    run.host.logger.error({ err, ...runFields(run) }, "the use of an approval could not be kept");
    return "the use of its approval could not be kept";
  }
}

/** From here on it may have run. */
async function begin(run: Run): Promise<boolean> {
  const { host } = run;
  const open = run.case!;
  if (open.record.state === "claimed") open.dropLease();
  const begun = await open.change((record) =>
    record.state === "approved" || (record.state === "claimed" && open.holds(record))
      ? { state: "started", leaseUntil: host.clock.now() + host.desk.options.leaseMs }
      : null,
  );
  if (begun) open.keepLease();
  else open.lost = true;
  return begun;
}

function noteStart(run: Run): Promise<void> | null {
  const audit = auditOf(run);
  if (audit === null || run.audited) return null;
  run.audited = true;
  const entry = { ...entryOf(run, "start"), ...argumentsOf(run), approvedBy: run.approvedBy };
  if (isDurable(run)) return audit.write(entry);
  audit.note(entry);
  return null;
}

function isDurable(run: Run): boolean {
  const mode = (run.host.desk.sink ?? run.generation.auditSink)?.mode;
  return mode === "durable" || mode === "changes" || (mode === "mixed" && run.tool?.info.category !== "read");
}

function auditOf(run: Run): AuditWriter | null {
  return isAudited(run) ? run.host.desk.audit(run.generation) : null;
}

/**
 * Puts down how a run ended, or that it waits. Null when there is nothing to wait for. Never rejects: what could not
 * be put down is logged, and said in the outcome's warnings.
 */
export function recordEnd(run: Run): Promise<void> | null {
  const { host, given } = run;
  if (!host.states.isUnsaved(given.sessionId)) return recordOutcome(run);
  return host.desk.track(keepState(run).then(() => recordOutcome(run) ?? undefined));
}

/** What the call changed of its session is on disk before anybody hears of its outcome. */
async function keepState(run: Run): Promise<void> {
  try {
    await run.host.states.save(run.given.sessionId!);
  } catch (err) {
    run.host.logger.error({ err, ...runFields(run) }, "the state of a session could not be kept");
    warn(run, "what it changed of its session's state could not be kept");
  }
}

function recordOutcome(run: Run): Promise<void> | null {
  const audit = auditOf(run);
  const audited = audit === null ? null : noteEnd(run, audit);
  if (run.case === null) return audited;
  if (run.status === "pending")
    return run.case.record.state === "claimed"
      ? run.host.desk.track(release(run).then(() => audited ?? undefined))
      : audited;
  return run.host.desk.track(putEnd(run, audited));
}

function noteEnd(run: Run, audit: AuditWriter): Promise<void> | null {
  const { code, error } = run.result!;
  const entry: AuditEntry = {
    ...entryOf(run, run.status === "pending" ? "pending" : "end"),
    ...(run.audited ? {} : argumentsOf(run)),
    status: run.status,
    durationMs: run.endedAt - run.startedAt,
    ...(code === undefined ? {} : { code }),
    ...(error === undefined ? {} : { error: error.slice(0, maxText), phase: run.phase }),
    ...(run.reasons === null
      ? {}
      : { asked: run.reasons.map(({ source, rule = null }) => ({ source, rule })) }),
  };
  if (!isDurable(run)) return (audit.note(entry), null);
  return run.host.desk
    .track(audit.write(entry))
    .catch(() => warn(run, "its end could not be written into the audit"));
}

async function putEnd(run: Run, audited: Promise<void> | null): Promise<void> {
  const open = run.case!;
  await audited;
  if (open.lost) return;
  const { code, error } = run.result!;
  try {
    await open.end({
      status: run.status,
      at: run.host.epoch + run.endedAt,
      ...(code === undefined ? {} : { code }),
      ...(error === undefined || open.ticket !== null ? {} : { error }),
      sealed: open.ticket === null ? null : seal(outcomeOf(run), open.ticket),
    });
    if (open.lost)
      run.host.logger.warn(runFields(run), "a call had been ended by another host before it came back");
  } catch (err) {
    run.host.logger.error({ err, ...runFields(run) }, "the end of a call that had waited could not be kept");
    warn(run, "its end could not be kept");
  }
}

function warn(run: Run, warning: string): void {
  run.resultFrozen = false;
  run.result = { ...run.result!, warnings: [...(run.result!.warnings ?? []), warning] };
}

function entryOf(run: Run, kind: AuditEntry["kind"]): AuditEntry {
  const { given, host } = run;
  return {
    kind,
    at: host.clock.now(),
    runId: run.runId,
    callId: run.callId,
    tool: run.tool?.name ?? String(run.request.name).slice(0, 200),
    depth: run.depth,
    sessionId: given.sessionId,
    conversationId: given.conversationId,
    turnId: given.turnId,
    userId: given.userId,
    parentRunId: run.parent?.runId,
  };
}

/** Arguments as an audit holds them: secrets masked, long ones as their beginning, and a digest of the whole. */
function argumentsOf(run: Run): { arguments?: JsonObject | string; argumentsDigest?: string } {
  if (run.arguments === null) return {};
  const shown = run.host.redact(run.arguments as JsonObject) as JsonObject;
  const text = JSON.stringify(shown);
  return {
    arguments: text.length <= maxText ? shown : text.slice(0, maxText),
    argumentsDigest: digestOf(run.arguments),
  };
}
