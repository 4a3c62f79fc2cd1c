import {
  errorMessage,
  isToolmountError,
  ToolmountError,
  type Clock,
  type Coordinator,
  type Host,
  type Offer,
  type Session,
} from "@toolmount/core";
import { guidanceOf } from "@toolmount/core/sessions";
import { traceFields } from "@toolmount/core/tracing";
import { ask, requireAllowed } from "../provider/ask.ts";
import { enterMode } from "./bootstrap.ts";
import { answerCalls, answerCancelled, answerFailed, type Calling } from "./calls.ts";
import { compact } from "./compaction.ts";
import type { Agent, Settings } from "../config.ts";
import { Injections } from "./injections.ts";
import { keptItems, textOf, type Item } from "../provider/items.ts";
import { admits, type LiveTurn } from "./live-turns.ts";
import { ProviderError } from "../provider/provider-error.ts";
import type { Provider } from "../provider/provider.ts";
import { createExchange, type Exchange } from "./request.ts";
import type { SessionLog } from "../session/log.ts";
import type { ClientResult, TurnEvent, TurnResult } from "./turn-types.ts";
import type { leftAbove } from "../agents/shared-budget.ts";
import { costOf, tokensOf } from "../provider/usage.ts";

/** All that one turn works with. */
export interface TurnParts {
  readonly host: Pick<Host, "approvals">;
  readonly coordinator: Pick<Coordinator, "hooks" | "logger">;
  readonly clock: Clock;
  readonly session: Session;
  readonly log: SessionLog;
  readonly settings: Settings;
  readonly agent: Agent | null;
  readonly provider: Provider;
  readonly live: LiveTurn;
  readonly userId: string | undefined;
  /** W3C trace context that its requests and calls see. */
  readonly traceparent: string;
  readonly hostId: string;
  /** What sessions above this one have left now, which others of their children use, too. */
  readonly leftAbove: (budget: "tokens" | "calls") => ReturnType<typeof leftAbove>;
  readonly abortSignal: AbortSignal | undefined;
  readonly tell: (event: TurnEvent) => void;
}

/** One turn of a session: from what its log says to its end, or to where it has to wait. */
export class Turn {
  readonly #parts: TurnParts;
  readonly #turnId: string;
  readonly #ids: Readonly<Record<string, string>>;
  readonly #injections: Injections;
  readonly #controller = new AbortController();
  #ephemeral: Item[] = [];
  #text = "";
  #outOfTime = false;

  constructor(parts: TurnParts) {
    const { log, coordinator, settings } = parts;
    this.#parts = parts;
    this.#turnId = log.view.turn!.turnId;
    this.#ids = { session_id: log.facts.id, turn_id: this.#turnId };
    this.#injections = new Injections(coordinator, settings.maxInjectionBytes, this.#ids);
  }

  /** Runs the turn as far as it goes. Rejects only with `SESSION_CONFLICT`: then it is somebody else's. */
  async run(clientResults: readonly ClientResult[] = []): Promise<TurnResult> {
    const { coordinator, log, tell, provider } = this.#parts;
    const stop = this.#watch();
    tell({ type: "begin", sessionId: log.facts.id, turnId: this.#turnId });
    await coordinator.hooks.emit("execution:start", this.#ids);
    const { provider: server, model } = provider.place;
    await coordinator.hooks.emit("provider:resolve", { ...this.#ids, provider: server, model });
    try {
      return await this.#drive(new Map(clientResults.map((result) => [result.callId, result])));
    } catch (error) {
      if (isToolmountError(error) && error.code === "SESSION_CONFLICT") throw error;
      return await this.#fail(error);
    } finally {
      stop();
      await coordinator.hooks.emit("execution:end", this.#ids);
    }
  }

  async #drive(clientResults: ReadonlyMap<string, ClientResult>): Promise<TurnResult> {
    const { log, session, settings, coordinator } = this.#parts;
    const { view } = log;
    // The process ended after the last answer: the model is not asked again.
    if (view.turn!.finalText !== null) return await this.#end("done", view.turn!.finalText, session);
    await this.#enterMode();
    let offer = await this.#offer();
    let exchange = this.#exchange(offer);
    let given = clientResults;
    for (;;) {
      if (view.turn!.calls.length > 0) {
        this.#parts.live.offered = new Set(offer.tools.map(({ name }) => name));
        this.#ephemeral.push(...(await answerCalls(this.#calling(exchange), given)));
        given = new Map();
        if (this.#isStopped()) return await this.#stopped(exchange);
        if (view.turn!.calls.length > 0) return await this.#pause();
      }
      if (this.#isStopped()) return await this.#stopped(exchange);
      this.#requireBudget();
      if (view.turn!.iteration >= settings.maxIterations)
        throw new ToolmountError("AGENT_REASONER_MAX_ITERATIONS_EXCEEDED", {
          maxIterations: settings.maxIterations,
        });
      await compact(log, settings, coordinator, this.#ids);
      offer = await this.#offer();
      await this.#announceRequest(offer);
      const next = this.#exchange(offer);
      this.#ephemeral = [];
      exchange = await this.#askOrSendAll(next, offer);
      if (view.turn!.calls.length === 0) return await this.#end("done", this.#text, session);
    }
  }

  /** Tools are offered anew for each request: mode and activation may have changed, and an agent may be held to fewer. */
  async #offer(): Promise<Offer> {
    const { session, live } = this.#parts;
    const offer = await session.offer({ turnId: this.#turnId });
    if (live.allowed.length === 0) return offer;
    const isAllowed = ({ name }: { readonly name: string }) => admits(live.allowed, name);
    const tools = offer.tools.filter(isAllowed);
    const available = offer.available.filter(isAllowed);
    return { ...offer, tools, available, guidance: guidanceOf(tools, available) };
  }

  #exchange(offer: Offer): Exchange {
    const { log, settings, agent } = this.#parts;
    return createExchange(
      log.view,
      offer,
      this.#ephemeral,
      [settings.instructions, agent?.instructions],
      settings,
    );
  }

  async #announceRequest(offer: Offer): Promise<void> {
    const { coordinator, settings, provider, log } = this.#parts;
    const { iteration } = log.view.turn!;
    const answer = await coordinator.hooks.emit("provider:request", {
      ...this.#ids,
      provider: provider.place.provider,
      model: settings.model,
      mode: offer.mode,
      iteration: iteration + 1,
      iterations_remaining: settings.maxIterations - iteration - 1,
      tools: offer.tools.map(({ name }) => name),
    });
    requireAllowed(answer, "the request to the model");
    await this.#inject(await this.#injections.ofHook(answer, "provider:request"));
  }

  async #inject({
    kept,
    ephemeral,
  }: {
    readonly kept: readonly Item[];
    readonly ephemeral: readonly Item[];
  }) {
    this.#ephemeral.push(...ephemeral);
    if (kept.length > 0) await this.#parts.log.append({ kind: "note", items: [...kept] });
  }

  /** A server that no longer has the last response gets the conversation whole. */
  async #askOrSendAll(exchange: Exchange, offer: Offer): Promise<Exchange> {
    try {
      await this.#ask(exchange);
      return exchange;
    } catch (error) {
      const isGone =
        error instanceof ProviderError && error.failure.providerCode === "previous_response_not_found";
      if (!isGone) throw error;
    }
    const { log } = this.#parts;
    await log.append({ kind: "compacted", items: [...log.view.items] });
    const whole = this.#exchange(offer);
    await this.#ask(whole);
    return whole;
  }

  async #ask(exchange: Exchange): Promise<void> {
    const { provider, settings, coordinator, tell, log, clock, hostId, traceparent } = this.#parts;
    const { hooks } = coordinator;
    const signal = this.#controller.signal;
    const trace = { hostId, sessionId: log.facts.id, turnId: this.#turnId, traceparent };
    const asking = { provider, settings, hooks, ids: this.#ids, signal, tell, trace, now: () => clock.now() };
    const answer = await ask(exchange.body, asking);
    // A server that goes on from its own last response knows its calls by its own ids.
    const taken = settings.continueBy === "response" ? [] : log.view.items.map((item) => item["call_id"]);
    const items = keptItems(answer.output, settings.store, taken);
    const { responseId, usage } = answer;
    await log.append({
      kind: "answer",
      items,
      responseId: settings.continueBy === "response" ? responseId : null,
      usage,
      inputTokens: usage.inputTokens,
    });
    const text = textOf(items);
    if (text !== "") {
      this.#text = text;
      tell({ type: "text", text });
    }
    if (answer.incomplete !== null)
      tell({ type: "tool_warning", tool: "", message: `the answer is cut: ${answer.incomplete}` });
  }

  #calling(exchange: Exchange): Calling {
    const { host, session, log, live, tell, userId, settings, traceparent, coordinator } = this.#parts;
    const { callCount, calls } = log.view.turn!;
    const unanswered = calls.filter(({ output }) => output === null).length;
    const limit = settings.budgets.calls ?? Number.POSITIVE_INFINITY;
    return {
      host,
      session,
      log,
      live,
      readCall: (call) => exchange.readCall(call),
      context: { turnId: this.#turnId, userId, traceparent, abortSignal: this.#controller.signal },
      injections: this.#injections,
      tell,
      repaired: (callId, status) =>
        coordinator.hooks.emit("provider:tool_sequence_repaired", {
          ...this.#ids,
          tool_call_id: callId,
          status,
        }),
      mayRun: Math.max(
        0,
        Math.min(limit - (callCount - unanswered), this.#parts.leftAbove("calls").left + unanswered),
      ),
      isIdempotent: (name) => live.idempotent.has(name),
    };
  }

  async #enterMode(): Promise<void> {
    const { log, session, settings, coordinator, live, userId, tell, traceparent } = this.#parts;
    if (log.view.turn!.calls.length > 0) return;
    const steps = Object.values(settings.bootstrap).flat();
    live.offered = new Set(steps.map(({ tool }) => tool));
    const isIdempotent = (tool: string) => live.idempotent.has(tool);
    const turn = { turnId: this.#turnId, signal: this.#controller.signal, userId, traceparent, isIdempotent };
    const problem = await enterMode(log, session, turn, settings, coordinator);
    if (problem !== null) tell({ type: "tool_warning", tool: "", message: problem });
  }

  #requireBudget(): void {
    const { log, settings } = this.#parts;
    const { usage, turn } = log.view;
    const { tokens, calls } = settings.budgets;
    const refuse = (budget: string, limit: number) => {
      throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget, limit });
    };
    if (tokens !== undefined && tokensOf(usage) >= tokens) refuse("tokens", tokens);
    if (calls !== undefined && turn!.callCount > calls) refuse("calls", calls);
    const shared = { tokens: this.#parts.leftAbove("tokens"), calls: this.#parts.leftAbove("calls") };
    if (shared.tokens.left <= 0) refuse("tokens", shared.tokens.limit);
    if (shared.calls.left < 0) refuse("calls", shared.calls.limit);
  }

  /** Follows the caller's signal, the session's token and the turn's own time. */
  #watch(): () => void {
    const { abortSignal, session, settings, clock, log } = this.#parts;
    const stopNow = () => void (this.#controller.signal.aborted || this.#controller.abort());
    if (abortSignal?.aborted === true || session.cancellation.isImmediate) stopNow();
    abortSignal?.addEventListener("abort", stopNow, { once: true });
    const leave = session.cancellation.onChange((state) => state === "immediate" && stopNow());
    const { ms } = settings.budgets;
    const { activeMs } = log.view.turn!;
    const startedAt = clock.now();
    // What the turn used before it paused counts; the pause does not.
    log.stopwatch = () => activeMs + Math.max(0, clock.now() - startedAt);
    const timer =
      ms === undefined
        ? undefined
        : clock.setTimer(
            () => {
              this.#outOfTime = true;
              stopNow();
            },
            Math.max(1, ms - activeMs),
          );
    return () => {
      abortSignal?.removeEventListener("abort", stopNow);
      leave();
      timer?.cancel();
      log.stopwatch = null;
    };
  }

  #isStopped(): boolean {
    return this.#controller.signal.aborted || this.#parts.session.cancellation.isCancelled;
  }

  /** Every call of a stopped turn has an answer, and then it ends. */
  async #stopped(exchange: Exchange): Promise<TurnResult> {
    const { coordinator, session, settings } = this.#parts;
    await coordinator.hooks.emit("cancel:requested", {
      ...this.#ids,
      immediate: this.#controller.signal.aborted,
    });
    await answerCancelled(this.#calling(exchange));
    await coordinator.hooks.emit("cancel:completed", this.#ids);
    if (!this.#outOfTime) return this.#end("cancelled", this.#text, session);
    const details = { budget: "milliseconds", limit: settings.budgets.ms! };
    return this.#end("failed", this.#text, session, new ToolmountError("AGENT_BUDGET_EXHAUSTED", details));
  }

  async #pause(): Promise<TurnResult> {
    const { log, tell, coordinator } = this.#parts;
    await log.save();
    const waiting = log.view.turn!.calls.flatMap(({ call, waits }) =>
      waits === null
        ? []
        : [{ callId: call.callId, tool: waits.tool, waitsFor: waits.waitsFor, arguments: waits.arguments }],
    );
    tell({ type: "hitl", waiting });
    const result = this.#result("paused", this.#text, waiting);
    await coordinator.hooks.emit("orchestrator:complete", {
      ...this.#ids,
      status: "paused",
      ...countsOf(result),
    });
    return result;
  }

  async #fail(error: unknown): Promise<TurnResult> {
    const { coordinator, session } = this.#parts;
    if (this.#isStopped()) return this.#stopped(this.#exchange(await this.#offer()));
    const known = isToolmountError(error) ? error : new ToolmountError("INTERNAL", {}, { cause: error });
    const { code } = known;
    const ids = { ...this.#ids, ...traceFields(this.#parts.traceparent) };
    coordinator.logger.error({ ...ids, err: error, code }, `a turn failed: ${known.message}`);
    // A conversation with a call that has no answer is refused by every server.
    if (this.#parts.log.view.turn!.calls.length > 0)
      await answerFailed(this.#calling(this.#exchange(await this.#offer())));
    return this.#end("failed", this.#text, session, known);
  }

  async #end(
    status: "done" | "cancelled" | "failed",
    text: string,
    session: Session,
    error?: ToolmountError,
  ): Promise<TurnResult> {
    const { log, tell, coordinator } = this.#parts;
    const result = this.#result(status, text, [], error);
    await log.append({
      kind: "end",
      status,
      text,
      state: session.snapshot(),
      ...(error !== undefined && {
        code: error.code,
        message: errorMessage(error.code, error.details as never),
      }),
    });
    await log.save();
    if (error !== undefined) tell({ type: "error", code: error.code, message: error.message });
    await coordinator.hooks.emit("prompt:complete", { ...this.#ids, status, response: text });
    await coordinator.hooks.emit("orchestrator:complete", { ...this.#ids, status, ...countsOf(result) });
    return result;
  }

  #result(
    status: TurnResult["status"],
    text: string,
    waiting: TurnResult["waiting"],
    error?: ToolmountError,
  ): TurnResult {
    const { log, settings } = this.#parts;
    const { iteration, callCount, usage } = log.view.turn!;
    return {
      sessionId: log.facts.id,
      turnId: this.#turnId,
      status,
      text,
      ...(error !== undefined && {
        error: {
          code: error.code,
          message: errorMessage(error.code, error.details as never),
          details: plain(error.details),
        },
      }),
      waiting,
      iterations: iteration,
      calls: callCount,
      usage,
      cost: costOf(usage, settings.prices),
    };
  }
}

function plain(details: object): object {
  return JSON.parse(JSON.stringify(details)) as object;
}

function countsOf({ iterations, calls, usage }: TurnResult) {
  return { iterations, calls, usage };
}
