import type { Coordinator, EventData } from "@toolmount/core";
import { matchesGlob } from "@toolmount/core/match-arguments";

/** What one turn under way may call. */
export interface LiveTurn {
  /** Names that were offered with the request whose calls run now. */
  offered: ReadonlySet<string>;
  /** Lists of globs that each have to admit a tool; a child has those of its parents. */
  readonly allowed: readonly (readonly string[])[];
  /** Runs of this turn that were denied by a person, not by a hook or a policy. */
  readonly deniedByPerson: Set<string>;
  /** Tools that do no harm when they run twice. */
  readonly idempotent: ReadonlySet<string>;
}

/** Turns under way in this process, by session and turn. */
export class LiveTurns {
  readonly #turns = new Map<string, LiveTurn>();

  begin(sessionId: string, turnId: string, facts: Pick<LiveTurn, "allowed" | "idempotent">): LiveTurn {
    const turn: LiveTurn = { offered: new Set(), deniedByPerson: new Set(), ...facts };
    this.#turns.set(key(sessionId, turnId), turn);
    return turn;
  }

  end(sessionId: string, turnId: string): void {
    this.#turns.delete(key(sessionId, turnId));
  }

  find({ session_id: session, turn_id: turn }: EventData): LiveTurn | undefined {
    return this.#turns.get(key(String(session), String(turn)));
  }
}

function key(sessionId: string, turnId: string): string {
  return `${sessionId}\n${turnId}`;
}

/** Whether every list has a glob for a tool, and none that takes it out. */
export function admits(lists: readonly (readonly string[])[], name: string): boolean {
  return lists.every(
    (globs) =>
      globs.some((glob) => !glob.startsWith("!") && matchesGlob(glob, name)) &&
      !globs.some((glob) => glob.startsWith("!") && matchesGlob(glob.slice(1), name)),
  );
}

/**
 * A model may call what it was offered, and a child never more than its parent; calls that tools make are held to what
 * is allowed, too. The gate is part of the one path of a call, so a refusal is an outcome like any other.
 */
export function guardTurns(turns: LiveTurns, hooks: Coordinator["hooks"]): void {
  hooks.gate(
    "tool:pre",
    (_, event) => {
      const turn = turns.find(event);
      if (turn === undefined) return undefined;
      const name = String(event["tool_name"]);
      if (!admits(turn.allowed, name)) return deny(`"${name}" is not among the tools of this agent`);
      if (event["parent_id"] !== undefined || turn.offered.has(name)) return undefined;
      return deny(`"${name}" is not offered now; use the tools that are listed`);
    },
    { name: "offered tools", priority: -100 },
  );
  hooks.observe("tool:error", (_, event) => {
    if (event["phase"] === "approve") turns.find(event)?.deniedByPerson.add(String(event["run_id"]));
  });
}

function deny(reason: string) {
  return { action: "deny" as const, reason };
}
