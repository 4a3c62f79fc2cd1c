import {
  data,
  defineTool,
  failure,
  isToolInterrupt,
  type Json,
  type ListAgents,
  type Spawn,
  type SpawnRequest,
  type SpawnResult,
  type ToolContext,
} from "@toolmount/core";
import { z } from "zod";
import type { DelegateSettings } from "./config.ts";
import { describeFailure } from "./failures.ts";
import { usage } from "./usage.ts";

/** Events that the tool emits. */
export type DelegateEvent =
  | "delegate:agent_spawned"
  | "delegate:agent_resumed"
  | "delegate:agent_completed"
  | "delegate:agent_cancelled"
  | "delegate:error";

/** Services of the host that the tool uses; they are looked up at each call of the tool. */
export interface DelegateServices {
  readonly spawn: Spawn | null;
  readonly resume: Spawn | null;
  readonly agents: ReturnType<ListAgents>;
  emit?(event: DelegateEvent, fields: Readonly<Record<string, Json>>): void;
}

const schema = z.strictObject({
  instruction: z.string().describe("The agent's task, with everything it needs to know"),
  agent: z.string().optional().describe("The agent's name, or self; omit it only if session_id is given"),
  session_id: z.string().optional().describe("Resumes this session instead of starting one"),
  context_depth: z
    .enum(["none", "recent", "all"])
    .default("recent")
    .describe("How much of this conversation the agent gets"),
  context_scope: z
    .enum(["conversation", "agents", "full"])
    .default("conversation")
    .describe("Which part of it: messages, also results of agents, or also results of all tools"),
  context_turns: z.int().min(1).max(10).default(5).describe("The number of turns that recent selects"),
});

const outputSchema = z.strictObject({
  response: z.string(),
  session_id: z.string(),
  agent: z.string(),
  turn_count: z.int(),
  status: z.enum(["done", "incomplete", "paused", "cancelled", "failed"]),
  metadata: z.strictObject({ requests: z.int(), calls: z.int(), error: z.string().nullable() }),
});

type Arguments = z.output<typeof schema>;

/** Makes the tool `delegate`, which gives a task to an agent in a separate session, by the registered `session.spawn`. */
export function createDelegate(settings: DelegateSettings, services: DelegateServices) {
  return defineTool({
    name: "delegate",
    description: describe(services.agents),
    summary: "Hands a task to an agent in a session of its own.",
    usage,
    schema,
    outputSchema,
    category: "side_effect",
    control: [],
    content: ["instruction"],
    consequenceLevel: "medium",
    requiresConfirmation: false,
    timeout: 0,
    tags: ["agents"],
    version: "1.0.0",
    async execute(given, context) {
      const problem = refuse(given, settings, services);
      if (problem !== null) return problem;
      const isNew = isBlank(given.session_id);
      const spawn = (isNew ? services.spawn : services.resume)!;
      const ids = idsOf(context);
      const limit = timeLimit(settings);
      try {
        services.emit?.(isNew ? "delegate:agent_spawned" : "delegate:agent_resumed", {
          ...ids,
          agent: given.agent ?? null,
          context_depth: given.context_depth,
          context_scope: given.context_scope,
          ...(isNew ? {} : { child_session_id: given.session_id! }),
        });
        const signal = limit === null ? context.abortSignal : AbortSignal.any([context.abortSignal, limit]);
        const child = await spawn(requestOf(given, settings, context, signal));
        const isLate =
          child.turn.status === "cancelled" && limit?.aborted === true && !context.abortSignal.aborted;
        if (isLate) {
          services.emit?.("delegate:error", { ...ids, agent: child.agent, code: "DELEGATION_TIMED_OUT" });
          return timedOut(child, settings.settings.timeout!);
        }
        const isCancelled = child.turn.status === "cancelled";
        services.emit?.(isCancelled ? "delegate:agent_cancelled" : "delegate:agent_completed", {
          ...ids,
          agent: child.agent,
          child_session_id: child.sessionId,
          status: child.turn.status,
        });
        return answer(child);
      } catch (error) {
        // If the agent waits for a person, this call waits, too, and is made again when its turn is resumed.
        if (isToolInterrupt(error)) throw error;
        const { text, code } = describeFailure(error, given.session_id);
        services.emit?.("delegate:error", { ...ids, agent: given.agent ?? null, code });
        return failure(text, { code });
      }
    },
  });
}

function describe(agents: DelegateServices["agents"]): string {
  const base =
    "Hands a task to an agent in a session of its own and returns its answer. Use for work that takes many steps and fits one instruction; not for work that one call does.";
  if (agents.length === 0) return base;
  return `${base} Agents: ${agents.map(({ name, description }) => `${name} (${description})`).join("; ")}.`;
}

function refuse(
  { instruction, agent, session_id: id }: Arguments,
  { features }: DelegateSettings,
  services: DelegateServices,
) {
  if (isBlank(instruction)) return failure("Instruction cannot be empty", { code: "INSTRUCTION_EMPTY" });
  if (!isBlank(id)) {
    if (!features.session_resume.enabled)
      return failure("Session resumption is disabled", { code: "SESSION_RESUME_DISABLED" });
    if (services.resume !== null) return null;
    return failure("Session resumption not available. App layer must register 'session.resume' capability.", {
      code: "RESUME_UNAVAILABLE",
    });
  }
  if (isBlank(agent))
    return failure("Agent name required for new delegation (or provide session_id to resume)", {
      code: "AGENT_REQUIRED",
    });
  if (agent === "self" && !features.self_delegation.enabled)
    return failure("Self-delegation is disabled", { code: "SELF_DELEGATION_DISABLED" });
  if (services.spawn === null)
    return failure("Session spawning not available. App layer must register 'session.spawn' capability.", {
      code: "SPAWN_UNAVAILABLE",
    });
  const known = services.agents.map(({ name }) => name);
  if (agent === "self" || known.includes(agent!)) return null;
  return failure(
    `Agent '${agent!.slice(0, 100)}' not found. Available: ${known.join(", ") || "none but self"}`,
    {
      code: "AGENT_UNKNOWN",
    },
  );
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

function requestOf(
  given: Arguments,
  { features, settings }: DelegateSettings,
  context: ToolContext,
  abortSignal: AbortSignal,
): SpawnRequest {
  const turns = Math.min(given.context_turns, features.context_inheritance.max_turns);
  return {
    agent: isBlank(given.agent) ? undefined : given.agent,
    sessionId: isBlank(given.session_id) ? undefined : given.session_id,
    instruction: given.instruction,
    parentSessionId: context.sessionId ?? "",
    parentTurnId: context.turnId ?? "",
    parentCallId: context.callId,
    traceparent: context.traceparent,
    abortSignal,
    inherit:
      given.context_depth === "none" || !features.context_inheritance.enabled
        ? undefined
        : given.context_depth === "all"
          ? ("all" as const)
          : { turns },
    scope: given.context_scope,
    // The plan may mount this tool under another name, which is then excluded, too.
    exclude: [
      ...new Set(settings.exclude_tools.flatMap((name) => (isOwnName(name) ? [name, context.tool] : [name]))),
    ],
    maxSelfDepth: features.self_delegation.max_depth,
  };
}

/** Whether a name means this tool in a list of a plan: its own name, or that of its module in Amplifier. */
function isOwnName(name: string): boolean {
  return name === "delegate" || name === "tool-delegate";
}

function timedOut({ sessionId, agent }: SpawnResult, seconds: number) {
  return failure(
    `Agent '${agent}' timed out after ${seconds}s (delegate tool session-level timeout). Increase or disable the timeout in tool-delegate settings (settings.timeout) to allow longer-running agents. Its session is ${sessionId}.`,
    { code: "DELEGATION_TIMED_OUT" },
  );
}

function answer({ sessionId, agent, turns, turn }: SpawnResult) {
  return data({
    response: turn.text,
    session_id: sessionId,
    agent,
    turn_count: turns,
    status: turn.status,
    metadata: { requests: turn.iterations, calls: turn.calls, error: turn.error?.message ?? null },
  });
}

function timeLimit({ settings }: DelegateSettings): AbortSignal | null {
  return settings.timeout === undefined ? null : AbortSignal.timeout(settings.timeout * 1_000);
}

function idsOf({ callId, sessionId, turnId, parallelGroupId }: ToolContext): Readonly<Record<string, Json>> {
  return {
    tool_call_id: callId,
    session_id: sessionId ?? null,
    turn_id: turnId ?? null,
    parallel_group_id: parallelGroupId ?? null,
  };
}
