import { randomBytes, randomUUID } from "node:crypto";
import {
  createMemoryStore,
  systemClock,
  ToolmountError,
  type Clock,
  type Coordinator,
  type SessionRecord,
  type SessionStore,
  type Spawn,
  type SpawnRequest,
  type SpawnResult,
} from "@toolmount/core";
import { changeSessionMode } from "@toolmount/core/sessions";
import { requireAllowed } from "./provider/ask.ts";
import { isChildOf, modeRights, rightsOf, selfDepthOf } from "./agents/child-rights.ts";
import { checkClientResults } from "./turn/client-results.ts";
import { settingsSchema, type Agent, type Settings } from "./config.ts";
import { inherited } from "./session/inherited.ts";
import { guardTurns, LiveTurns } from "./turn/live-turns.ts";
import { createProvider } from "./provider/provider.ts";
import type {
  Reasoner,
  ResumeOptions,
  RunOptions,
  SessionDetails,
  SessionSummary,
  TurnHost,
  TurnOptions,
} from "./reasoner-types.ts";
import { conflict, SessionLog, type SessionFacts } from "./session/log.ts";
import type { ChildOfCall, SessionView } from "./session/view.ts";
import { leftAbove, spentOf, type Spender } from "./agents/shared-budget.ts";
import { Turn } from "./turn/turn.ts";
import { tracedTurn } from "./turn/trace.ts";
import type { ClientResult, TurnResult } from "./turn/turn-types.ts";
import { noUsage, tokensOf, type Usage } from "./provider/usage.ts";

/** What a reasoner is made with. */
export interface ReasonerOptions {
  readonly settings: Settings;
  readonly agents?: Readonly<Record<string, Agent>> | undefined;
  readonly clock?: Clock | undefined;
}

/** A turn under way in this process, for children that it begins. */
interface Running extends Spender {
  readonly host: TurnHost;
  readonly options: TurnOptions;
  /** Lists of globs, each of which a tool has to fit. */
  readonly allowed: readonly (readonly string[])[];
}

/** Makes a reasoner over what a coordinator has mounted; its gate holds the calls of turns to what was offered. */
export function createReasoner(
  coordinator: Coordinator,
  { settings, agents = {}, clock = systemClock }: ReasonerOptions,
): Reasoner & { readonly spawn: Spawn } {
  const memory = createMemoryStore().sessions;
  const turns = new LiveTurns();
  const running = new Map<string, Running>();
  /** What holds a child while its parent goes on with it, beside what always does. */
  const ceilings = new Map<string, readonly (readonly string[])[]>();
  /** Where the log of a session ended when this process last had it: up to there, its live state is right. */
  const known = new Map<string, number>();
  guardTurns(turns, coordinator.hooks);
  const store = () => (coordinator.get("session-store") as SessionStore | null) ?? memory;
  const now = () => clock.now();
  const hostId = coordinator.getCapability("host.id") ?? "";

  const open = async (id: string): Promise<SessionLog> => {
    const log = await SessionLog.open(store(), id, now);
    if (log === null) throw new ToolmountError("SESSION_NOT_FOUND", { session: id });
    return log;
  };

  /** Runs the open turn of a session, which nobody else of this process does at the same time. */
  const drive = async (
    host: TurnHost,
    log: SessionLog,
    options: TurnOptions,
    clientResults: readonly ClientResult[],
    traceparent: string | undefined,
  ): Promise<TurnResult> => {
    const { id } = log.facts;
    const agent = requireAgent(log.facts);
    const ofAgent = agent === null ? [] : [agent.tools];
    const allowed = [...log.facts.allowed, ...ofAgent, ...(ceilings.get(id) ?? [])];
    const effective = settingsFor(log.facts, options);
    const { turnId } = log.view.turn!;
    const idempotent = new Set(
      host
        .tools()
        .flatMap(({ name, idempotent: isSafe, category }) => (isSafe || category === "read" ? [name] : [])),
    );
    const live = turns.begin(id, turnId, { allowed, idempotent });
    const above = (log.facts.parentId === null ? null : running.get(log.facts.parentId)) ?? null;
    const own: Running = { host, log, settings: effective, options, allowed, ...spending(above) };
    running.set(id, own);
    above?.below.add(own);
    const tell = options.onEvent ?? (() => {});
    try {
      await countEarlier(log);
      const turn = new Turn({
        host,
        coordinator,
        clock,
        session: host.session(id),
        log,
        settings: effective,
        agent,
        provider: createProvider(effective),
        live,
        userId: options.userId ?? log.facts.userId ?? undefined,
        traceparent: traceparent ?? log.view.turn!.traceparent,
        hostId,
        leftAbove: (budget) => leftAbove(own, budget),
        abortSignal: options.abortSignal,
        tell,
      });
      const result = await turn.run(clientResults);
      tell({ type: "done", result });
      return result;
    } finally {
      running.delete(id);
      above?.below.delete(own);
      turns.end(id, turnId);
      known.set(id, log.length);
    }
  };

  /** What children used in a process that is gone is the parent's use, whether or not they go on. */
  const countEarlier = async (log: SessionLog) => {
    for (const { call, child } of log.view.turn?.calls ?? []) {
      if (child === null || child.ended) continue;
      const found = await SessionLog.open(store(), child.sessionId, now);
      if (found === null) continue; // it was removed: the call that goes on with it says so
      const { facts, view } = found;
      const { turns: had, calls, usage } = child.before;
      await log.append({
        kind: "child",
        sessionId: facts.id,
        agent: facts.agent ?? "self",
        usage: minus(view.usage, usage),
        calls: view.calls - calls,
        callId: call.callId,
        before: { turns: had, calls: view.calls, usage: view.usage },
      });
    }
  };

  /** Tells of a turn of a session while it runs; `began` is the trace context of its beginning when it goes on. */
  const traced = (
    { facts }: SessionLog,
    options: TurnOptions,
    turn: { readonly turnId: string; readonly began: string | null },
    act: (traceparent: string | undefined) => Promise<TurnResult>,
  ): Promise<TurnResult> => {
    const { traceparent, userId = facts.userId ?? undefined } = options;
    const effective = settingsFor(facts, options);
    const told = { hostId, facts, settings: effective, agent: agentOf(facts), userId, traceparent, now };
    return tracedTurn({ ...told, ...turn }, act);
  };

  /** Goes on with the open turn of a session, in the trace in which it began. */
  const goOn = (
    host: TurnHost,
    log: SessionLog,
    options: TurnOptions,
    clientResults: readonly ClientResult[] = [],
  ): Promise<TurnResult> => {
    const { turnId, traceparent: began } = log.view.turn!;
    return traced(log, options, { turnId, began }, (traceparent) =>
      drive(host, log, options, clientResults, traceparent),
    );
  };

  /** Another process may have gone on with the session since. Where sessions are kept, their state is, and is newer. */
  const restore = async (host: TurnHost, { view, facts: { id }, length }: SessionLog) => {
    if (coordinator.get("session-store") !== null) await host.session(id).load();
    else if (known.get(id) !== length) host.session(id).restore(view.state);
  };

  const agentOf = ({ agent }: SessionFacts): Agent | null =>
    agent !== null && Object.hasOwn(agents, agent) ? agents[agent]! : null;

  /** A session whose agent the plan has no more would be held by nothing that the plan says of it. */
  const requireAgent = (facts: SessionFacts): Agent | null => {
    const agent = agentOf(facts);
    if (agent === null && facts.agent !== null)
      throw new ToolmountError("AGENT_NOT_FOUND", { agent: facts.agent, known: Object.keys(agents) });
    return agent;
  };

  const settingsFor = (facts: SessionFacts, { settings: given = {} }: TurnOptions): Settings => {
    const agent = agentOf(facts);
    const ofAgent = { model: agent?.model, maxIterations: agent?.maxIterations, budgets: agent?.budgets };
    return settingsSchema.parse({ ...settings, ...defined(ofAgent), ...defined(given) });
  };

  /** A session of a user is, to another user, as one that is not there. Whoever names no user acts for its own. */
  const requireOwner = ({ id, userId: owner }: SessionFacts, userId: string | null | undefined) => {
    if (owner !== null && (userId ?? owner) !== owner)
      throw new ToolmountError("SESSION_NOT_FOUND", { session: id });
  };

  const requireIdle = (id: string) => {
    if (running.has(id)) throw conflict(id, "a turn of it is running");
  };

  const begin = async (
    host: TurnHost,
    log: SessionLog,
    options: RunOptions,
    isNew: boolean,
  ): Promise<TurnResult> => {
    const { view, facts } = log;
    if (view.turn !== null) throw conflict(facts.id, "a turn of it has not ended; resume it, or cancel it");
    requireIdle(facts.id);
    const { turns: limit } = settingsFor(facts, options).budgets;
    if (limit !== undefined && view.turns >= limit)
      throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget: "turns", limit });
    if (!isNew) await restore(host, log);
    const turnId = `turn_${randomUUID()}`;
    return traced(log, options, { turnId, began: null }, async (given) => {
      const traceparent = given ?? newTrace();
      const ids = { session_id: facts.id, ...(facts.parentId !== null && { parent_id: facts.parentId }) };
      await coordinator.hooks.emit(isNew ? "session:start" : "session:resume", ids);
      const answer = await coordinator.hooks.emit("prompt:submit", { ...ids, prompt: options.prompt });
      requireAllowed(answer, "the prompt");
      const state = host.session(facts.id).snapshot();
      await log.append({ kind: "begin", turnId, traceparent, prompt: options.prompt, state });
      await log.save();
      return drive(host, log, options, [], traceparent);
    });
  };

  const create = (facts: SessionFacts) => SessionLog.create(store(), facts, now);

  const spawn = async (request: SpawnRequest): Promise<SpawnResult> => {
    const parent = running.get(request.parentSessionId);
    if (parent === undefined || parent.log.view.turn?.turnId !== request.parentTurnId)
      throw conflict(request.parentSessionId, "no turn of it runs that could begin another");
    const { calls } = parent.log.view.turn;
    const begun = calls.find(({ call }) => call.callId === request.parentCallId)?.child ?? null;
    if (begun !== null) return spawnKnown(parent, request, begun);
    return request.sessionId === undefined ? spawnNew(parent, request) : spawnAgain(parent, request);
  };

  /** The call began it in a process that is gone: what the child did there is not done again. */
  const spawnKnown = async (
    parent: Running,
    request: SpawnRequest,
    { sessionId, before, ended }: ChildOfCall,
  ): Promise<SpawnResult> => {
    const log = await open(sessionId);
    requireOwner(log.facts, parent.options.userId ?? parent.log.facts.userId);
    const agent = log.facts.agent ?? "self";
    const isOver = ended || (log.view.turn === null && log.view.turns > before.turns);
    if (!isOver) return runChild(parent, log, request, agent, before);
    if (!ended) await countChild(parent, log, request, agent, before);
    return { sessionId, agent, turns: log.view.turns, turn: pastTurn(log) };
  };

  const spawnNew = async (parent: Running, request: SpawnRequest): Promise<SpawnResult> => {
    const name = request.agent ?? "self";
    if (name !== "self" && !Object.hasOwn(agents, name))
      throw new ToolmountError("AGENT_NOT_FOUND", { agent: name, known: Object.keys(agents) });
    const { facts } = parent.log;
    const depth = facts.depth + 1;
    if (depth > parent.settings.maxDepth)
      throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", {
        budget: "levels of delegation",
        limit: parent.settings.maxDepth,
      });
    const { maxSelfDepth } = request;
    if (name === "self" && maxSelfDepth !== undefined && selfDepthOf(facts.id) >= maxSelfDepth)
      throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", {
        budget: "levels of self-delegation",
        limit: maxSelfDepth,
      });
    const agent = agents[name];
    const rights = await rightsOf(parent.host, parent.log, agent, request.exclude ?? []);
    const child: SessionFacts = {
      id: `${facts.id}-${randomBytes(8).toString("hex")}_${name}`,
      parentId: facts.id,
      userId: parent.options.userId ?? facts.userId,
      agent: name === "self" ? facts.agent : name,
      depth,
      allowed: [...parent.allowed, ...rights],
    };
    return runChild(parent, await create(child), request, name, null);
  };

  /** What a child has from its beginning on. */
  const prepare = async ({ host, log: { view, facts } }: Running, log: SessionLog, request: SpawnRequest) => {
    const base = inherited(view, request.inherit, request.scope ?? "conversation", agentTools(host));
    if (base !== null && log.length === 0) await log.append({ kind: "note", items: [base] });
    const mode = agentOf(log.facts)?.mode ?? (await host.session(facts.id).mode());
    changeSessionMode(host.session(log.facts.id).state, mode);
  };

  /** What a child used since this call, or one like it in a process that is gone, began it. */
  const countChild = (
    parent: Running,
    { facts, view }: SessionLog,
    { parentCallId: callId }: SpawnRequest,
    agent: string,
    before: ChildOfCall["before"],
  ) =>
    parent.log.append({
      kind: "child",
      sessionId: facts.id,
      agent,
      usage: minus(view.usage, before.usage),
      calls: view.calls - before.calls,
      ...(callId !== undefined && { callId }),
    });

  const spawnAgain = async (parent: Running, request: SpawnRequest): Promise<SpawnResult> => {
    const log = await open(request.sessionId!);
    const user = parent.options.userId ?? parent.log.facts.userId;
    const relation = isChildOf(log, parent.log, user, request);
    // A child is only of use to the session that began it.
    if (relation === "foreign")
      throw new ToolmountError("SESSION_NOT_FOUND", { session: request.sessionId! });
    if (relation === "other agent")
      throw conflict(log.facts.id, `it is one of the agent "${log.facts.agent ?? "self"}"`);
    if (log.facts.depth > parent.settings.maxDepth)
      throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", {
        budget: "levels of delegation",
        limit: parent.settings.maxDepth,
      });
    return runChild(parent, log, request, log.facts.agent ?? "self", null);
  };

  /** A child has what is left of its parent: tokens, calls, time, and its cancellation. */
  const runChild = async (
    parent: Running,
    log: SessionLog,
    request: SpawnRequest,
    agent: string,
    earlier: ChildOfCall["before"] | null,
  ): Promise<SpawnResult> => {
    const { host, options } = parent;
    const { id } = log.facts;
    const { turns: had, calls, usage } = log.view;
    const before = earlier ?? { turns: had, calls, usage };
    const isNew = had === 0;
    const budgets = leftOf(parent, settingsFor(log.facts, options), log, before);
    parent.children.set(log, before);
    // Known from here on, should this process end before the child does.
    if (earlier === null)
      await parent.log.append({
        kind: "child",
        sessionId: id,
        agent,
        usage: noUsage,
        calls: 0,
        ...(request.parentCallId !== undefined && { callId: request.parentCallId, before }),
      });
    if (isNew) await prepare(parent, log, request);
    const { cancellation } = host.session(id);
    cancellation.reset(); // what stopped it before does not stop what it is asked now
    const leave = host.session(parent.log.facts.id).cancellation.registerChild(cancellation);
    ceilings.set(id, [...parent.allowed, ...(await modeRights(host, parent.log))]);
    const given: TurnOptions = {
      userId: options.userId,
      traceparent: request.traceparent,
      abortSignal: request.abortSignal,
      settings: { ...options.settings, budgets },
    };
    try {
      let turn: TurnResult | null = null;
      // Begun by this very call, the open turn is all that is left to do.
      const isOwn = had > before.turns;
      if (log.view.turn !== null) {
        await restore(host, log);
        turn = await goOn(host, log, given);
      }
      if (turn === null || (turn.status === "done" && !isOwn))
        turn = await begin(host, log, { ...given, prompt: request.instruction }, isNew);
      await countChild(parent, log, request, agent, before);
      return { sessionId: id, agent, turns: log.view.turns, turn };
    } finally {
      leave();
      parent.children.delete(log);
      ceilings.delete(id);
      await coordinator.hooks.emit("session:end", { session_id: id, parent_id: parent.log.facts.id });
    }
  };

  return {
    async run(host, options) {
      const id = options.sessionId ?? randomUUID();
      const found = await SessionLog.open(store(), id, now);
      if (found !== null) requireOwner(found.facts, options.userId);
      requireIdle(id);
      if (found !== null) return begin(host, found, options, false);
      const facts = {
        id,
        parentId: null,
        userId: options.userId ?? null,
        agent: null,
        depth: 0,
        allowed: [],
      };
      return begin(host, await create(facts), options, true);
    },

    async resume(host, options: ResumeOptions) {
      const { sessionId: id, clientResults = [], cancel = false } = options;
      const log = await open(id);
      requireOwner(log.facts, options.userId);
      requireIdle(id);
      if (log.view.turn === null) {
        await log.save(); // its process may have ended between the turn's end and this
        throw conflict(id, "no turn of it is open");
      }
      checkClientResults(log.view, clientResults);
      await restore(host, log);
      await coordinator.hooks.emit("session:resume", { session_id: id, turn_id: log.view.turn.turnId });
      const given = cancel ? { ...options, abortSignal: AbortSignal.abort() } : options;
      return goOn(host, log, given, clientResults);
    },

    list: async (filter) => (await store().list(filter)).map(summaryOf),

    async show(id) {
      const { view } = await open(id);
      const record = (await store().load(id))!;
      return { ...summaryOf(record), ...detailsOf(view) };
    },

    async fork(host, id, newId = randomUUID(), userId) {
      const { view, facts } = await open(id);
      requireOwner(facts, userId);
      const { items, state } = view.turn?.before ?? view;
      const log = await create({ ...facts, id: newId, parentId: null, userId: userId ?? facts.userId });
      await log.append({ kind: "base", items: [...items], state, from: id });
      await log.save();
      await coordinator.hooks.emit("session:fork", { session_id: newId, parent_id: id });
      host.session(newId).restore(state);
      return summaryOf((await store().load(newId))!);
    },

    async leave(host, id) {
      await coordinator.hooks.emit("session:end", { session_id: id });
      host.session(id).end();
      known.delete(id);
    },

    spawn,
  };
}

/** Tools that answer for agents, as their tags say. */
function agentTools(host: TurnHost): ReadonlySet<string> {
  return new Set(host.tools().flatMap(({ name, tags }) => (tags.includes("agents") ? [name] : [])));
}

/** How the last turn of a session ended, as its log tells it. */
function pastTurn({ facts, view }: SessionLog): TurnResult {
  const { lastTurn, lastStatus, lastText } = view;
  const { turnId, iteration, callCount, usage, error } = lastTurn!;
  return {
    sessionId: facts.id,
    turnId,
    status: lastStatus as "done" | "cancelled" | "failed",
    text: lastText,
    ...(error !== null && { error }),
    waiting: [],
    iterations: iteration,
    calls: callCount,
    usage,
    cost: null,
  };
}

/** A turn that has begun no child yet. */
function spending(above: Spender | null): Pick<Spender, "above" | "children" | "below"> {
  return { above, children: new Map(), below: new Set() };
}

/** The least of a child's own budget and what its parent has left. Throws where nothing is left. */
function leftOf(
  parent: Running,
  own: Settings,
  { view }: SessionLog,
  before: ChildOfCall["before"],
): Settings["budgets"] {
  const { tokens, calls, ms } = parent.settings.budgets;
  const spent = spentOf(parent);
  const left = (budget: "tokens" | "calls", limit: number | undefined): number => {
    if (limit === undefined) return Number.POSITIVE_INFINITY;
    if (spent[budget] >= limit) throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget, limit });
    return limit - spent[budget];
  };
  const least = (mine = Number.POSITIVE_INFINITY, parents = Number.POSITIVE_INFINITY) => {
    const number = Math.min(mine, parents);
    return number === Number.POSITIVE_INFINITY ? undefined : number;
  };
  // A child that goes on has its earlier use in its own session, and in its parent's.
  return {
    ...own.budgets,
    tokens: least(own.budgets.tokens, left("tokens", tokens) + tokensOf(before.usage)),
    calls: least(own.budgets.calls, left("calls", calls) + (view.turn?.callCount ?? 0)),
    ms: least(own.budgets.ms, ms),
  };
}

function minus(a: Usage, b: Usage): Usage {
  const pairs = Object.keys(a).map((key) => [key, a[key as keyof Usage] - b[key as keyof Usage]]);
  return Object.fromEntries(pairs) as Usage;
}

function summaryOf({ id, parentId, createdAt, updatedAt, data }: SessionRecord): SessionSummary {
  const {
    agent = null,
    title = "",
    turns = 0,
    status = "done",
    waits = 0,
    usage = noUsage,
    forkedFrom = null,
  } = data as unknown as Partial<SessionSummary>;
  return { id, parentId, agent, title, turns, status, waits, usage, forkedFrom, createdAt, updatedAt };
}

/** What the log says, which the record may be behind. */
function detailsOf(
  view: SessionView,
): Partial<SessionDetails> & Pick<SessionDetails, "items" | "waiting" | "children"> {
  const { items, children, turns, usage, title, lastStatus: status } = view;
  const waiting = (view.turn?.calls ?? []).flatMap(({ call, waits }) =>
    waits === null
      ? []
      : [{ callId: call.callId, tool: waits.tool, waitsFor: waits.waitsFor, arguments: waits.arguments }],
  );
  return { items, children, turns, usage, title, status, waiting, waits: waiting.length };
}

function defined<Given extends object>(given: Given): Partial<Given> {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<Given>;
}

/** A trace of its own for each turn; the spans of its calls are in it. Source: W3C trace context. */
function newTrace(): string {
  return `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`;
}
