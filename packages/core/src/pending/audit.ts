import { hash } from "node:crypto";
import { canonicalJson } from "../json/canonical.ts";
import type { Clock, Timer } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import { randomName } from "./ticket.ts";
import type { AuditEntry, AuditHead, AuditRecord, AuditSink } from "../contract/audit.ts";

/** Maximum number of records that a sink gets at once. A store writes them in one transaction, during which no other process can write. */
const mostAtOnce = 1_000;

/** Milliseconds that a batched entry may stay in memory. Source: the plan format's `audit: batched`. */
const batchMs = 10;
/**
 * Milliseconds for which a chain grows: a day. Old records are deleted in whole chains, so a process that runs for months
 * must not write all its records to one chain.
 */
const chainMs = 86_400_000;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Chains entries by hash. Entries that arrive in one tick, or during a commit, share the next commit. */
export class AuditWriter {
  readonly #sink: AuditSink;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #writer = randomName();
  #begunAt: number;
  #sequence = 0;
  #last = "";
  #queue: AuditRecord[] = [];
  #waiters: Waiter[] = [];
  #timer: Timer | null = null;
  #due = false;
  #committing: Promise<void> | null = null;

  constructor(sink: AuditSink, clock: Clock, logger: Logger) {
    this.#sink = sink;
    this.#clock = clock;
    this.#logger = logger;
    this.#begunAt = clock.now();
  }

  /** Writes the entry soon, without waiting. A failure is logged. */
  note(entry: AuditEntry): void {
    this.#enqueue(entry);
    // While a host computes without a pause, no timer fires.
    if (this.#queue.length >= mostAtOnce) void this.#commit();
    else if (!this.#due) this.#timer ??= this.#clock.setTimer(() => void this.#commit(), batchMs);
  }

  write(entry: AuditEntry): Promise<void> {
    this.#enqueue(entry);
    if (!this.#due) setImmediate(() => void this.#commit());
    this.#due = true;
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  async flush(): Promise<void> {
    while (this.#queue.length > 0 || this.#committing !== null) await this.#commit();
  }

  #enqueue(entry: AuditEntry): void {
    if (entry.at - this.#begunAt >= chainMs && this.#queue.length === 0) this.#startNewChain(entry.at);
    const [writer, sequence, previous] = [this.#writer, ++this.#sequence, this.#last];
    this.#last = hashOf(writer, sequence, previous, entry);
    this.#queue.push({ writer, sequence, previous, hash: this.#last, entry });
  }

  async #commit(): Promise<void> {
    if (this.#committing !== null) return this.#committing;
    this.#timer?.cancel();
    this.#timer = null;
    this.#due = false;
    if (this.#queue.length === 0) return;
    this.#committing = this.#append(this.#queue, this.#waiters);
    this.#queue = [];
    this.#waiters = [];
    await this.#committing;
    this.#committing = null;
    await this.#commit();
  }

  async #append(records: readonly AuditRecord[], waiters: readonly Waiter[]): Promise<void> {
    try {
      for (let at = 0; at < records.length; at += mostAtOnce)
        await this.#sink.append(records.slice(at, at + mostAtOnce));
      for (const { resolve } of waiters) resolve();
    } catch (error) {
      this.#logger.error({ err: error, records: records.length }, "the audit could not be written");
      this.#startNewChain(this.#clock.now());
      for (const { reject } of waiters) reject(error);
    }
  }

  /** Starts a new chain with the queued entries. That is also done after a failed commit, of which a part may be stored. */
  #startNewChain(at: number): void {
    this.#begunAt = at;
    const queued = this.#queue.map(({ entry }) => entry);
    this.#writer = randomName();
    this.#sequence = 0;
    this.#last = "";
    this.#queue = [];
    for (const entry of queued) this.#enqueue(entry);
  }
}

function hashOf(writer: string, sequence: number, previous: string, entry: AuditEntry): string {
  return hash("sha256", `${previous}\n${writer}\n${sequence}\n${canonicalJson(entry)}`);
}

/** A place where an audit differs from what the host wrote. */
export interface AuditProblem {
  readonly writer: string;
  readonly sequence: number;
  readonly problem: string;
}

/** Checks the chains of all writers of a complete audit, in any order. Finds records that were changed, removed or added. */
export function checkAudit(
  records: readonly AuditRecord[],
  heads: readonly AuditHead[],
): readonly AuditProblem[] {
  return checkLinks(records.map(linkOf), heads);
}

/** Number of records that are read and checked without a pause. */
const recordsAtOnce = 500;

/** Does the same as `checkAudit` without blocking the process: in pages, and without records that are written meanwhile. */
export async function checkSink(
  sink: AuditSink,
): Promise<{ readonly records: number; readonly problems: readonly AuditProblem[] }> {
  const heads = new Map((await sink.heads()).map((head) => [head.writer, head]));
  const links: Link[] = [];
  let page: readonly AuditRecord[];
  let after: AuditRecord | undefined;
  do {
    page = await sink.read({ page: { size: recordsAtOnce, after } });
    links.push(...page.map(linkOf));
    after = page.at(-1);
    await new Promise(setImmediate);
  } while (page.length === recordsAtOnce);
  const begun = (await sink.heads()).filter(({ writer }) => !heads.has(writer));
  for (const { writer } of begun) heads.set(writer, { writer, sequence: 0, hash: "" });
  const known = links.filter(({ writer, sequence }) => sequence <= (heads.get(writer)?.sequence ?? sequence));
  return { records: known.length, problems: checkLinks(known, [...heads.values()]) };
}

/** A record of a chain, without its entry. */
type Link = Pick<AuditRecord, "writer" | "sequence" | "previous" | "hash"> & { readonly isChanged: boolean };

function linkOf({ writer, sequence, previous, hash: own, entry }: AuditRecord): Link {
  return {
    writer,
    sequence,
    previous,
    hash: own,
    isChanged: own !== hashOf(writer, sequence, previous, entry),
  };
}

function checkLinks(records: readonly Link[], heads: readonly AuditHead[]): readonly AuditProblem[] {
  const chains = Map.groupBy(records, ({ writer }) => writer);
  const writers = new Set([...chains.keys(), ...heads.map(({ writer }) => writer)]);
  return [...writers].flatMap((writer) => {
    const head = heads.find((candidate) => candidate.writer === writer);
    const chain = (chains.get(writer) ?? []).toSorted((a, b) => a.sequence - b.sequence);
    return checkChain(writer, chain, head);
  });
}

function checkChain(writer: string, records: readonly Link[], head: AuditHead | undefined): AuditProblem[] {
  const problems: AuditProblem[] = [];
  let previous = "";
  let expected = 1;
  for (const record of records) {
    const { sequence } = record;
    if (sequence !== expected)
      problems.push({ writer, sequence, problem: `record ${expected} is expected here` });
    else if (record.previous !== previous)
      problems.push({ writer, sequence, problem: "it does not follow the record before it" });
    else if (record.isChanged) problems.push({ writer, sequence, problem: "it was changed" });
    expected = sequence + 1;
    previous = record.hash;
  }
  if (head === undefined) problems.push({ writer, sequence: expected, problem: "its head is missing" });
  else if (head.sequence !== expected - 1 || head.hash !== previous)
    problems.push({ writer, sequence: head.sequence, problem: "the newest records are missing or changed" });
  return problems;
}
