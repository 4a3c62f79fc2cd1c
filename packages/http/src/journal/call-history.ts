import type { AuditEntry, AuditSink, Host, Json, Omission, PastCall, PastCallFilter } from "@toolmount/core";
import { joinRecord, newestFirst, readProgram, type PastProgram } from "@toolmount/core/record";
import { summaryOf, type CallJournal } from "./call-journal.ts";
import {
  isOpen,
  omittedStep,
  shownOf,
  type CallDetails,
  type CallRecord,
  type CallStep,
  type CallSummary,
  type Shown,
} from "./call-record.ts";

/** A page of calls, newest first. */
interface CallPage {
  readonly calls: readonly CallSummary[];
  readonly hasMore: boolean;
}

/** A program that a call ran, with the calls that it made. */
interface CallProgram extends PastProgram<CallSummary> {
  /** Whether the audit leaves out the calls of tools that only read. */
  readonly omitsReads: boolean;
}

/** How many calls of this process are considered for a page, in addition to those of the audit. */
const maxOwn = 1_000;

/**
 * The calls of a host: those in its audit, which include calls of other processes and from before the start, and those of this
 * process, which the journal has at once. For a host without an audit, only the journal's.
 */
export class CallHistory {
  readonly #host: Host;
  readonly #journal: CallJournal;

  constructor(host: Host, journal: CallJournal) {
    this.#host = host;
    this.#journal = journal;
  }

  async list(filter: PastCallFilter): Promise<CallPage> {
    const sink = this.#sink();
    if (sink === null)
      return pageOf(this.#journal.list({ ...filter, limit: filter.limit + 1 }), filter.limit);
    const { calls, hasMore } = await sink.calls(filter);
    const stored = calls.map((call) => this.#asNow(call));
    // A search only uses the audit. It contains the words of a call only after the call's end, and the journal searches
    // differently.
    if (filter.text !== undefined) return { calls: stored, hasMore };
    const last = hasMore ? stored.at(-1) : undefined;
    const own = await this.#unaudited(sink, filter, last?.startedAt);
    const all = [...stored, ...own].toSorted(newestFirst);
    return { calls: all.slice(0, filter.limit), hasMore: hasMore || all.length > filter.limit };
  }

  /** Returns one call with its details; null if it is unknown. */
  async get(runId: string): Promise<CallDetails | null> {
    const known = this.#journal.get(runId);
    const isWhole = known !== undefined && (known.arguments !== null || known.isHere);
    if (isWhole && (known.isHere || !isOpen(known))) return detailsOf(known);
    const records = (await this.#sink()?.read({ runId })) ?? [];
    const audited = records.length === 0 ? null : auditedDetails(records.map(({ entry }) => entry));
    if (isWhole && (audited === null || isOpen(audited))) return detailsOf(known);
    return audited ?? (known === undefined ? null : detailsOf(known));
  }

  /** Returns the program that a call ran, with the program's calls; null if the call is unknown or ran no program. */
  async program(runId: string): Promise<CallProgram | null> {
    const call = await this.get(runId);
    if (call?.arguments == null) return null;
    const { arguments: given } = call;
    const list = (filter: PastCallFilter) => this.list(filter);
    const program = await readProgram(list, call, "value" in given ? given.value : given.text);
    return program && { ...program, omitsReads: this.#sink()?.mode === "changes" };
  }

  /** Returns by run id the arguments of those calls whose arguments are completely known. */
  async argumentsOf(runIds: readonly string[]): Promise<ReadonlyMap<string, Json>> {
    const found = new Map<string, Json>();
    const records = (await this.#sink()?.read({ runIds })) ?? [];
    for (const { entry } of records)
      if (typeof entry["arguments"] === "object") found.set(entry.runId, entry["arguments"]);
    for (const runId of runIds) {
      const shown = shownOf(this.#journal.get(runId)?.arguments ?? null);
      if (shown !== null && "value" in shown) found.set(runId, shown.value);
    }
    return found;
  }

  /** Returns the audit; null if it cannot list calls. It is looked up each time, because a reload may replace it. */
  #sink(): (AuditSink & Required<Pick<AuditSink, "calls">>) | null {
    const sink = this.#host.coordinator.get("audit-sink") as AuditSink | null;
    return sink?.calls === undefined ? null : (sink as AuditSink & Required<Pick<AuditSink, "calls">>);
  }

  /**
   * Returns what the journal of this process knows about a stored call. Returns the stored call if the journal does not have
   * it, or if another process ended it.
   */
  #asNow(call: PastCall): CallSummary {
    const here = this.#journal.get(call.runId);
    if (here === undefined || endedElsewhere(here, call)) return { ...call, change: 0 };
    // If another process resumed the call, this process does not know its line in a program, so the stored line is used.
    return { ...summaryOf(here), startedAt: call.startedAt, place: call.place };
  }

  /** Returns calls of this process that the audit does not have: it may leave out reads, and it is written with a delay. */
  async #unaudited(
    sink: Required<Pick<AuditSink, "calls">>,
    filter: PastCallFilter,
    from = 0,
  ): Promise<readonly CallSummary[]> {
    const since = Math.max(from, filter.since ?? 0);
    const own = this.#journal.list({ ...filter, since, limit: maxOwn });
    if (own.length === 0) return own;
    const audited = await sink.calls({ runIds: own.map(({ runId }) => runId), limit: maxOwn });
    const known = new Set(audited.calls.map(({ runId }) => runId));
    return own.filter(({ runId }) => !known.has(runId));
  }
}

/** Tests whether a call asked in this process, but was resumed and has ended in another one. */
function endedElsewhere(here: CallRecord, stored: PastCall): boolean {
  return !here.isHere && isOpen(here) && !isOpen(stored);
}

function pageOf(calls: readonly CallSummary[], limit: number): CallPage {
  return { calls: calls.slice(0, limit), hasMore: calls.length > limit };
}

function detailsOf(call: CallRecord): CallDetails {
  const { phase, traceparent, steps } = call;
  const [given, result] = [shownOf(call.arguments), shownOf(call.result)];
  return { ...summaryOf(call), phase, traceparent, arguments: given, result, steps };
}

/** Builds a call from its records in the audit, oldest first. */
function auditedDetails(entries: readonly AuditEntry[]): CallDetails {
  const call = entries.reduce<PastCall | null>(joinRecord, null)!;
  const last = entries.findLast(({ kind }) => kind === "end");
  return {
    ...call,
    change: 0,
    phase: typeof last?.["phase"] === "string" ? last["phase"] : null,
    traceparent: null,
    arguments: argumentsShown(entries.find((entry) => entry["arguments"] !== undefined)?.["arguments"]),
    result: resultOf(last),
    steps: [...entries.map(stepOf), ...omittedSteps(last)],
  };
}

/** Returns arguments as the audit has them. If they were too long, it has only the beginning, as a text. */
function argumentsShown(given: Json | undefined): Shown | null {
  if (given === undefined) return null;
  return typeof given === "string" ? { text: given, characters: given.length } : { value: given };
}

function resultOf(end: AuditEntry | undefined): Shown | null {
  if (end === undefined) return null;
  const { result, resultText, resultLength, error } = end;
  if (typeof resultText === "string") return { text: resultText, characters: Number(resultLength) };
  if (result !== undefined) return { value: result };
  return error === undefined ? null : { value: error };
}

function omittedSteps(end: AuditEntry | undefined): readonly CallStep[] {
  const omitted = (end?.["omitted"] ?? []) as unknown as readonly Omission[];
  return omitted.map((omission) => omittedStep(end!.at, omission));
}

function stepOf(entry: AuditEntry): CallStep {
  const { kind, at, by, reason, error, status, runBy } = entry;
  const join = (...parts: readonly unknown[]) => parts.filter((part) => typeof part === "string").join(": ");
  if (kind === "start")
    return { at, name: "started", ...(typeof runBy === "string" && { note: `run by ${runBy}` }) };
  if (kind === "pending") return { at, name: "waits" };
  if (kind === "end") return { at, name: "ended", note: join(error ?? status) };
  const name = entry["decision"] === "approve" ? "approval:granted" : "approval:denied";
  return { at, name, note: join(by, reason) };
}
