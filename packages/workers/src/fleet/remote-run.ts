import type {
  CallRequest,
  FleetCall,
  FleetLedger,
  Json,
  RunnerControl,
  ToolDefinition,
  ToolOutcome,
} from "@toolmount/core";
import type { FarMessage } from "../far/far-message.ts";
import type { HostMessage } from "../far/messages.ts";
import { isShallow } from "./answer.ts";
import type { FleetJob } from "./job.ts";
import type { Seal } from "./seal.ts";

/** The worker's side of a call. What its tool asks the host is sent through the ledger, in order. */
export class RemoteRun {
  readonly call: FleetCall;
  readonly job: FleetJob;
  /** Number of the last message that was read. */
  heard = 0;
  readonly #ledger: FleetLedger;
  readonly #seal: Seal;
  readonly #controller = new AbortController();
  readonly #outbox: Json[] = [];
  readonly #calls = new Map<number, PromiseWithResolvers<ToolOutcome>>();
  #sending: Promise<void> | undefined;
  #nextCall = 0;

  constructor(call: FleetCall, job: FleetJob, { ledger, seal }: { ledger: FleetLedger; seal: Seal }) {
    this.call = call;
    this.job = job;
    this.#seal = seal;
    this.#ledger = ledger;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(name: string, message: string): void {
    this.#controller.abort(new DOMException(message, name));
    for (const { reject } of this.#calls.values()) reject(this.#controller.signal.reason);
  }

  /** Handles a message of the host. Returns false if no host of this fleet wrote it. */
  hear(number: number, body: Json): boolean {
    this.heard = Math.max(this.heard, number);
    if (!isShallow(body)) return false;
    try {
      this.#receive(this.#seal.open(["to worker", this.call.runId], body) as unknown as HostMessage);
      return true;
    } catch {
      return false;
    }
  }

  #receive(message: HostMessage): void {
    if (message.type === "abort") this.abort(message.name, message.message);
    else if (message.type === "called") this.#calls.get(message.id)?.resolve(message.outcome);
    else if (message.type === "call-failed") this.#calls.get(message.id)?.reject(new Error(message.message));
  }

  /** Sends a message to the host. Messages at the same time are sent in one statement. */
  say(message: FarMessage): void {
    this.#outbox.push(this.#seal.close(["to host", this.call.runId], message as unknown as Json));
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
  }

  async callHost({ id, name, arguments: given }: CallRequest): Promise<ToolOutcome> {
    const number = this.#nextCall++;
    const answer = Promise.withResolvers<ToolOutcome>();
    this.#calls.set(number, answer);
    const request = {
      ...(id !== undefined && { id }),
      name,
      ...(given !== undefined && { arguments: given }),
    };
    this.say({ type: "call", runId: this.call.runId, id: number, request: request as never });
    return answer.promise.finally(() => this.#calls.delete(number));
  }

  /** Returns the messages that were not sent, for the statement that ends the call. Nothing is sent afterwards. */
  async rest(): Promise<readonly Json[]> {
    await this.#sending;
    return this.#outbox.splice(0);
  }

  /** Returns the host's services, for a runner of this worker. */
  control(definition: ToolDefinition): RunnerControl {
    const control: Omit<RunnerControl, "definition"> = {
      signal: this.signal,
      progress: (progress) =>
        this.say({ type: "progress", runId: this.call.runId, progress: withoutUndefined(progress) }),
      call: (request) => this.callHost(request),
      session: this.#session(),
    };
    return { ...control, definition };
  }

  #session(): RunnerControl["session"] {
    const { job } = this;
    const { runId } = this.call;
    const values = new Map(Object.entries(job.state));
    return {
      snapshot: () => Object.fromEntries(values),
      get: (key) => values.get(key),
      set: (key, value) => {
        values.set(key, value);
        this.say({ type: "set", runId, key, value });
      },
      delete: (key) => {
        this.say({ type: "delete", runId, key });
        return values.delete(key);
      },
    };
  }

  async #send(): Promise<void> {
    // Waits, so that messages of the same moment are sent together.
    await Promise.resolve();
    while (this.#outbox.length > 0) {
      const bodies = this.#outbox.splice(0);
      try {
        await this.#ledger.say(this.call.runId, "host", bodies);
      } catch {
        // These messages are sent with the next one, or with the answer.
        this.#outbox.unshift(...bodies);
        return;
      }
    }
  }
}

/** Returns a copy without members that are undefined, which JSON does not have. */
function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return JSON.parse(JSON.stringify(value)) as never;
}
