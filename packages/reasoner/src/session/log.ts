import { ToolmountError, type Json, type JsonObject, type SessionStore } from "@toolmount/core";
import { entrySchema, type SessionEntry } from "./entry.ts";
import { createView, fold, type SessionView } from "./view.ts";

/** What never changes about a session, and stands in its record. */
export interface SessionFacts {
  readonly id: string;
  readonly parentId: string | null;
  readonly userId: string | null;
  /** The agent of the plan that it is; null for the plan's own. */
  readonly agent: string | null;
  readonly depth: number;
  /** Lists of globs, each of which a tool has to fit. */
  readonly allowed: readonly (readonly string[])[];
}

/** A session that is open here: its view, and the one way to change it. */
export class SessionLog {
  readonly facts: SessionFacts;
  readonly view: SessionView = createView();
  readonly #store: SessionStore;
  readonly #now: () => number;
  #sequence = 0;
  #last: Promise<unknown> = Promise.resolve();
  #lost = false;
  /** How long the open turn has been at work, while one runs here. */
  stopwatch: (() => number) | null = null;

  private constructor(store: SessionStore, facts: SessionFacts, now: () => number) {
    this.#store = store;
    this.facts = facts;
    this.#now = now;
  }

  /** Makes a new session. Rejects with `SESSION_CONFLICT` when there is one of that id. */
  static async create(store: SessionStore, facts: SessionFacts, now: () => number): Promise<SessionLog> {
    const log = new SessionLog(store, facts, now);
    const at = now();
    const saved = await store.save({
      id: facts.id,
      parentId: facts.parentId,
      version: 1,
      createdAt: at,
      updatedAt: at,
      data: log.#data(),
    });
    if (!saved) throw conflict(facts.id, "there is one of that id already");
    return log;
  }

  /** Reads a session; null when there is none. */
  static async open(store: SessionStore, id: string, now: () => number): Promise<SessionLog | null> {
    const record = await store.load(id);
    if (record === null) return null;
    const { userId = null, agent = null, depth = 0, allowed = [] } = record.data as Partial<SessionFacts>;
    const facts = { id, parentId: record.parentId, userId, agent, depth, allowed };
    const log = new SessionLog(store, facts, now);
    for (const { sequence, entry } of await store.entries(id)) {
      fold(log.view, entrySchema.parse(entry));
      log.#sequence = sequence;
    }
    return log;
  }

  /** Entries so far. */
  get length(): number {
    return this.#sequence;
  }

  /**
   * Adds entries, on disk when it resolves, and carries them into the view. Rejects with `SESSION_CONFLICT` when
   * somebody else went on with the session: then nothing more is done with it here.
   */
  append(...entries: readonly SessionEntry[]): Promise<void> {
    const added = this.#last.then(() => this.#append(entries));
    this.#last = added.catch(() => {});
    return added;
  }

  async #append(entries: readonly SessionEntry[]): Promise<void> {
    const timed = entries.map((entry) => this.#timed(entry));
    const plain = JSON.parse(JSON.stringify(timed)) as Json[];
    if (this.#lost || !(await this.#store.append(this.facts.id, this.#sequence, plain))) {
      this.#lost = true;
      throw conflict(this.facts.id, "another process goes on with it");
    }
    this.#sequence += entries.length;
    for (const entry of timed) fold(this.view, entry);
  }

  #timed(entry: SessionEntry): SessionEntry {
    const isStep = ["answer", "started", "output", "waits"].includes(entry.kind);
    return isStep && this.stopwatch !== null ? ({ ...entry, ms: this.stopwatch() } as SessionEntry) : entry;
  }

  /** Brings the record, which lists show, up to date. It may be behind; the log never is. */
  async save(): Promise<void> {
    for (let tries = 0; tries < 3; tries++) {
      const record = await this.#store.load(this.facts.id);
      if (record === null) return;
      const next = { ...record, version: record.version + 1, updatedAt: this.#now(), data: this.#data() };
      if (await this.#store.save(next)) return;
    }
  }

  #data(): JsonObject {
    const { userId, agent, depth, allowed } = this.facts;
    const { title, turns, lastStatus, usage, forkedFrom, turn } = this.view;
    const waits = turn?.calls.filter((call) => call.waits !== null).length ?? 0;
    const told = {
      userId,
      agent,
      depth,
      allowed,
      title,
      turns,
      status: lastStatus,
      waits,
      usage,
      forkedFrom,
    };
    return JSON.parse(JSON.stringify(told)) as JsonObject;
  }
}

export function conflict(session: string, problem: string): ToolmountError<"SESSION_CONFLICT"> {
  return new ToolmountError("SESSION_CONFLICT", { session, problem });
}
