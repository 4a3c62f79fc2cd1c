import type { Json, JsonObject } from "@toolmount/core";
import { z } from "zod";
import type { Item } from "./items.ts";

const item = z.custom<Item>(isRecord);
const usage = z.object({
  requests: z.number(),
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
});
const state = z.custom<JsonObject>(isRecord);
const waitsFor = z.enum(["approval", "client", "run"]);

/** One line of a session's log. The log is the session: what it has, its turn under way too, is read from here. */
export const entrySchema = z.discriminatedUnion("kind", [
  /** Everything before a fork, or kept by whoever compacted. */
  z.object({ kind: z.literal("base"), items: z.array(item), state, from: z.string().optional() }),
  z.object({ kind: z.literal("begin"), turnId: z.string(), traceparent: z.string(), prompt: z.string() }),
  z.object({ kind: z.literal("note"), items: z.array(item), state: state.optional() }),
  z.object({
    kind: z.literal("answer"),
    items: z.array(item),
    responseId: z.string().nullable(),
    usage,
    inputTokens: z.number(),
  }),
  /** These calls may run from here on. */
  z.object({ kind: z.literal("started"), group: z.string(), callIds: z.array(z.string()) }),
  z.object({
    kind: z.literal("output"),
    callId: z.string(),
    item,
    status: z.string(),
    notes: z.array(item).optional(),
    state: state.optional(),
  }),
  z.object({
    kind: z.literal("waits"),
    callId: z.string(),
    tool: z.string(),
    ticket: z.string(),
    waitsFor,
    arguments: z.custom<Json>(),
  }),
  z.object({ kind: z.literal("child"), sessionId: z.string(), agent: z.string(), usage, calls: z.number() }),
  z.object({ kind: z.literal("compacted"), items: z.array(item) }),
  z.object({
    kind: z.literal("end"),
    status: z.enum(["done", "cancelled", "failed"]),
    text: z.string(),
    code: z.string().optional(),
    state,
  }),
]);

export type SessionEntry = z.output<typeof entrySchema>;

/** What a call waits for. */
export type WaitsFor = z.output<typeof waitsFor>;

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
