import type { Json, JsonObject } from "../json/json.ts";

/** A call that waits for a worker of a fleet, or runs there. */
export interface FleetCall {
  readonly runId: string;
  /** Name of the host that sent it. */
  readonly host: string;
  readonly queue: string;
  /** Name of the tool as it is offered, and digest of its definition: a worker with another digest does not take the call. */
  readonly tool: string;
  readonly digest: string;
  /** Whether it may run again when its worker is lost; the run id is then its idempotency key. */
  readonly idempotent: boolean;
  /**
   * The same for the same call: its session, user, call id, tool and arguments. A host that makes it again after another
   * host ended adopts that host's call. Absent: no other host adopts it.
   */
  readonly identity?: string | undefined;
  /** What a worker needs to run it, as the host wrote it, with its signature where the fleet has a key. A worker checks it first. */
  readonly job: Json;
  /** Why the job of a row cannot be read; the job is null then. */
  readonly unreadable?: string | undefined;
  /** How often it was taken. */
  readonly attempt: number;
}

/** A call that a host adds. The calls of a session take turns with those of others; `nested`: a tool made it. */
export interface NewFleetCall extends Omit<FleetCall, "attempt" | "unreadable"> {
  readonly session?: string | undefined;
  readonly nested: boolean;
}

/** How a call of a fleet ended. `lost`: its worker stopped renewing its lease, and the tool is not idempotent. */
export type FleetEnd =
  | { readonly kind: "answered"; readonly answer: Json }
  /** The answer is large: read it with `answerOf`. */
  | { readonly kind: "stored"; readonly bytes: number }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "lost" };

/**
 * What happened to the ledger since the last look; a hint, so that a listener reads sooner than its next poll. Each goes
 * to one host or worker.
 */
export interface FleetEvent {
  readonly kind: "ended" | "cancelled" | "said";
  readonly runId: string;
  /** The end of a call, where it is short and the host has no message to read before it. */
  readonly end?: FleetEnd | undefined;
}

/** One message between the host and the worker of a call. Numbers grow. */
export interface FleetMessage {
  readonly runId: string;
  readonly number: number;
  readonly body: Json;
}

/** A call that waits and has to be delivered to a worker. */
export interface FleetDelivery extends Pick<FleetCall, "runId" | "queue" | "tool" | "digest" | "attempt"> {
  /** A tool made the call: it must not wait for a place that its caller has. */
  readonly nested: boolean;
  /** Place among the calls that wait, fair between sessions: the smallest is next. */
  readonly rank: number;
}

/** A call that another host sent, and the number of its last message: that host may have acted on those. */
export interface FleetAdopted {
  readonly runId: string;
  readonly said: number;
}

/** The answer of a worker, with messages that the host must see before it. */
export interface FleetAnswered {
  readonly runId: string;
  readonly answer: Json;
  readonly last?: readonly Json[] | undefined;
}

/** A worker or a host that takes part, as it last reported itself. */
export interface FleetMember {
  readonly name: string;
  readonly role: "worker" | "host";
  readonly queue: string;
  /** The same for workers with the same tools. */
  readonly group: string;
  /** Digests by the names of its tools. */
  readonly tools: Readonly<Record<string, string>>;
  readonly facts: JsonObject;
  /** Milliseconds since it last reported. */
  readonly seenMs: number;
}

/** How many calls of a queue wait and run, and for how many milliseconds the oldest has waited. */
export interface FleetDepth {
  readonly waiting: number;
  readonly running: number;
  readonly oldestMs: number;
  /** The tool of the oldest call that waits. */
  readonly oldestTool?: string | undefined;
}

/**
 * The rows that decide what happens to the calls of a fleet. An engine may deliver a call twice, late or never; only the
 * worker that takes the row runs the tool, and only the first end of a row counts.
 */
export interface FleetLedger {
  /**
   * Adds a call. A run id that is already there changes nothing. Null: `maxWaiting` calls of its queue wait, or another host
   * has a call of the same identity.
   */
  add(call: NewFleetCall, maxWaiting: number): Promise<FleetDelivery | null>;
  /**
   * Gives the call of another host to this one, when that host no longer reports. `held`: it still reports. Null: there is
   * no such call.
   */
  adopt(identity: string, host: string): Promise<FleetAdopted | "held" | null>;
  /**
   * Gives waiting calls to one worker, with a lease. Resolves to those that it has now: not to a call that another worker
   * has or that ended, nor to one with another digest.
   */
  take(
    runIds: readonly string[],
    worker: string,
    digests: readonly string[],
    leaseMs: number,
  ): Promise<readonly FleetCall[]>;
  /** Extends a worker's leases. Resolves to the run ids that it still has; the answer of any other will not count. */
  renew(runIds: readonly string[], worker: string, leaseMs: number): Promise<readonly string[]>;
  /**
   * Stores answers and ends their calls, in one transaction that also notifies their hosts. Resolves to the run ids of the
   * answers that count: those of calls that are this worker's.
   */
  answer(worker: string, answers: readonly FleetAnswered[]): Promise<readonly string[]>;
  /** Reads a large answer. */
  answerOf(runId: string): Promise<Json>;
  /** Ends a call that no worker has taken. False: a worker has it, or it ended. */
  withdraw(runId: string): Promise<boolean>;
  /** Asks the worker of a call to cancel it. */
  cancel(runId: string): Promise<void>;
  /** Of these calls, those that are to be cancelled. */
  cancelled(runIds: readonly string[]): Promise<readonly string[]>;
  /** Sends messages to the host or the worker of a call that runs. They are kept until the call is collected. */
  say(runId: string, to: "host" | "worker", bodies: readonly Json[]): Promise<void>;
  /** Messages to the host or the worker of these calls, in order, each call's after a number. */
  heard(to: "host" | "worker", after: ReadonlyMap<string, number>): Promise<readonly FleetMessage[]>;
  /** Ends of these calls that are known, by run id. */
  ends(runIds: readonly string[]): Promise<ReadonlyMap<string, FleetEnd>>;
  /** Deletes calls whose end their host has. */
  collect(runIds: readonly string[]): Promise<void>;
  /**
   * Handles calls whose lease has passed: an idempotent one waits again, any other ends as `lost`. Resolves to the calls
   * that must be delivered again: those, and calls of these queues that wait and were not delivered for `staleMs`.
   */
  expire(queues: readonly string[], staleMs: number): Promise<readonly FleetDelivery[]>;
  /** Deletes calls that ended before so many milliseconds and that no host has collected. Resolves to how many. */
  forget(olderThanMs: number): Promise<number>;
  /** Groups of a queue whose last worker reported before so many milliseconds; each is returned once. */
  orphanedGroups(queue: string, olderThanMs: number): Promise<readonly string[]>;
  depth(queue: string): Promise<FleetDepth>;
  /** Reports a member; it is forgotten when it has not reported for `keepMs`. */
  report(member: Omit<FleetMember, "seenMs">, keepMs: number): Promise<void>;
  /** Removes a member that ends. */
  leave(name: string): Promise<void>;
  /** Members that report, of one queue or of all. */
  members(queue?: string): Promise<readonly FleetMember[]>;
  /** Listens for the events of one host or worker until the undo is called. A lost connection is opened again; events in between are lost. */
  watch(name: string, listener: (event: FleetEvent) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** How a host reaches the ledger of its fleets. The module of the plan's `state` registers it as `fleet.ledger`. */
export interface FleetLedgerSource {
  /** The URL of the database; secret. */
  readonly url: string;
  open(options?: { readonly connections?: number | undefined }): Promise<FleetLedger>;
}

/**
 * Delivers calls to workers. It may deliver a call twice, late or never: the ledger decides who runs it. A group is the
 * workers of a queue that have the same tools.
 */
export interface FleetEngine {
  /** Calls that are sent at the same moment may go together, in about as many deliveries as there are workers. */
  send(group: string, delivery: FleetDelivery, workers?: number): Promise<void>;
  /**
   * Gives calls to `take` by their run ids. It resolves to those that run now, each of which resolves when its call has ended: at most
   * `concurrency` at the same time. Calls by tools are not counted, so that none waits for the place of its caller.
   */
  receive(
    queue: string,
    group: string,
    concurrency: number,
    take: (runIds: readonly string[]) => Promise<readonly Promise<void>[]>,
  ): Promise<FleetReceiver>;
  /** Deletes the queue of a group that has no workers, and what is left in it. */
  remove(queue: string, group: string): Promise<void>;
  close(): Promise<void>;
}

/** One worker's end of an engine. */
export interface FleetReceiver {
  /** Takes no more deliveries, and waits for the calls of those that it has. */
  close(): Promise<void>;
}
