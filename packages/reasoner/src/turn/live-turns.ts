import type { Coordinator, EventData } from "@toolmount/core";
import { matchesGlobs } from "@toolmount/core/text";

/** Facts of one running turn that decide which calls it may make. */
export interface LiveTurn {
  /** Names of the tools that were offered with the request whose calls run now. */
  offered: ReadonlySet<string>;
  /** Lists of globs; a tool is allowed if every list admits it. A sub-agent also has those of its parents. */
  readonly allowed: readonly (readonly string[])[];
  /** Ids of the turn's runs that an approver denied. Those that a hook or a policy denied are not included. */
  readonly deniedByPerson: Set<string>;
  /** Names of the tools that may run twice without harm. */
  readonly idempotent: ReadonlySet<string>;
  /** The number of the user's messages that are being stored. */
  adding: number;
  /** Whether the turn takes no further messages, because its end is being stored. */
  isOver: boolean;
}

/** Running turns of this process, by session and turn. */
export class LiveTurns {
  readonly #turns = new Map<string, LiveTurn>();

  begin(sessionId: string, turnId: string, facts: Pick<LiveTurn, "allowed" | "idempotent">): LiveTurn {
    const own = { offered: new Set<string>(), deniedByPerson: new Set<string>(), adding: 0, isOver: false };
    const turn: LiveTurn = { ...own, ...facts };
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

/** Stores a message of the user. The turn does not end before it is stored. */
export async function whileAdding(turn: LiveTurn, store: () => Promise<void>): Promise<void> {
  turn.adding++;
  try {
    await store();
  } finally {
    turn.adding--;
  }
}

function key(sessionId: string, turnId: string): string {
  return `${sessionId}\n${turnId}`;
}

/** Tests whether every list has a glob that includes the tool, and no glob that excludes it. */
export function admits(lists: readonly (readonly string[])[], name: string): boolean {
  return lists.every((globs) => matchesGlobs(globs, name));
}

/**
 * Adds a gate: a model may call only offered tools, and a sub-agent only tools that its parent may also call. For calls that
 * tools make, only the second rule applies. A refused call gets the status `denied`.
 */
export function guardTurns(turns: LiveTurns, hooks: Coordinator["hooks"]): void {
  hooks.gate(
    "tool:pre",
    (_, event) => {
      const turn = turns.find(event);
      if (turn === undefined) return undefined;
      const name = String(event["tool_name"]);
      if (!admits(turn.allowed, name)) return deny(`"${name}" is not one of the tools of this agent`);
      if (event["parent_id"] !== undefined || turn.offered.has(name)) return undefined;
      return deny(`"${name}" is not offered now; use one of the offered tools`);
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
