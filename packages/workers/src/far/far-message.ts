// The schemas of what a process sends. The process itself needs only their types, because it starts faster without Zod.
import type { Json } from "@toolmount/core";
import { refusalOf } from "@toolmount/core/json";
import { z } from "zod";
import { problemOf } from "./contributions.ts";
import { isMethodName, maxMethods, maxName } from "./crossing.ts";
import { describedTool, maxTools } from "./described-tool.ts";

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
    /** The failure as the tool's contract describes it, if the host has not imported the tool. */
    described: z.record(z.string(), json).optional(),
  }),
  z.strictObject({ kind: z.literal("value"), of: z.string(), text: z.string() }),
]);

const contribution = z
  .strictObject({ channel: z.string(), name: z.string(), value: z.unknown() })
  .refine(({ channel, name, value }) => problemOf(channel, name, value) === null, {
    error: "it is a contribution that only a module of the host can make",
  })
  .transform(({ value, ...rest }) => ({ ...rest, value: value as Json }));

const name = z.string().min(1).max(maxName);

const capability = z.strictObject({
  name,
  shape: z.strictObject({
    value: json,
    methods: z.array(z.string().refine(isMethodName)).max(maxMethods),
  }),
});

const hook = z.strictObject({
  id: z.int(),
  kind: z.enum(["gate", "observe"]),
  event: name,
  priority: z.number().optional(),
  timeoutMs: z.int().min(1).max(600_000).optional(),
  name: name.optional(),
});

/** A hook of a module in a process, as the process reports it. */
export type ReportedHook = z.output<typeof hook>;

/** A capability that a module in a process has registered, as the process reports it. */
export type ReportedCapability = z.output<typeof capability>;

/** Maximum number of hooks of one module, and of its capabilities. */
const maxHooks = 100;

/** Maximum number of contributions of one module. */
const maxContributions = 100;

/** What a tool threw, as JSON. */
export type Thrown = z.output<typeof thrownSchema>;

/** A fault that the tool's own schema finds in the arguments of a call. */
const issue = z.strictObject({
  path: z.array(z.union([z.string(), z.number()])).max(64),
  message: z.string().max(500),
});

/** Maximum number of arguments for a method of a capability. */
const maxArguments = 32;

/** A message from a process to the host. The tool runs in the same process, so any member may be forged. */
export const farMessage = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("mounted"),
    keepsState: z.boolean(),
    tools: z.array(describedTool).max(maxTools).optional(),
    contributions: z.array(contribution).max(maxContributions).optional(),
    hooks: z.array(hook).max(maxHooks).optional(),
    capabilities: z.array(capability).max(maxHooks).optional(),
  }),
  z.strictObject({ type: z.literal("refused"), problem: z.string(), config: z.boolean() }),
  z.strictObject({ type: z.literal("event"), event: z.string(), data: z.record(z.string(), json) }),
  z.strictObject({
    type: z.literal("use"),
    id: z.int(),
    name,
    method: name,
    arguments: z.array(json).max(maxArguments),
  }),
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
  z.strictObject({ type: z.literal("keep"), runId, id: z.int(), data: json }),
  z.strictObject({
    type: z.literal("keep-irreversible"),
    runId,
    id: z.int(),
    reason: z.string().max(10_000),
  }),
  z.strictObject({ type: z.literal("set"), runId, key: z.string(), value: json }),
  z.strictObject({ type: z.literal("delete"), runId, key: z.string() }),
  z.strictObject({ type: z.literal("returned"), runId, value: z.unknown().optional() }),
  z.strictObject({ type: z.literal("threw"), runId, thrown: thrownSchema }),
  z.strictObject({ type: z.literal("invalid"), runId, issues: z.array(issue).min(1).max(50) }),
]);

/** Any message that a process sends to the host. */
export type FarMessage = z.output<typeof farMessage>;

/** A message that belongs to one run of a call or to one question. */
export type RunMessage = Extract<FarMessage, { readonly runId: string }>;

/** Reads a message of a process. Returns the reason, as a text, if it is not a valid message. */
export function readFarMessage(text: string): FarMessage | string {
  const excess = refusalOf(text);
  if (excess !== null) return `it sent ${excess}`;
  const unknown = "it sent a message that the host does not know";
  try {
    const message: unknown = JSON.parse(text);
    const parsed = farMessage.safeParse(message);
    if (parsed.success) return parsed.data;
    const isReport = (message as { readonly type?: unknown } | null)?.type === "mounted";
    const { path, message: problem } = parsed.error.issues[0]!;
    return isReport ? `its report of its tools is not valid: ${path.join(".")}: ${problem}` : unknown;
  } catch {
    return unknown;
  }
}
