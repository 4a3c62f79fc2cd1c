import { randomUUID } from "node:crypto";
import { ownSession, ToolmountError, type Coordinator, type SessionStore } from "@toolmount/core";
import type { Settings } from "./config/settings.ts";
import type { SessionSummary, TurnHost } from "./reasoner-types.ts";
import type { TurnRunner } from "./run-turn.ts";
import type { SessionAccess } from "./session-access.ts";
import { summaryOf } from "./session-summary.ts";
import { readEntry, stillOpen } from "./session/log.ts";
import type { SessionEntry } from "./session/entry.ts";
import { fold } from "./session/fold.ts";
import { createView, type SessionView } from "./session/view.ts";

/** Copies a session without its open turn or, with `at`, as it was after its first `at` turns. */
export async function forkSession(
  { hooks }: Coordinator,
  access: SessionAccess,
  host: TurnHost,
  given: {
    readonly id: string;
    readonly newId: string | undefined;
    readonly userId: string | undefined;
    readonly at: number | undefined;
    readonly prices: Settings["prices"];
  },
): Promise<SessionSummary> {
  const { userId, at, prices } = given;
  const id = ownSession(userId, given.id);
  const { view, facts } = await access.open(id);
  access.requireOwner(facts, userId);
  const past = at === undefined ? view : await viewAfter(access.store(), id, at);
  const { items, state } = past.turn?.before ?? past;
  const owner = userId ?? facts.userId;
  const newId = ownSession(owner, given.newId ?? randomUUID());
  const own = { ...facts, id: newId, parentId: null, userId: owner };
  const log = await access.create(own);
  const words = { prompts: [...past.prompts], sources: [...view.sources, id] };
  await log.append({ kind: "base", items: [...items], state, from: id, ...words });
  await log.save();
  await hooks.emit("session:fork", { session_id: newId, parent_id: id });
  host.session(newId).restore(state);
  return summaryOf((await access.store().load(newId))!, prices);
}

/** Removes the last turns from the conversation. The log keeps them, and what their calls changed stays changed. */
export async function rewindSession(
  access: SessionAccess,
  runner: Pick<TurnRunner, "requireIdle">,
  host: TurnHost,
  given: {
    readonly id: string;
    readonly turns: number;
    readonly userId: string | undefined;
    readonly prices: Settings["prices"];
  },
): Promise<SessionSummary> {
  const { turns, userId, prices } = given;
  const id = ownSession(userId, given.id);
  runner.requireIdle(id);
  const log = await access.open(id);
  access.requireOwner(log.facts, userId);
  if (log.view.turn !== null) throw stillOpen(id);
  const kept = log.view.turns - turns;
  const { items, state, prompts } = await viewAfter(access.store(), id, kept);
  await log.append({ kind: "rewound", turns: kept, items: [...items], prompts: [...prompts], state });
  await log.save();
  host.session(id).restore(state);
  access.remember(log);
  return summaryOf((await access.store().load(id))!, prices);
}

/**
 * Returns the session as it was after its first `turns` turns, where removed turns do not count. Items that a later compaction
 * left out are included. Throws `OPTION_INVALID` if the session has fewer turns.
 */
async function viewAfter(store: SessionStore, id: string, turns: number): Promise<SessionView> {
  const entries = (await store.entries(id)).map(({ sequence, entry }) => readEntry(id, sequence, entry));
  const begins = beginsOf(entries);
  if (!Number.isInteger(turns) || turns < 0 || turns > begins.length) {
    const problem = `the session has ${begins.length} turns, and ${turns} cannot be kept`;
    throw new ToolmountError("OPTION_INVALID", { option: "turns", problem });
  }
  const view = createView();
  for (const entry of entries.slice(0, begins[turns] ?? entries.length)) fold(view, entry);
  return view;
}

/** Returns the indexes of the entries with which turns begin. Removed turns are left out. */
function beginsOf(entries: readonly SessionEntry[]): readonly number[] {
  const begins: number[] = [];
  for (const [at, entry] of entries.entries()) {
    if (entry.kind === "begin") begins.push(at);
    if (entry.kind === "rewound") begins.length = entry.turns;
  }
  return begins;
}
