import { ToolmountError, type SessionStore } from "@toolmount/core";
import type { SessionEntry } from "./entry.ts";
import { fold } from "./fold.ts";
import { readEntry } from "./log.ts";
import { createView, type SessionView } from "./view.ts";

/**
 * The session as it was after its first `turns` turns; turns that were removed do not count. Also what a compaction left
 * out later is in it. Throws `OPTION_INVALID` when the session has fewer turns.
 */
export async function viewAfter(store: SessionStore, id: string, turns: number): Promise<SessionView> {
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

/** Where each turn begins that was not removed. */
function beginsOf(entries: readonly SessionEntry[]): readonly number[] {
  const begins: number[] = [];
  for (const [at, entry] of entries.entries()) {
    if (entry.kind === "begin") begins.push(at);
    if (entry.kind === "rewound") begins.length = entry.turns;
  }
  return begins;
}
