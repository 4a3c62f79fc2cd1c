import type { CallInfo, Json, JsonObject, RunnerModule, ToolOutcome } from "@toolmount/core";
import { z } from "zod";
import { describedTool, maxTools } from "./described-tool.ts";

/** What the host sends to a process, as one JSON text a line. */
export type HostMessage =
  | {
      readonly type: "mount";
      readonly module: RunnerModule;
      readonly folder: string;
      readonly protectedPaths: readonly string[];
      /** The host does not import the module: the process parses its config and arguments, and reports its tools. */
      readonly describe: boolean;
    }
  | {
      readonly type: "run";
      readonly runId: string;
      readonly tool: string;
      readonly info: CallInfo;
      readonly arguments: JsonObject;
      /** The session's values when the call starts. */
      readonly state: JsonObject;
    }
  | { readonly type: "abort"; readonly runId: string; readonly name: string; readonly message: string }
  | { readonly type: "called"; readonly id: number; readonly outcome: ToolOutcome }
  | { readonly type: "call-failed"; readonly id: number; readonly message: string };

const json = z.json() as z.ZodType<Json>;
const runId = z.string();

const thrownSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("error"),
    name: z.string(),
    message: z.string(),
    stack: z.string().optional(),
    code: z.string().optional(),
    details: z.record(z.string(), json).optional(),
    /** The question of a `ToolInterrupt`. */
    value: json.optional(),
  }),
  z.strictObject({ kind: z.literal("value"), of: z.string(), text: z.string() }),
]);

/** What a tool threw, as JSON. */
export type Thrown = z.output<typeof thrownSchema>;

/** What the tool's own schema says against the arguments of a call. */
const issue = z.strictObject({
  path: z.array(z.union([z.string(), z.number()])).max(64),
  message: z.string().max(500),
});

/** What a process sends to the host. The tool shares the process, so any member may be forged. */
export const farMessage = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("mounted"),
    keepsState: z.boolean(),
    tools: z.array(describedTool).max(maxTools).optional(),
  }),
  z.strictObject({ type: z.literal("refused"), problem: z.string(), config: z.boolean() }),
  z.strictObject({ type: z.literal("aborting"), runId }),
  z.strictObject({
    type: z.literal("progress"),
    runId,
    progress: z.strictObject({
      progress: z.number(),
      total: z.number().optional(),
      message: z.string().optional(),
    }),
  }),
  z.strictObject({
    type: z.literal("log"),
    runId,
    level: z.enum(["trace", "debug", "info", "warn", "error"]),
    fields: z.record(z.string(), z.unknown()),
    message: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal("call"),
    runId,
    id: z.int(),
    request: z.strictObject({
      id: z.string().optional(),
      name: z.string(),
      arguments: z.union([z.string(), z.record(z.string(), json)]).optional(),
    }),
  }),
  z.strictObject({ type: z.literal("set"), runId, key: z.string(), value: json }),
  z.strictObject({ type: z.literal("delete"), runId, key: z.string() }),
  z.strictObject({ type: z.literal("returned"), runId, value: z.unknown().optional() }),
  z.strictObject({ type: z.literal("threw"), runId, thrown: thrownSchema }),
  z.strictObject({ type: z.literal("invalid"), runId, issues: z.array(issue).min(1).max(50) }),
]);

/** A message of a process. */
export type FarMessage = z.output<typeof farMessage>;

/** A message about one run. */
export type RunMessage = Extract<FarMessage, { readonly runId: string }>;

/** Most bytes of one message. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** The descriptor on which both sides talk. */
export const channelDescriptor = 3;
