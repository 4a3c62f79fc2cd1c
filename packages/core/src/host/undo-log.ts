import type { ChangeFilter, SessionChange, UnclearUndo } from "../contract/changes.ts";
import type { Timer } from "../contract/clock.ts";
import type { SessionId } from "../contract/own-session.ts";
import type { JsonObject } from "../json/json.ts";
import { randomName } from "../pending/ticket.ts";
import { readChangeEntry, type ChangeEntry } from "../sessions/changes.ts";
import type { HostState } from "./host-state.ts";

type Change = Extract<ChangeEntry, { kind: "change" | "irreversible" }>;
type Claim = Extract<ChangeEntry, { kind: "claim" }>;

/** Milliseconds that an undo waits before it looks again whether another undo has ended. */
const lookAgainMs = 100;

/** The log of a session's changes, as an undo has read it. */
export class UndoLog {
  readonly #host: HostState;
  readonly #sessionId: SessionId;
  readonly #of: SessionId;
  readonly #by = randomName();
  readonly #changes = new Map<number, Change>();
  readonly #undone = new Set<number>();
  readonly #claims = new Map<number, Claim>();
  readonly #begun = new Set<number>();
  #count = 0;
  #first = 0;

  /** `of` is the session that is undone: this session, or a session that began it. */
  constructor(host: HostState, sessionId: SessionId, of = sessionId) {
    this.#host = host;
    this.#sessionId = sessionId;
    this.#of = of;
  }

  /** Whether the oldest changes of the session are no longer kept. */
  get isPartial(): boolean {
    return this.#first > 1;
  }

  /** Reads the entries that were added since the last read. */
  async read(): Promise<void> {
    for (const { sequence, entry } of await this.#host.changes.entries(this.#sessionId, this.#count)) {
      this.#first ||= sequence;
      this.#count = sequence;
      const known = readChangeEntry(entry);
      if (known !== null) this.#take(sequence, known);
    }
  }

  #take(sequence: number, entry: ChangeEntry): void {
    if (entry.kind === "change" || entry.kind === "irreversible") this.#changes.set(sequence, entry);
    else if (entry.kind === "claim") this.#claims.set(entry.of, entry);
    else if (entry.kind === "begun") this.#begun.add(entry.of);
    else {
      this.#claims.delete(entry.of);
      this.#begun.delete(entry.of);
    }
    if (entry.kind === "undone") this.#undone.add(entry.of);
  }

  /** Returns the changes that a filter selects, oldest first. */
  select({ call, turn, after = 0 }: ChangeFilter): readonly SessionChange[] {
    return [...this.#changes]
      .filter(([number]) => number > after)
      .filter(
        ([, { turnId, causes }]) =>
          turn === undefined || [{ turnId }, ...causes].some((one) => one.turnId === turn),
      )
      .filter(([, change]) => call === undefined || idsOf(change).includes(call))
      .map(([number, change]) => this.#shown(number, change));
  }

  /** Returns when a change began; undefined if the change is no longer kept. */
  atOf(number: number): number | undefined {
    return this.#changes.get(number)?.at;
  }

  /** Returns a change as the log has it now. */
  now(number: number): SessionChange {
    return this.#shown(number, this.#changes.get(number)!);
  }

  #shown(number: number, change: Change): SessionChange {
    const { at, tool, callId, runId, parents, causes, arguments: given } = change;
    const isOwn = this.#sessionId === this.#of;
    const { turnId } = isOwn ? change : (causes.find((cause) => cause.sessionId === this.#of) ?? {});
    return {
      number,
      ...(!isOwn && { sessionId: this.#sessionId }),
      at,
      tool,
      callId,
      runId,
      ...(turnId !== undefined && { turnId }),
      ...(parents.length > 0 && { parents }),
      arguments: given,
      ...(change.kind === "irreversible" && { irreversible: change.reason }),
      isUndone: this.#undone.has(number),
      ...(this.#begun.has(number) && { undoBegan: true }),
    };
  }

  change(number: number): Extract<Change, { kind: "change" }> {
    return this.#changes.get(number) as Extract<Change, { kind: "change" }>;
  }

  /** Returns later changes that are not undone and that share the text of an argument with this change. */
  laterThan({ number, arguments: given }: SessionChange): readonly SessionChange[] {
    const targets = new Set(textsOf(given));
    return this.select({ after: number }).filter(
      (later) => !later.isUndone && textsOf(later.arguments).some((text) => targets.has(text)),
    );
  }

  /** Whether this undo made the last claim of a change that is not undone yet. */
  async owns(of: number): Promise<boolean> {
    await this.read();
    return !this.#undone.has(of) && this.#claims.get(of)?.by === this.#by;
  }

  /**
   * Claims a change; waits while another undo has it. Resolves to `by another` if the change is undone already, to `decided` if a
   * person decided so, and to `unclear` if the tool began in a process that died or stalled and nothing is decided for that case.
   */
  async claim(
    of: number,
    decided: UnclearUndo | "idempotent" | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ClaimedChange | "by another" | "decided" | "unclear"> {
    const { clock } = this.#host;
    for (;;) {
      signal?.throwIfAborted();
      await this.read();
      if (this.#undone.has(of)) return "by another";
      const [other, hasBegun] = [this.#claims.get(of), this.#begun.has(of)];
      const isOthers = other !== undefined && other.by !== this.#by;
      const isGone = isOthers ? this.#isGone(other) : null;
      if (isOthers && isGone !== true && other.until > clock.now()) await this.#pause();
      // An idempotent undo is repeated, but not while the other process is alive and may only stall.
      else if (hasBegun && (decided === undefined || (decided === "idempotent" && isGone === false)))
        return "unclear";
      else if (hasBegun && decided === "done") {
        if (await this.#append({ kind: "undone", of })) return "decided";
      } else if (await this.#append(this.#claimOf(of))) return this.#hold(of, hasBegun);
    }
  }

  /** Renews the lease of a claim until the change is undone, or the undo has stopped. */
  #hold(of: number, isRepeated: boolean): ClaimedChange {
    const { clock, logger, stores } = this.#host;
    const { leaseMs } = stores.options;
    let timer: Timer | null = null;
    let renewed: Promise<void> = Promise.resolve();
    const drop = () => {
      timer?.cancel();
      timer = null;
    };
    const again = () => {
      timer = clock.setTimer(() => {
        renewed = this.#appendAsOwner(of, () => this.#claimOf(of))
          .catch((err: unknown) => logger.error({ err }, "the lease of an undo was not renewed"))
          .then(() => (timer === null ? undefined : again()));
      }, leaseMs / 3);
    };
    again();
    let hasBegun = false;
    const begin = async () =>
      (hasBegun = await this.#appendAsOwner(of, () => ({ kind: "begun", of, by: this.#by })));
    const end = async (kind: "undone" | "stopped") => {
      drop();
      await renewed;
      if (kind === "stopped") await this.#appendAsOwner(of, () => ({ kind, of }));
      else while (!(await this.#append({ kind, of }))) await this.read();
    };
    return { isRepeated, begin, hasBegun: () => hasBegun, drop, end };
  }

  #claimOf(of: number): JsonObject {
    const { clock, stores, process } = this.#host;
    const until = clock.now() + stores.options.leaseMs;
    return { kind: "claim", of, by: this.#by, until, ...(process !== null && { process: process.id }) };
  }

  /** Whether the process of a claim has ended; null if that is not known. */
  #isGone({ process }: Claim): boolean | null {
    return process === undefined ? null : (this.#host.process?.isGone(process) ?? null);
  }

  /** Appends an entry while this undo has the claim: an undo that stalled must not act after another has taken over. */
  async #appendAsOwner(of: number, entry: () => JsonObject): Promise<boolean> {
    while (await this.owns(of)) if (await this.#append(entry())) return true;
    return false;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#host.clock.setTimer(resolve, lookAgainMs));
  }

  #append(entry: JsonObject): Promise<boolean> {
    return this.#host.stores.track(this.#host.changes.append(this.#sessionId, this.#count, entry));
  }
}

interface ClaimedChange {
  /** Whether the tool began before, in a process that died or stalled. */
  readonly isRepeated: boolean;
  /** Records that the tool begins. False if another undo has taken the claim. */
  readonly begin: () => Promise<boolean>;
  readonly hasBegun: () => boolean;
  end(kind: "undone" | "stopped"): Promise<void>;
  drop(): void;
}

/** Returns the ids of a change's call and of the calls that caused it. */
function idsOf({ callId, runId, parents, causes }: Change): readonly string[] {
  return [callId, runId, ...parents, ...causes.flatMap((cause) => cause.callId ?? [])];
}

function textsOf(given: JsonObject): readonly string[] {
  return Object.values(given).filter((value) => typeof value === "string");
}
