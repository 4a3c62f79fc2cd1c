import { randomBytes } from "node:crypto";
import {
  ToolInterrupt,
  ToolmountError,
  type Coordinator,
  type SpawnRequest,
  type SpawnResult,
} from "@toolmount/core";
import { changeSessionMode } from "@toolmount/core/sessions";
import { childBudgets, usageSince } from "./agents/child-budget.ts";
import { forwardTo } from "./child-events.ts";
import { isChildOf, modeRights, rightsOf, selfDepthOf } from "./agents/child-rights.ts";
import { noUsage } from "./provider/usage.ts";
import type { TurnHost, TurnOptions } from "./reasoner-types.ts";
import type { RunningTurn, TurnRunner } from "./run-turn.ts";
import type { SessionAccess } from "./session-access.ts";
import { pastTurn } from "./session-summary.ts";
import { inherited } from "./session/inherited.ts";
import { conflict, type SessionFacts, type SessionLog } from "./session/log.ts";
import type { ChildOfCall, SessionTotals } from "./session/view.ts";
import type { ChildWait } from "./session/waiting.ts";
import type { TurnResult } from "./turn/turn-types.ts";

/** Runs the turns of sub-agents for the running turns of their parents. */
export class Spawner {
  readonly #hooks: Coordinator["hooks"];
  readonly #access: SessionAccess;
  readonly #runner: TurnRunner;

  constructor({ hooks }: Coordinator, access: SessionAccess, runner: TurnRunner) {
    this.#hooks = hooks;
    this.#access = access;
    this.#runner = runner;
  }

  /**
   * Implements the capabilities `session.spawn` and `session.resume`. A sub-agent has at most the tokens and calls that its
   * parent has left, and is cancelled with it. If a sub-agent waits and the request names its call, this rejects with an
   * interrupt: the parent's turn pauses, and when it is resumed, the call is made again and resumes the sub-agent.
   */
  async spawn(request: SpawnRequest): Promise<SpawnResult> {
    const parent = this.#runner.find(request.parentSessionId);
    if (parent === undefined || parent.log.view.turn?.turnId !== request.parentTurnId)
      throw conflict(request.parentSessionId, "no turn of it runs that could begin another");
    const { calls } = parent.log.view.turn;
    const begun = calls.find(({ call }) => call.callId === request.parentCallId)?.child ?? null;
    if (begun !== null) return this.#spawnKnown(parent, request, begun);
    return request.sessionId === undefined
      ? this.#spawnNew(parent, request)
      : this.#spawnAgain(parent, request);
  }

  /** If the call ran before: returns the result of its sub-agent, or resumes the open turn of that sub-agent. */
  async #spawnKnown(
    parent: RunningTurn,
    request: SpawnRequest,
    { sessionId, before, ended }: ChildOfCall,
  ): Promise<SpawnResult> {
    const log = await this.#access.open(sessionId);
    this.#access.requireOwner(log.facts, parent.options.userId ?? parent.log.facts.userId);
    const agent = log.facts.agent ?? "self";
    const isOver = ended || (log.view.turn === null && log.view.turns > before.turns);
    if (!isOver) return this.#runChild(parent, log, request, agent, before);
    if (!ended) await countChild(parent, log, request, agent, before);
    const settings = this.#access.settingsFor(log.facts, parent.options);
    return { sessionId, agent, turns: log.view.turns, turn: pastTurn(log, settings) };
  }

  async #spawnNew(parent: RunningTurn, request: SpawnRequest): Promise<SpawnResult> {
    const name = request.agent ?? "self";
    if (name !== "self" && !Object.hasOwn(this.#access.agents, name))
      throw new ToolmountError("AGENT_NOT_FOUND", { agent: name, known: Object.keys(this.#access.agents) });
    const { facts } = parent.log;
    const depth = facts.depth + 1;
    requireDepth(parent, depth);
    const { maxSelfDepth } = request;
    if (name === "self" && maxSelfDepth !== undefined && selfDepthOf(facts.id) >= maxSelfDepth)
      throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", {
        budget: "levels of self-delegation",
        limit: maxSelfDepth,
      });
    const rights = await rightsOf(parent.host, parent.log, this.#access.agents[name], request.exclude ?? []);
    const child: SessionFacts = {
      id: `${facts.id}-${randomBytes(8).toString("hex")}_${name}`,
      parentId: facts.id,
      userId: parent.options.userId ?? facts.userId,
      agent: name === "self" ? facts.agent : name,
      depth,
      allowed: [...parent.allowed, ...rights],
    };
    return this.#runChild(parent, await this.#access.create(child), request, name, null);
  }

  async #spawnAgain(parent: RunningTurn, request: SpawnRequest): Promise<SpawnResult> {
    const log = await this.#access.open(request.sessionId!);
    const user = parent.options.userId ?? parent.log.facts.userId;
    const relation = isChildOf(log, parent.log, user, request);
    // Only the session that began a sub-agent may resume it.
    if (relation === "foreign")
      throw new ToolmountError("SESSION_NOT_FOUND", { session: request.sessionId! });
    if (relation === "other agent")
      throw conflict(log.facts.id, `its agent is "${log.facts.agent ?? "self"}"`);
    requireDepth(parent, log.facts.depth);
    return this.#runChild(parent, log, request, log.facts.agent ?? "self", null);
  }

  /** Runs the sub-agent's turn. `earlier`: if the call ran before, the totals that the parent's log already has. */
  async #runChild(
    parent: RunningTurn,
    log: SessionLog,
    request: SpawnRequest,
    agent: string,
    earlier: SessionTotals | null,
  ): Promise<SpawnResult> {
    const { id } = log.facts;
    const before = earlier ?? totalsOf(log);
    const budgets = childBudgets(parent, this.#access.settingsFor(log.facts, parent.options), log, before);
    parent.children.set(log, before);
    const release = await this.#attach(parent, log, request, agent, earlier === null ? before : null);
    try {
      const turn = await this.#runChildTurn(parent, log, request, budgets, before);
      await countChild(parent, log, request, agent, before, turn);
      if (turn.status === "paused" && request.parentCallId !== undefined)
        throw new ToolInterrupt(childWait(id, turn), `the sub-agent "${agent}" (session ${id}) waits`);
      return { sessionId: id, agent, turns: log.view.turns, turn };
    } finally {
      release();
      const ids = { session_id: id, parent_id: parent.log.facts.id };
      await this.#hooks.emit("session:end", ids);
    }
  }

  /** Writes the sub-agent's session to the parent's log, then prepares it. Returns a function that undoes the preparation. */
  async #attach(
    parent: RunningTurn,
    log: SessionLog,
    request: SpawnRequest,
    agent: string,
    before: SessionTotals | null,
  ): Promise<() => void> {
    const { host } = parent;
    const { id } = log.facts;
    const { parentCallId: callId } = request;
    const isNew = log.view.turns === 0;
    if (before !== null) {
      const entry = { kind: "child", sessionId: id, agent, usage: noUsage, calls: 0 } as const;
      await parent.log.append(callId === undefined ? entry : { ...entry, callId, before });
    }
    if (isNew) await this.#prepare(parent, log, request);
    const { cancellation } = host.session(id);
    cancellation.reset(); // an earlier cancellation does not stop the new instruction
    const unregister = host.session(parent.log.facts.id).cancellation.registerChild(cancellation);
    this.#runner.ceilings.set(id, [...parent.allowed, ...(await modeRights(host, parent.log))]);
    return () => {
      unregister();
      parent.children.delete(log);
      this.#runner.ceilings.delete(id);
    };
  }

  /** Gives a new sub-agent its mode, and as much of its parent's conversation as the request asks for. */
  async #prepare(
    { host, log: { view, facts } }: RunningTurn,
    log: SessionLog,
    request: SpawnRequest,
  ): Promise<void> {
    const base = inherited(view, request.inherit, request.scope ?? "conversation", agentTools(host));
    if (base !== null && log.length === 0) await log.append({ kind: "note", items: [base] });
    const mode = this.#access.agentOf(log.facts)?.mode ?? (await host.session(facts.id).mode());
    changeSessionMode(host.session(log.facts.id).state, mode);
  }

  /** Resumes the sub-agent's open turn, if it has one. Gives it the request's instruction, unless it already has that. */
  async #runChildTurn(
    { host, options, log: { facts } }: RunningTurn,
    log: SessionLog,
    request: SpawnRequest,
    budgets: ReturnType<typeof childBudgets>,
    before: SessionTotals,
  ): Promise<TurnResult> {
    const given: TurnOptions = {
      userId: options.userId,
      conversationId: options.conversationId ?? facts.id,
      traceparent: request.traceparent,
      rehearsal: options.rehearsal,
      abortSignal: request.abortSignal,
      settings: { ...options.settings, budgets },
      onEvent: forwardTo(options, log.facts, request),
    };
    const { turns, turn: open } = log.view;
    const isNew = turns === 0;
    const hasInstruction = turns > before.turns;
    if (open !== null) {
      await this.#access.restore(host, log);
      const turn = await this.#runner.resume(host, log, given);
      if (turn.status !== "done" || hasInstruction) return turn;
    }
    return this.#runner.start(host, log, { ...given, prompt: request.instruction }, isNew);
  }
}

/** Adds what the sub-agent used since `before` to the parent's log. */
async function countChild(
  parent: RunningTurn,
  { facts, view }: SessionLog,
  { parentCallId: callId }: SpawnRequest,
  agent: string,
  before: SessionTotals,
  turn?: TurnResult,
): Promise<void> {
  const isOpen = turn?.status === "paused";
  await parent.log.append({
    kind: "child",
    sessionId: facts.id,
    agent,
    usage: usageSince(view.usage, before.usage),
    calls: view.calls - before.calls,
    ...(callId !== undefined && { callId }),
    ...(isOpen && { before: { turns: before.turns, calls: view.calls, usage: view.usage } }),
  });
}

function requireDepth({ settings: { maxDepth: limit } }: RunningTurn, depth: number): void {
  if (depth > limit)
    throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget: "levels of delegation", limit });
}

function totalsOf({ view: { turns, calls, usage } }: SessionLog): SessionTotals {
  return { turns, calls, usage };
}

function childWait(sessionId: string, { waiting }: TurnResult): ChildWait {
  return { waitsFor: "agent", sessionId, waiting };
}

/** Returns the names of the tools with the tag `agents`, whose results are answers of agents. */
function agentTools(host: TurnHost): ReadonlySet<string> {
  return new Set(host.tools().flatMap(({ name, tags }) => (tags.includes("agents") ? [name] : [])));
}
