import { ToolmountError, type Json, type JsonObject, type SessionStore } from "@toolmount/core";
import { meter } from "@toolmount/core/json";
import { entrySchema, type SessionEntry } from "./entry.ts";
import { fold } from "./fold.ts";
import { createView, type SessionView } from "./view.ts";

/** The facts of a session that never change. They are stored in its record. */
export interface SessionFacts {
  readonly id: string;
  readonly parentId: string | null;
  readonly userId: string | null;
  /** The plan's agent that the session runs; null for the plan's main agent. */
  readonly agent: string | null;
  readonly depth: number;
  /** Lists of globs that limit the tools of the session: a tool is allowed if every list includes it. */
  readonly allowed: readonly (readonly string[])[];
}

/** A session that this process has open: its view, and the only way to change it. */
export class SessionLog {
  readonly facts: SessionFacts;
  readonly view: SessionView = createView();
  readonly #store: SessionStore;
  readonly #now: () => number;
  #sequence = 0;
  #last: Promise<unknown> = Promise.resolve();
  #lost = false;
  /** Returns the milliseconds that the open turn has worked; null while no turn of the session runs in this process. */
  stopwatch: (() => number) | null = null;

  private constructor(store: SessionStore, facts: SessionFacts, now: () => number) {
    this.#store = store;
    this.facts = facts;
    this.#now = now;
  }

  /** Creates a session. Rejects with `SESSION_CONFLICT` if a session with that id exists. */
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
    if (!saved) throw conflict(facts.id, "a session with this id exists");
    return log;
  }

  /** Opens a session and reads its log. Resolves to null if the store does not have the session. */
  static async open(store: SessionStore, id: string, now: () => number): Promise<SessionLog | null> {
    const record = await store.load(id);
    if (record === null) return null;
    const { userId = null, agent = null, depth = 0, allowed = [] } = record.data as Partial<SessionFacts>;
    const facts = { id, parentId: record.parentId, userId, agent, depth, allowed };
    const log = new SessionLog(store, facts, now);
    for (const { sequence, entry } of await store.entries(id)) {
      fold(log.view, readEntry(id, sequence, entry));
      log.#sequence = sequence;
    }
    return log;
  }

  /** The number of entries so far. */
  get length(): number {
    return this.#sequence;
  }

  /**
   * Stores entries, then adds them to the view. Rejects with `SESSION_CONFLICT` if another process changed the session; after
   * that, this process can store nothing more in it.
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
      throw conflict(this.facts.id, "another process resumed it");
    }
    this.#sequence += entries.length;
    for (const entry of timed) fold(this.view, entry);
  }

  #timed(entry: SessionEntry): SessionEntry {
    const isStep = ["answer", "started", "output", "waits"].includes(entry.kind);
    return isStep && this.stopwatch !== null ? ({ ...entry, ms: this.stopwatch() } as SessionEntry) : entry;
  }

  /** Resolves when every entry that was appended so far is stored or has failed. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /** Gives up the session: from now on this process stores nothing more in it. */
  release(): void {
    this.#lost = true;
  }

  /** Whether this process can no longer change the session, because another has it or because it was given up. */
  get isLost(): boolean {
    return this.#lost;
  }

  /** Updates the session's record, which lists of sessions show. It may be older than the log; the log is always current. */
  async save(): Promise<void> {
    if (this.#lost) return;
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
    const data = {
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
    return JSON.parse(JSON.stringify(data)) as JsonObject;
  }
}

/** Maximum number of levels of an entry: those of a call's arguments, and those of the entry around them. */
const maxLevels = 72;

/**
 * Parses an entry. Throws `SESSION_UNREADABLE` if the store is damaged, or if other software wrote an entry that is not valid.
 */
export function readEntry(session: string, sequence: number, entry: Json): SessionEntry {
  const refuse = (problem: string) =>
    new ToolmountError("SESSION_UNREADABLE", { session, problem: `entry ${sequence} ${problem}` });
  const problem = meter(entry, Number.POSITIVE_INFINITY, maxLevels);
  if (problem !== null) throw refuse(`is ${problem}`);
  const parsed = entrySchema.safeParse(entry);
  if (!parsed.success) throw refuse("is not an entry of a session");
  return parsed.data;
}

/** Creates the error for a session whose last turn waits, or whose process ended during it. Its text names commands that help. */
export function stillOpen(id: string): ToolmountError<"SESSION_CONFLICT"> {
  const command = `toolmount sessions resume ${id}`;
  return conflict(
    id,
    `its last turn has not ended; resume it with ${command}, deny what waits with ${command} --reason <text>, or end it with ${command} --cancel`,
  );
}

/** Creates the error for a session that another turn or another process uses. */
export function conflict(session: string, problem: string): ToolmountError<"SESSION_CONFLICT"> {
  return new ToolmountError("SESSION_CONFLICT", { session, problem });
}
