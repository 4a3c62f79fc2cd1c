import type { CallRequest, Progress, SessionState, ToolContext } from "../contract/context.ts";
import type { Logger } from "../contract/logger.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { Run } from "./call.ts";
import { traceparentOf } from "./trace.ts";
import { runFields } from "./log-fields.ts";

/** The context of one run. What a tool does not read is never made: a signal, a logger, a session cost their price only then. */
export class LiveContext implements ToolContext {
  readonly #run: Run;
  #controller: AbortController | null = null;
  #logger: Logger | null = null;
  #session: SessionState | null = null;

  constructor(run: Run) {
    this.#run = run;
    const { generation } = run;
    if (generation.providers.size > 0) addProviders(this, run);
  }

  get callId(): string {
    return this.#run.callId;
  }

  get runId(): string {
    return this.#run.runId;
  }

  get tool(): string {
    return this.#run.tool!.name;
  }

  get depth(): number {
    return this.#run.depth;
  }

  get deadlineAt(): number {
    const { deadlineAt, host } = this.#run;
    return (deadlineAt === 0 ? undefined : host.epoch + deadlineAt) as never;
  }

  get parentRunId(): string {
    return this.#run.parent?.runId as never;
  }

  get sessionId(): string {
    return this.#run.given.sessionId as never;
  }

  get conversationId(): string {
    return this.#run.given.conversationId as never;
  }

  get turnId(): string {
    return this.#run.given.turnId as never;
  }

  get userId(): string {
    return this.#run.given.userId as never;
  }

  get mode(): string {
    return this.#run.given.mode as never;
  }

  get parallelGroupId(): string {
    return this.#run.given.parallelGroupId as never;
  }

  get traceparent(): string {
    return traceparentOf(this.#run) as never;
  }

  get rawArguments(): string | undefined {
    const given: unknown = this.#run.request.arguments;
    return typeof given === "string" ? given : undefined;
  }

  get abortSignal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#run.stopReason !== null) this.#controller.abort(stopError(this.#run));
    }
    return this.#controller.signal;
  }

  get logger(): Logger {
    return (this.#logger ??= this.#run.host.logger.child(runFields(this.#run)));
  }

  get session(): SessionState {
    return (this.#session ??= this.#run.host.sessionState(this.#run.given.sessionId));
  }

  // Functions made when they are read, so that a tool may take them out of its context.
  get progress(): (progress: Progress) => void {
    return (progress) => this.#run.host.progress(this.#run, progress);
  }

  get call(): (request: CallRequest) => Promise<ToolOutcome> {
    return (request) => this.#run.host.callFrom(this.#run, request);
  }

  /** Tells a tool that reads its signal that it should stop. */
  abort(): void {
    this.#controller?.abort(stopError(this.#run));
  }
}

function stopError(run: Run): DOMException {
  return run.stopReason === "deadline"
    ? new DOMException(`the deadline of ${run.tool!.timeoutMs} ms passed`, "TimeoutError")
    : new DOMException(run.stopMessage === "" ? "Request was cancelled" : run.stopMessage, "AbortError");
}

/** Context members that modules provide: read lazily, made once a call, on the side where the tool runs. */
function addProviders(context: LiveContext, run: Run): void {
  for (const [name, provide] of run.generation.providers) {
    let made: { value: unknown } | undefined;
    Object.defineProperty(context, name, {
      get: () => (made ??= { value: provide(run.host.infoOf(run)) }).value,
      enumerable: true,
      configurable: true,
    });
  }
}
