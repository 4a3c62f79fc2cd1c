import type { Json, JsonObject } from "@toolmount/core";
import { z } from "zod";
import type { Item } from "../provider/items.ts";
import { authoredText } from "./author.ts";

const item = z.custom<Item>(isRecord);
const usage = z.object({
  requests: z.number(),
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
});
const state = z.custom<JsonObject>(isRecord);
/** Milliseconds that the turn had worked when the entry was written. */
const ms = z.number().optional();
const waitsFor = z.enum(["approval", "client", "run", "agent"]);
const endStatus = z.enum(["done", "incomplete", "cancelled", "failed"]);

/** One entry of a session's log. The log is the session: its conversation and its open turn are read from it. */
export const entrySchema = z.discriminatedUnion("kind", [
  /** The first entry of a copied session: the items of the original. */
  z.object({
    kind: z.literal("base"),
    items: z.array(item),
    state,
    from: z.string().optional(),
    prompts: z.array(z.string()).optional(),
    sources: z.array(z.string()).optional(),
  }),
  z.object({
    kind: z.literal("begin"),
    turnId: z.string(),
    traceparent: z.string(),
    prompt: z.string(),
    /** Who wrote the parts of the prompt; absent when the user typed all of it. */
    parts: z.array(authoredText).readonly().optional(),
    images: z.array(z.object({ mimeType: z.string(), data: z.string() })).optional(),
    /** The session's state at the start: its mode and its activated tools. */
    state: state.optional(),
  }),
  z.object({ kind: z.literal("note"), items: z.array(item), state: state.optional() }),
  /** The turn continues. The items say why the last answer cannot be used, or they are what the user wrote during the turn. */
  z.object({ kind: z.literal("again"), items: z.array(item), byUser: z.boolean().optional() }),
  /** A message that the user wrote while the turn ran. It joins the conversation between two rounds. */
  z.object({
    kind: z.literal("message"),
    text: z.string(),
    parts: z.array(authoredText).readonly().optional(),
    id: z.string().optional(),
  }),
  z.object({
    kind: z.literal("answer"),
    items: z.array(item),
    responseId: z.string().nullable(),
    usage,
    inputTokens: z.number(),
    /** Why the answer was cut: `max_output_tokens`, `content_filter`, … */
    incomplete: z.string().nullable().optional(),
    ms,
  }),
  /** From this entry on, these calls may have run. */
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
    /** The id with which the call is resumed; empty for a call that waits for its sub-agent, because that call is made again. */
    ticket: z.string(),
    waitsFor,
    arguments: z.custom<Json>(),
    /** Whether the question was on an approver's screen when the entry was written. */
    asking: z.boolean().optional(),
    ms,
  }),
  /** A sub-agent began, paused or ended its turn. `usage` and `calls` are what it used since the last entry of this kind. */
  z.object({
    kind: z.literal("child"),
    sessionId: z.string(),
    agent: z.string(),
    usage,
    calls: z.number(),
    /** The call that began or resumed the sub-agent. If the call is made again, it gets the same session. */
    callId: z.string().optional(),
    /** While the sub-agent's turn is open: the turns before it, and the calls and usage that the parent has counted. */
    before: z.object({ turns: z.number(), calls: z.number(), usage }).optional(),
  }),
  /** From this entry on, the bootstrap step with this number may have run. */
  z.object({ kind: z.literal("step"), mode: z.string(), at: z.number() }),
  /** The step has run. `items` are for the model; `failure` says why the mode is not ready, and is null after a success. */
  z.object({
    kind: z.literal("stepped"),
    mode: z.string(),
    at: z.number(),
    items: z.array(item),
    failure: z.string().nullable(),
    state,
  }),
  /** The bootstrap steps of the mode have ended: all of them ran, or one failed. */
  z.object({ kind: z.literal("entered"), items: z.array(item), state }),
  /** From this entry on, these items are the conversation. */
  z.object({
    kind: z.literal("compacted"),
    items: z.array(item),
    /** The model's summary of the items that were left out, and its usage. */
    summary: z.string().optional(),
    usage: usage.optional(),
  }),
  /** From this entry on, only the beginning of the outputs of these calls is sent. The log keeps the complete outputs. */
  z.object({ kind: z.literal("cleared"), callIds: z.array(z.string()) }),
  /** The server refused a conversation of this size as too long. */
  z.object({ kind: z.literal("refused"), tokens: z.number() }),
  /** A model's server refused these parts, named by digest; null for all images. `rule`: it refused schemas or ids of calls. */
  z.object({
    kind: z.literal("refused_parts"),
    provider: z.string(),
    model: z.string(),
    digests: z.array(z.string()).nullable(),
    rule: z.enum(["schema", "call_id"]).optional(),
  }),
  /** The session returns to the end of its first `turns` turns; the items and the state are those of that moment. */
  z.object({
    kind: z.literal("rewound"),
    turns: z.number(),
    items: z.array(item),
    /** The user's messages in those turns. */
    prompts: z.array(z.string()),
    state,
  }),
  z.object({
    kind: z.literal("end"),
    status: endStatus,
    text: z.string(),
    code: z.string().optional(),
    message: z.string().optional(),
    state,
  }),
]);

export type SessionEntry = z.output<typeof entrySchema>;

/** A call waits for an approver, for the client, for another process that runs it, or for its sub-agent. */
export type WaitsFor = z.output<typeof waitsFor>;

/** How a turn ended. `incomplete`: the model's last answer was cut. */
export type EndStatus = z.output<typeof endStatus>;

/** `open` means that a turn has not ended: it runs, waits, or its process is gone. */
export type SessionStatus = "open" | EndStatus;

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
