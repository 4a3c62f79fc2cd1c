import { randomBytes, randomUUID } from "node:crypto";
import { ToolmountError, type Clock, type Coordinator, type Runner } from "@toolmount/core";
import { toolsHere } from "@toolmount/core/internal";
import { countLostChildren } from "./agents/child-budget.ts";
import type { GlobLists } from "./agents/child-rights.ts";
import { leftAbove, type Spender } from "./agents/shared-budget.ts";
import { causesOf, wordsOf } from "./agents/user-words.ts";
import { requireAllowed } from "./provider/ask-model.ts";
import { requireImages } from "./provider/items.ts";
import { ModelOpener } from "./provider/open-model.ts";
import { RankedModels, type ChosenModel } from "./provider/ranked-models.ts";
import type { RunOptions, TurnHost, TurnOptions } from "./reasoner-types.ts";
import type { SessionAccess } from "./session-access.ts";
import { keptPrompt, type Prompt } from "./session/author.ts";
import { LearnedRefusals } from "./session/learned-refusals.ts";
import { conflict, stillOpen, type SessionFacts, type SessionLog } from "./session/log.ts";
import { guardTurns, LiveTurns, whileAdding, type LiveTurn } from "./turn/live-turns.ts";
import { traceTurnOf } from "./turn/trace.ts";
import type { TurnParts } from "./turn/turn-state.ts";
import { runTurn } from "./turn/turn.ts";
import type { ClientResult, TurnResult } from "./turn/turn-types.ts";
import { UserSpending, type UserLimits } from "./turn/user-spending.ts";

/** A turn that runs in this process. */
export interface RunningTurn extends Spender {
  readonly host: TurnHost;
  readonly options: TurnOptions;
  readonly allowed: GlobLists;
  readonly live: LiveTurn;
  /** The user's limits for all their sessions. A sub-agent has the same as the turn above it. */
  readonly limits: UserLimits | null;
}

/** What starts or resumes a turn, besides its host and its log. */
interface Trigger {
  readonly options: TurnOptions;
  readonly clientResults: readonly ClientResult[];
  readonly traceparent: string | undefined;
  readonly chosen: ChosenModel;
}

/** Starts and resumes the turns of one host, at most one for each session at a time. */
export class TurnRunner {
  readonly #coordinator: Coordinator;
  readonly #access: SessionAccess;
  readonly #clock: Clock;
  readonly #hostId: string;
  readonly #models: RankedModels;
  readonly #learned: LearnedRefusals;
  readonly #spending: UserSpending;
  readonly #turns = new LiveTurns();
  readonly #running = new Map<string, RunningTurn>();
  /** By session id of a sub-agent, restrictions that apply only while its parent runs it. */
  readonly ceilings = new Map<string, GlobLists>();

  /** Adds a gate that refuses calls of a turn to tools that were not offered. */
  constructor(coordinator: Coordinator, access: SessionAccess, clock: Clock) {
    this.#coordinator = coordinator;
    this.#access = access;
    this.#clock = clock;
    this.#hostId = coordinator.getCapability("host.id") ?? "";
    this.#models = new RankedModels(new ModelOpener(coordinator), () => clock.now());
    this.#learned = new LearnedRefusals(access.store, () => clock.now());
    this.#spending = new UserSpending(coordinator, clock);
    guardTurns(this.#turns, coordinator.hooks);
  }

  /** Returns the turn of a session that runs in this process; undefined if none does. */
  find(sessionId: string): RunningTurn | undefined {
    return this.#running.get(sessionId);
  }

  /** See `Reasoner.addMessage`. */
  async addMessage(sessionId: string, prompt: Prompt, id?: string): Promise<void> {
    const kept = keptPrompt(prompt);
    const { hooks } = this.#coordinator;
    const answer = await hooks.emit("prompt:submit", { session_id: sessionId, prompt: kept.text });
    requireAllowed(answer, "the prompt");
    const running = this.#running.get(sessionId);
    if (running === undefined || running.live.isOver)
      throw conflict(sessionId, "no turn of it runs in this process; run a new one");
    await whileAdding(running.live, () => running.log.append({ kind: "message", ...kept, id }));
  }

  /** Throws `SESSION_CONFLICT` while a turn of the session runs in this process. */
  requireIdle(sessionId: string): void {
    if (this.#running.has(sessionId)) throw conflict(sessionId, "a turn of it is running");
  }

  /** Opens the model of a session's next turn. Rejects with `EXTENSION_MISSING` or `PROVIDER_FAILED`. */
  openModel(facts: SessionFacts, options: TurnOptions): Promise<ChosenModel> {
    return this.#models.choose(this.#access.rankedFor(facts, options));
  }

  /** Starts a turn with a prompt. `isNew` says whether the session was just created. */
  async start(host: TurnHost, log: SessionLog, options: RunOptions, isNew: boolean): Promise<TurnResult> {
    const { view, facts } = log;
    const { hooks } = this.#coordinator;
    if (view.turn !== null) throw stillOpen(facts.id);
    this.requireIdle(facts.id);
    requireImages(options.images);
    const { turns: limit } = this.#access.settingsFor(facts, options).budgets;
    if (limit !== undefined && view.turns >= limit)
      throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget: "turns", limit });
    const chosen = await this.openModel(facts, options);
    if (!isNew) await this.#access.restore(host, log);
    const turnId = `turn_${randomUUID()}`;
    return this.#trace(log, options, { turnId, began: null, ...chosen }, async (given) => {
      const traceparent = given ?? newTrace();
      const ids = { session_id: facts.id, ...(facts.parentId !== null && { parent_id: facts.parentId }) };
      await hooks.emit(isNew ? "session:start" : "session:resume", ids);
      const { text: prompt, parts } = keptPrompt(options.prompt);
      requireAllowed(await hooks.emit("prompt:submit", { ...ids, prompt }), "the prompt");
      const state = host.session(facts.id).snapshot();
      const shown = options.images?.length ? { images: [...options.images] } : {};
      await log.append({ kind: "begin", turnId, traceparent, prompt, parts, state, ...shown });
      await log.save();
      return this.#drive(host, log, { options, clientResults: [], traceparent, chosen });
    });
  }

  /** Resumes the open turn of a session. It stays in the trace in which it started. */
  async resume(
    host: TurnHost,
    log: SessionLog,
    options: TurnOptions,
    clientResults: readonly ClientResult[] = [],
  ): Promise<TurnResult> {
    const { turnId, traceparent: began } = log.view.turn!;
    const chosen = await this.openModel(log.facts, options);
    return this.#trace(log, options, { turnId, began, ...chosen }, (traceparent) =>
      this.#drive(host, log, { options, clientResults, traceparent, chosen }),
    );
  }

  /** Runs the open turn of a session until it ends or pauses. */
  async #drive(host: TurnHost, log: SessionLog, trigger: Trigger): Promise<TurnResult> {
    const { options, clientResults, chosen } = trigger;
    const { id, parentId } = log.facts;
    const agent = this.#access.requireAgent(log.facts);
    const ofAgent = agent === null ? [] : [agent.tools];
    const allowed = [...log.facts.allowed, ...ofAgent, ...(this.ceilings.get(id) ?? [])];
    const { turnId } = log.view.turn!;
    this.requireIdle(id); // another caller may have resumed the turn meanwhile
    const live = this.#turns.begin(id, turnId, { allowed, idempotent: repeatableTools(host) });
    const above = (parentId === null ? null : this.#running.get(parentId)) ?? null;
    const split =
      above === null ? this.#spending.split(chosen.settings) : { ...chosen, limits: above.limits };
    const { settings, limits } = split;
    const own = { host, log, settings, limits, options, allowed, live, ...startSpending(above) };
    this.#running.set(id, own);
    above?.below.add(own);
    try {
      await countLostChildren(log, this.#access.find);
      const result = await runTurn(this.#partsOf(own, live, trigger), clientResults);
      options.onEvent?.({ type: "done", result });
      return result;
    } finally {
      this.#running.delete(id);
      above?.below.delete(own);
      this.#turns.end(id, turnId);
      this.#access.remember(log);
    }
  }

  #partsOf(own: RunningTurn, live: LiveTurn, { options, traceparent, chosen }: Trigger): TurnParts {
    const { host, log, settings, limits } = own;
    const { id, userId } = log.facts;
    return {
      host,
      coordinator: this.#coordinator,
      clock: this.#clock,
      session: host.session(id),
      log,
      settings,
      agent: this.#access.agentOf(log.facts),
      model: chosen.model,
      nextModel: chosen.next,
      learned: this.#learned,
      live,
      userId: options.userId ?? userId ?? undefined,
      conversationId: options.conversationId ?? id,
      traceparent: traceparent ?? log.view.turn!.traceparent,
      hostId: this.#hostId,
      words: () => ({ ...wordsOf(own), ...causesOf(own) }),
      rehearsal: options.rehearsal,
      leftAbove: (budget) => leftAbove(own, budget),
      spending: this.#spending,
      limits,
      cancelChild: (childId) => this.#cancelChild(own, childId),
      abortSignal: options.abortSignal,
      emit: options.onEvent ?? (() => {}),
    };
  }

  /** Starts or resumes a turn inside of its trace. `began` is the trace context in which the turn started; null for a new one. */
  #trace(
    { facts }: SessionLog,
    options: TurnOptions,
    {
      model,
      turnId,
      began,
    }: Pick<ChosenModel, "model"> & { readonly turnId: string; readonly began: string | null },
    act: (traceparent: string | undefined) => Promise<TurnResult>,
  ): Promise<TurnResult> {
    const { traceparent, userId = facts.userId ?? undefined } = options;
    const agent = this.#access.agentOf(facts);
    const now = () => this.#clock.now();
    const described = { hostId: this.#hostId, facts, place: model, agent, userId, now };
    return traceTurnOf({ ...described, traceparent, turnId, began }, act);
  }

  /** Cancels the open turn of a sub-agent, because the parent has answered the call that began it. */
  async #cancelChild({ host, options }: RunningTurn, childId: string): Promise<void> {
    const log = await this.#access.find(childId);
    if (log === null || log.view.turn === null || this.#running.has(childId)) return;
    await this.#access.restore(host, log);
    await this.resume(host, log, { ...options, abortSignal: AbortSignal.abort() });
  }
}

/** Returns the names of the tools whose calls may run again after a crash. */
function repeatableTools(host: TurnHost): ReadonlySet<string> {
  const harmless = host.tools().filter(({ idempotent, category }) => idempotent || category === "read");
  return new Set([...harmless.map(({ name }) => name), ...continuingTools(host)]);
}

/** Returns the tools that continue an earlier call when it is made again: those that are `repeatable`, or whose runner adopts it. */
function continuingTools({ coordinator }: TurnHost): readonly string[] {
  if (coordinator === undefined) return [];
  const runners = coordinator.get("runners") as ReadonlyMap<string, Runner>;
  return toolsHere({ coordinator }).flatMap(({ definition, info, runner }) =>
    definition.repeatable === true || (runner !== null && runners.get(runner)?.adopts === true)
      ? [info.name]
      : [],
  );
}

/** Returns the spending of a turn that has begun no sub-agents yet. */
function startSpending(above: Spender | null): Pick<Spender, "above" | "children" | "below"> {
  return { above, children: new Map(), below: new Set() };
}

/** Creates the trace context of a turn whose caller gave none, so that its calls share a trace. Source: W3C trace context. */
function newTrace(): string {
  return `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`;
}
