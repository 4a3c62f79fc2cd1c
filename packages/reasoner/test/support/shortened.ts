import { createMemoryStore } from "@toolmount/core";
import { settingsSchema } from "../../src/index.ts";
import type { estimateTokens } from "../../src/provider/estimate.ts";
import { readText } from "../../src/provider/items.ts";
import { SessionLog } from "../../src/session/log.ts";
import { compact } from "../../src/turn/compaction.ts";
import type { TurnState } from "../../src/turn/turn-state.ts";

export type Item = Parameters<typeof estimateTokens>[0][number];
const facts = { id: "s", parentId: null, userId: null, agent: null, depth: 0, allowed: [] };
export const user = (content: string): Item => ({ type: "message", role: "user", content });
export const said = (content: string): Item => ({ type: "message", role: "assistant", content });
export const note = (content: string): Item => ({ type: "message", role: "developer", content });
export const call = (id: string): Item => ({
  type: "function_call",
  call_id: id,
  name: "look",
  arguments: "{}",
});
export const output = (id: string, text = "x".repeat(4_000)): Item => ({
  type: "function_call_output",
  call_id: id,
  output: text,
});
export const round = (id: string): readonly Item[] => [call(id), output(id)];
const offer = { tools: [], available: [], guidance: "" } as never;

export interface Given {
  readonly compaction?: number | false;
  readonly keepTurns?: number;
  readonly contextTokens?: number;
  /** What the server counted, and of how many items. */
  readonly lastInputTokens?: number;
  readonly counted?: number;
  readonly refusedTokens?: number;
  /** What a gate answers. */
  readonly kept?: unknown;
  readonly isRefused?: boolean;
}

/** What is left of a conversation, without a summary, and what was reported. */
export async function shortened(items: readonly Item[], given: Given = {}) {
  const { compaction, keepTurns = 1, contextTokens, kept, isRefused = false, ...seen } = given;
  const log = await SessionLog.create(createMemoryStore().sessions, facts, () => 7);
  await log.append({ kind: "note", items: [...items] });
  Object.assign(log.view, seen);
  const settings = settingsSchema.parse({ model: "m", summary: false, keepTurns, compaction });
  const reported: unknown[] = [];
  const state = {
    log,
    settings,
    agent: null,
    model: {
      provider: "p",
      model: "m",
      contextTokens,
      abilities: { tools: true, parallelCalls: true, streaming: true, serverState: false },
    },
    ephemeral: [],
    ids: { session_id: "s" },
    emit: (event: object) => reported.push(event),
    coordinator: {
      hooks: {
        emit: async (name: string, data: object) => {
          const { items: _, ...rest } = data as { items?: unknown };
          reported.push([name, rest]);
          return {
            action: "continue",
            data: name === "context:pre_compact" && kept !== undefined ? { items: kept } : data,
          };
        },
      },
      logger: { warn: (...line: unknown[]) => reported.push(line) },
    },
  } as unknown as TurnState;
  const isShorter = await compact(state, offer, isRefused ? "refused" : "limit");
  const texts = log.view.items.map((one) => {
    const text = readText(one["content"]) || readText(one["output"]) || readText(one["name"]);
    return text.includes("[cleared to make room:") ? "(cleared)" : text;
  });
  return { isShorter, texts, reported, view: log.view };
}
