import { data, defineTool, failure, type Json, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import type { DelegateSettings } from "./config.ts";
import { describeFailure } from "./failures.ts";
import type { ChildTurn, DelegateEvent, Spawn } from "./services.ts";
import { usage } from "./usage.ts";

/** What the tool needs of its host; looked up when it is called. */
export interface DelegateServices {
  readonly spawn: Spawn | null;
  readonly resume: Spawn | null;
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  tell?(event: DelegateEvent, told: Readonly<Record<string, Json>>): void;
}

const schema = z.strictObject({
  instruction: z.string().describe("What the agent is to do, with everything it needs to know"),
  agent: z.string().optional().describe("The agent's name, or self; left out only with session_id"),
  session_id: z.string().optional().describe("Goes on with this session in place of beginning one"),
  context_depth: z
    .enum(["none", "recent", "all"])
    .default("recent")
    .describe("How much of this conversation the agent is told"),
  context_turns: z.int().min(1).max(10).default(5).describe("How many turns recent means"),
});

const outputSchema = z.strictObject({
  response: z.string(),
  session_id: z.string(),
  agent: z.string(),
  turn_count: z.int(),
  status: z.enum(["done", "paused", "cancelled", "failed"]),
  metadata: z.strictObject({ requests: z.int(), calls: z.int(), error: z.string().nullable() }),
});

type Arguments = z.output<typeof schema>;

/** Hands a task to an agent in a session of its own. Works through what registers `session.spawn`. */
export function createDelegate(settings: DelegateSettings, services: DelegateServices) {
  return defineTool({
    name: "delegate",
    description: describe(services.agents),
    summary: "Hands a task to an agent in a session of its own.",
    usage,
    schema,
    outputSchema,
    category: "side_effect",
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
      try {
        services.tell?.(isNew ? "delegate:agent_spawned" : "delegate:agent_resumed", {
          ...ids,
          agent: given.agent ?? null,
        });
        const child = await spawn(requestOf(given, settings, context));
        const isCancelled = child.turn.status === "cancelled";
        services.tell?.(isCancelled ? "delegate:agent_cancelled" : "delegate:agent_completed", {
          ...ids,
          agent: child.agent,
          child_session_id: child.sessionId,
          status: child.turn.status,
        });
        return answer(child, settings, context);
      } catch (error) {
        const { text, code } = describeFailure(error, given.session_id);
        services.tell?.("delegate:error", { ...ids, agent: given.agent ?? null, code });
        return failure(text, { code });
      }
    },
  });
}

function describe(agents: DelegateServices["agents"]): string {
  const base =
    "Hands a task to an agent in a session of its own and brings its answer back. Use for work that takes many steps and is told in one instruction; not for what one call does.";
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

function requestOf(given: Arguments, { features, settings }: DelegateSettings, context: ToolContext) {
  const turns = Math.min(given.context_turns, features.context_inheritance.max_turns);
  const signals = [
    context.abortSignal,
    ...(settings.timeout === undefined ? [] : [AbortSignal.timeout(settings.timeout * 1_000)]),
  ];
  return {
    agent: given.agent,
    sessionId: isBlank(given.session_id) ? undefined : given.session_id,
    instruction: given.instruction,
    parentSessionId: context.sessionId ?? "",
    parentTurnId: context.turnId ?? "",
    abortSignal: AbortSignal.any(signals),
    inherit:
      given.context_depth === "none"
        ? undefined
        : given.context_depth === "all"
          ? ("all" as const)
          : { turns },
    exclude: settings.exclude_tools,
  };
}

function answer(
  { sessionId, agent, turns, turn }: ChildTurn,
  { settings }: DelegateSettings,
  { abortSignal }: ToolContext,
) {
  if (turn.status === "cancelled" && !abortSignal.aborted && settings.timeout !== undefined)
    return failure(
      `Agent delegation took longer than ${settings.timeout} s (settings.timeout); its session is ${sessionId}`,
      { code: "DELEGATION_TIMED_OUT" },
    );
  return data({
    response: turn.text,
    session_id: sessionId,
    agent,
    turn_count: turns,
    status: turn.status,
    metadata: { requests: turn.iterations, calls: turn.calls, error: turn.error?.message ?? null },
  });
}

function idsOf({ callId, sessionId, turnId, parallelGroupId }: ToolContext): Readonly<Record<string, Json>> {
  return {
    tool_call_id: callId,
    session_id: sessionId ?? null,
    turn_id: turnId ?? null,
    parallel_group_id: parallelGroupId ?? null,
  };
}
