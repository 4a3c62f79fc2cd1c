import type { Json, JsonObject } from "@toolmount/core";
import { z } from "zod";
import type { Item } from "../provider/items.ts";

const item = z.custom<Item>(isRecord);
const usage = z.object({
  requests: z.number(),
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
});
const state = z.custom<JsonObject>(isRecord);
/** Milliseconds that the turn had been at work when this was written. */
const ms = z.number().optional();
const waitsFor = z.enum(["approval", "client", "run"]);

/** One line of a session's log. The log is the session: what it has, its turn under way too, is read from here. */
export const entrySchema = z.discriminatedUnion("kind", [
  /** Everything before a fork, or kept by whoever compacted. */
  z.object({ kind: z.literal("base"), items: z.array(item), state, from: z.string().optional() }),
  z.object({
    kind: z.literal("begin"),
    turnId: z.string(),
    traceparent: z.string(),
    prompt: z.string(),
    /** What was changed before the turn, too: the mode, what was activated. */
    state: state.optional(),
  }),
  z.object({ kind: z.literal("note"), items: z.array(item), state: state.optional() }),
  z.object({
    kind: z.literal("answer"),
    items: z.array(item),
    responseId: z.string().nullable(),
    usage,
    inputTokens: z.number(),
    ms,
  }),
  /** These calls may run from here on. */
  z.object({ kind: z.literal("started"), group: z.string(), callIds: z.array(z.string()), ms }),
  z.object({
    kind: z.literal("output"),
    callId: z.string(),
    item,
    status: z.string(),
    notes: z.array(item).optional(),
    state: state.optional(),
    ms,
  }),
  z.object({
    kind: z.literal("waits"),
    callId: z.string(),
    tool: z.string(),
    ticket: z.string(),
    waitsFor,
    arguments: z.custom<Json>(),
    ms,
  }),
  /** A child began, or has ended its turn, and used this much more. */
  z.object({
    kind: z.literal("child"),
    sessionId: z.string(),
    agent: z.string(),
    usage,
    calls: z.number(),
    /** The call that began it; when its process ends, the call gets the same child. */
    callId: z.string().optional(),
    /** At the beginning: what the child had before it. */
    before: z.object({ turns: z.number(), calls: z.number(), usage }).optional(),
  }),
  /** The call of this number, of those that a mode asks for when it is entered, may run from here on. */
  z.object({ kind: z.literal("step"), mode: z.string(), at: z.number() }),
  /** It ran, with what it gave the model, or with why the mode is not ready. */
  z.object({
    kind: z.literal("stepped"),
    mode: z.string(),
    at: z.number(),
    items: z.array(item),
    failure: z.string().nullable(),
    state,
  }),
  /** All that there was to run has. */
  z.object({ kind: z.literal("entered"), items: z.array(item), state }),
  z.object({ kind: z.literal("compacted"), items: z.array(item) }),
  z.object({
    kind: z.literal("end"),
    status: z.enum(["done", "cancelled", "failed"]),
    text: z.string(),
    code: z.string().optional(),
    message: z.string().optional(),
    state,
  }),
]);

export type SessionEntry = z.output<typeof entrySchema>;

/** What a call waits for. */
export type WaitsFor = z.output<typeof waitsFor>;

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
