import { hash } from "node:crypto";
import {
  createMemoryStore,
  data,
  failure,
  ownSession,
  systemClock,
  type Coordinator,
  type CounterChange,
  type EventData,
  type HookResult,
  type ToolInfo,
  type ToolResult,
  type WorkStore,
} from "@toolmount/core";
import { RecentMap } from "./recent-map.ts";

/** Maximum number of turns that a server keeps in memory. */
const kept = 10_000;

/** A tool whose calls do not count, and neither do their results: it only changes which tools the model is shown. */
const exempt = "activate_tools";

interface Turn {
  /** The key of the turn's counter in the store: how many servers have seen a result. The keys of its calls begin with this key. */
  readonly key: string;
  /** For each run that has not ended, its number among the equal calls of the turn. */
  readonly counts: Map<string, number>;
  hasResult: boolean;
  remaining: number;
}

/**
 * Counts a call in a round trip to the store that is made anyway. Resolves to the count; undefined if no such round trip is made.
 */
export type CountAlso = (
  event: EventData,
  also: NonNullable<CounterChange["also"]>,
) => Promise<number | undefined>;

/** The members of the coordinator that the guard needs. */
type GuardedHost = Pick<Coordinator, "hooks" | "get" | "logger">;

/**
 * Stops a model that repeats the same call in one turn. Acts only after some tool of the turn has returned: from the count
 * `repeats` on, a call is answered without being run, and the last call that runs has a warning. The counters are in the store,
 * so that all servers of the store share them. The agent loop reports the remaining iterations with `provider:request {
 * session_id, turn_id, iterations_remaining }`. Source: Aptix's ToolLoopGuard.
 */
export function mountLoopGuard(repeats: number, host: Pick<Coordinator, "hooks" | "get" | "logger">): void {
  mountGuard(repeats, host);
}

/** Mounts the same guard. With `countAlso`, it counts in a request to the store that a budget makes anyway. */
export function mountGuard(repeats: number, host: GuardedHost, countAlso?: CountAlso): void {
  const guard = new LoopGuard(repeats, host, countAlso);
  const options = { name: "loop guard", priority: 90 };
  host.hooks.gate("tool:pre", (_, event) => guard.judge(event), options);
  host.hooks.gate("tool:post", (_, event) => guard.end(event), options);
  host.hooks.gate("tool:error", async (_, event) => void (await guard.end(event)), options);
  host.hooks.observe("provider:request", (_, event) => guard.noteRemaining(event));
}

class LoopGuard {
  readonly #repeats: number;
  readonly #host: GuardedHost;
  readonly #countAlso: CountAlso | undefined;
  readonly #turns = new RecentMap<Turn>(kept);
  /** The counters of a host without a store. */
  readonly #memory = createMemoryStore().work!;

  constructor(repeats: number, host: GuardedHost, countAlso: CountAlso | undefined) {
    this.#repeats = repeats;
    this.#host = host;
    this.#countAlso = countAlso;
  }

  /** Counts a call, and answers it if it was made too often. */
  async judge(event: EventData): Promise<HookResult | undefined> {
    const turn = this.#turnOf(event);
    if (turn === null) return undefined;
    const count = await this.#count(turn, event);
    turn.counts.set(String(event["run_id"]), count);
    if (count < this.#repeats || !(await this.#hasResult(turn))) return undefined;
    const name = String(event["tool_name"]);
    const outputSchema = (this.#host.get("tools", name) as ToolInfo | null)?.outputSchema;
    return { action: "modify", data: { tool_result: suppressed({ name, outputSchema }, turn) } };
  }

  /** Notes that a call has ended, and adds the warning to its result. */
  async end(event: EventData): Promise<HookResult | undefined> {
    const turn = this.#turnOf(event);
    if (turn === null) return undefined;
    const runId = String(event["run_id"]);
    const count = turn.counts.get(runId) ?? 0;
    turn.counts.delete(runId);
    try {
      const isLast = count > 1 && count === this.#repeats - 1 && (await this.#hasResult(turn));
      await this.#noteResult(turn);
      return isLast ? warned(event["tool_result"] as ToolResult, count, turn) : undefined;
    } catch (err) {
      // The tool has run, and its result is worth more than a warning.
      this.#host.logger.warn({ err }, "the loop guard could not reach the store after a call");
      return undefined;
    }
  }

  noteRemaining(event: EventData): void {
    const turn = this.#turnOf(event);
    if (turn !== null && typeof event["iterations_remaining"] === "number")
      turn.remaining = event["iterations_remaining"];
  }

  #turnOf(event: EventData): Turn | null {
    const { user_id: user, session_id: name, turn_id: turn } = event;
    const session = ownSession(user, name);
    if (session === undefined && turn === undefined) return null; // such calls have nothing in common
    if (event["tool_name"] === exempt) return null;
    const key = `repeats ${JSON.stringify([session, turn])}`;
    const remaining = Number.POSITIVE_INFINITY;
    return this.#turns.take(key, () => ({ key, counts: new Map(), hasResult: false, remaining }));
  }

  /** Returns the number of equal calls of a turn, this call included. A resumed call counts once. */
  async #count(turn: Turn, event: EventData): Promise<number> {
    const also = { key: `${turn.key} ${digestOf(event)}`, count: event["resumed"] === true ? 0 : 1 };
    return (await this.#countAlso?.(event, also)) ?? (await this.#add(also.key, also.count));
  }

  /** Whether a tool of the turn has returned, here or at another server. */
  async #hasResult(turn: Turn): Promise<boolean> {
    return (turn.hasResult ||= (await this.#add(turn.key, 0)) > 0);
  }

  /** Stores that a first result exists before it is returned, because the next call may come to another server. */
  async #noteResult(turn: Turn): Promise<void> {
    if (turn.hasResult) return;
    turn.hasResult = true;
    await this.#add(turn.key, 1);
  }

  async #add(key: string, more: number): Promise<number> {
    const store = (this.#host.get("work-store") as WorkStore | null) ?? this.#memory;
    return (await store.count(key, { count: more, amount: 0, at: systemClock.now() })).count;
  }
}

function digestOf(event: EventData): string {
  return hash("sha256", callSignature(String(event["tool_name"]), event["tool_input"]), "base64url");
}

/**
 * Returns a text that equal calls share: the name, and the arguments as JSON with sorted keys, or trimmed if they are a text
 * that is not JSON. Case makes no difference.
 */
export function callSignature(name: string, given: unknown): string {
  return `${name}\n${typeof given === "string" ? ofText(given) : (JSON.stringify(sorted(given)) ?? "")}`.toLowerCase();
}

function ofText(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return text.trim();
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fold = (key: string) => key.toLowerCase();
  const members = Object.entries(value).toSorted(([a], [b]) =>
    fold(a) < fold(b) ? -1 : fold(a) > fold(b) ? 1 : 0,
  );
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}

const finish = "This is the last step of the turn: answer now with what you have.";

interface SuppressedTool {
  readonly name: string;
  readonly outputSchema: ToolInfo["outputSchema"] | undefined;
}

/** Returns the answer that replaces a result. It is a failure if the tool declares an `outputSchema`. */
function suppressed({ name: tool, outputSchema }: SuppressedTool, { remaining }: Turn) {
  const guidance = [
    "This call was made before in this turn with the same arguments; its result is above. Use it, or call with other arguments.",
    ...(remaining <= 1 ? [finish] : []),
  ].join(" ");
  const facts = { suppressed: true, reason: "repeat_tool_call_detected", tool, guidance };
  return outputSchema === undefined
    ? data(facts)
    : failure(guidance, { code: "CALL_REPEATED", details: facts });
}

function warned(result: ToolResult, count: number, { remaining }: Turn): HookResult {
  const warning = `the same call was made ${count} times in this turn; its result will not change`;
  const warnings = [...(result.warnings ?? []), warning, ...(remaining <= 1 ? [finish] : [])];
  return { action: "modify", data: { tool_result: { ...result, warnings } } };
}
