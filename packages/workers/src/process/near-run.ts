import {
  RunnerFailure,
  type Issue,
  type Logger,
  type RunnerControl,
  type RunnerJob,
  type ToolReturn,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { invalidArguments } from "@toolmount/core/schemas";
import type { RunMessage } from "../far/far-message.ts";
import type { HostMessage } from "../far/messages.ts";
import { rebuildThrown } from "./rebuild-thrown.ts";

/** The host's side of one call that runs in a process. */
export interface NearRun {
  /** Resolves to what the tool returned. Rejects with what it threw, or with the way in which its process ended. */
  readonly end: Promise<ToolReturn>;
  /** Whether the process has confirmed that it aborts the call. */
  readonly isAborting: boolean;
  /** Handles a message. Returns a failure if the message makes the call fail; the process must then be killed. */
  receive(message: RunMessage): RunnerFailure | undefined;
  processEnded(how: string): void;
}

type Send = (message: HostMessage) => void;

/** Sends a call to a process, and answers what its tool asks. `rehearsals` are those of which the process has run previews. */
export function createNearRun(
  job: RunnerJob,
  control: RunnerControl,
  logger: Logger,
  send: Send,
  rehearsals: WeakSet<object>,
): NearRun {
  const { runId, tool, info, arguments: given, instead } = job;
  send({
    type: "run",
    runId,
    tool,
    info,
    arguments: given,
    state: control.session.snapshot(),
    keeps: control.undoable !== undefined,
    ...(instead !== undefined && { instead }),
    ...(control.provided !== undefined && { withheld: control.provided }),
    ...stageOf(job, control, rehearsals),
  });
  return serveRun(job, control, logger, send);
}

/** Returns, for a preview, whether the process has run another one of the same rehearsal. */
function stageOf({ instead }: RunnerJob, { rehearsal }: RunnerControl, rehearsals: WeakSet<object>) {
  if (rehearsal === undefined || instead === undefined) return {};
  const staged = rehearsals.has(rehearsal) ? ("again" as const) : ("first" as const);
  rehearsals.add(rehearsal);
  return { staged };
}

/** Answers what the tool of a call asks; the call itself has been sent already. */
export function serveRun(job: RunnerJob, control: RunnerControl, logger: Logger, send: Send): NearRun {
  return new SentRun(job, control, logger, send);
}

class SentRun implements NearRun {
  isAborting = false;
  readonly end: Promise<ToolReturn>;
  readonly #job: RunnerJob;
  readonly #control: RunnerControl;
  readonly #logger: Logger;
  readonly #send: Send;
  #failure: RunnerFailure | undefined;
  readonly #ending = Promise.withResolvers<ToolReturn>();

  constructor(job: RunnerJob, control: RunnerControl, logger: Logger, send: Send) {
    this.#job = job;
    this.#control = control;
    this.#logger = logger;
    this.#send = send;
    this.end = this.#ending.promise;
  }

  receive(message: RunMessage): RunnerFailure | undefined {
    if (message.type === "set") return this.#set(message);
    this.#serve(message);
    return undefined;
  }

  #serve(message: Exclude<RunMessage, { type: "set" }>): void {
    switch (message.type) {
      case "returned":
        return this.#ending.resolve(message.value as ToolReturn);
      case "threw":
        return this.#ending.reject(rebuildThrown(message.thrown));
      case "invalid":
        return this.#ending.reject(invalidFailure(message.issues));
      case "aborting":
        this.isAborting = true;
        return;
      case "progress":
        return this.#control.progress(message.progress);
      case "log": {
        const { runId, info } = this.#job;
        return this.#logger[message.level](
          { ...message.fields, runId, tool: info.tool },
          message.message ?? "",
        );
      }
      case "delete":
        return void this.#control.session.delete(message.key);
      case "call":
        return void this.#call(message);
      case "keep":
        return void this.#keep(message.id, this.#control.undoable, message.data);
      case "keep-irreversible":
        return void this.#keep(message.id, this.#control.irreversible, message.reason);
    }
  }

  /** Stores a change and sends the answer, for which the tool waits before it changes anything. */
  async #keep<Value>(
    id: number,
    keep: ((value: Value) => Promise<void>) | undefined,
    value: Value,
  ): Promise<void> {
    try {
      if (keep === undefined) throw new Error("nothing is kept of this call");
      await keep(value);
      this.#send({ type: "kept", id });
    } catch (error) {
      this.#send({ type: "kept", id, problem: messageOf(error) });
    }
  }

  /**
   * Sets a value of the session's state. If the state refuses it, the call fails, because the tool has set it in its own copy.
   */
  #set({ key, value }: Extract<RunMessage, { type: "set" }>): RunnerFailure | undefined {
    try {
      this.#control.session.set(key, value);
    } catch (error) {
      this.#failure ??= new RunnerFailure("TOOL_FAILED", messageOf(error));
    }
    return this.#failure;
  }

  processEnded(how: string): void {
    const message = `"${this.#job.info.tool}" failed: its process ${how}`;
    this.#ending.reject(this.#failure ?? new RunnerFailure("TOOL_FAILED", message));
  }

  async #call({ id, request }: Extract<RunMessage, { type: "call" }>): Promise<void> {
    try {
      this.#send({ type: "called", id, outcome: await this.#control.call(request) });
    } catch (error) {
      this.#send({ type: "call-failed", id, message: messageOf(error) });
    }
  }
}

/** Returns the failure of a call whose arguments the tool's own schema refused, so that the tool did not run. */
function invalidFailure(issues: readonly Issue[]): RunnerFailure {
  const { error = "", details } = invalidArguments(issues);
  return new RunnerFailure("INVALID_ARGUMENTS", error, { status: "invalid", details: details as never });
}
