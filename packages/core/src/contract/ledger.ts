import type { Json, JsonObject } from "../json/json.ts";

/** A call that waits for a worker of a fleet, or runs there. */
export interface FleetCall {
  readonly runId: string;
  /** Name of the host that sent the call. */
  readonly host: string;
  readonly queue: string;
  /** The name of the tool as it is offered, and its definition's digest: a worker with another digest does not take the call. */
  readonly tool: string;
  readonly digest: string;
  /** Whether the call may run again when its worker is lost. The run id is then its idempotency key. */
  readonly idempotent: boolean;
  /**
   * A text that is equal for the same call: the same session, user, call id, tool and arguments. If a host makes the call again
   * after another host ended, it adopts that host's call. If absent, no other host adopts the call.
   */
  readonly identity?: string | undefined;
  /** What a worker needs to run the call, as the host wrote it, signed if the fleet has a key. A worker checks it first. */
  readonly job: Json;
  /** Why the job in a row cannot be read; `job` is null then. */
  readonly unreadable?: string | undefined;
  /** How often workers have taken the call. */
  readonly attempt: number;
}

/** A call that a host adds. Calls of different sessions take turns; `nested` says that a tool made the call. */
export interface NewFleetCall extends Omit<FleetCall, "attempt" | "unreadable"> {
  readonly session?: string | undefined;
  readonly nested: boolean;
}

/** How a call of a fleet ended. `lost`: its worker stopped renewing its lease, and the tool is not idempotent. */
export type FleetEnd =
  | { readonly kind: "answered"; readonly answer: Json }
  /** The answer is too large for the event: read it with `answerOf`. */
  | { readonly kind: "stored"; readonly bytes: number }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "lost" };

/**
 * An event of the ledger for one host or worker. It is only a hint, so that the listener reads the ledger before its next
 * poll.
 */
export interface FleetEvent {
  readonly kind: "ended" | "cancelled" | "said";
  readonly runId: string;
  /** The end of a call, if it is short and the host has no message to read before it. */
  readonly end?: FleetEnd | undefined;
}

/** A message between the host and the worker of a call. Later messages have higher numbers. */
export interface FleetMessage {
  readonly runId: string;
  readonly number: number;
  readonly body: Json;
}

/** A call that waits and has to be delivered to a worker. */
export interface FleetDelivery extends Pick<FleetCall, "runId" | "queue" | "tool" | "digest" | "attempt"> {
  /** Whether a tool made the call: it must then not wait for a place that its caller occupies. */
  readonly nested: boolean;
  /** The order of the waiting calls, fair between sessions: the call with the smallest rank is next. */
  readonly rank: number;
}

/** A call that this host takes over from another host, which may have acted on the call's messages up to number `said`. */
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
  /** A name that is equal for workers with the same tools. */
  readonly group: string;
  /** The digests of the member's tools, by the names of the tools. */
  readonly tools: Readonly<Record<string, string>>;
  readonly facts: JsonObject;
  /** Milliseconds since the last report of the member. */
  readonly seenMs: number;
}

/** Numbers of calls of a queue that wait and that run, and the milliseconds for which the oldest has waited. */
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
   * Adds a call. Adding the same run id again changes nothing. Null if `maxWaiting` calls of its queue wait and no tool made
   * the call, or if another host has a call of the same identity.
   */
  add(call: NewFleetCall, maxWaiting: number): Promise<FleetDelivery | null>;
  /**
   * Gives a call of another host to this host if the other no longer reports. `held`: it still reports. Null: there is no such
   * call.
   */
  adopt(identity: string, host: string): Promise<FleetAdopted | "held" | null>;
  /**
   * Gives waiting calls to a worker, with a lease. Resolves to the calls that the worker now has: a call that ended, that
   * another worker has, or that has another digest is left out.
   */
  take(
    runIds: readonly string[],
    worker: string,
    digests: readonly string[],
    leaseMs: number,
  ): Promise<readonly FleetCall[]>;
  /** Extends a worker's leases. Resolves to the run ids that it still has; its answers to other calls will not count. */
  renew(runIds: readonly string[], worker: string, leaseMs: number): Promise<readonly string[]>;
  /**
   * Stores answers and ends their calls, in one transaction that also notifies their hosts. Resolves to the run ids of the
   * answers that count, which are those to calls that this worker has.
   */
  answer(worker: string, answers: readonly FleetAnswered[]): Promise<readonly string[]>;
  /** Reads a large answer. */
  answerOf(runId: string): Promise<Json>;
  /** Ends a call that no worker has taken. False if a worker has it or if it has ended. */
  withdraw(runId: string): Promise<boolean>;
  /** Asks the worker of a call to cancel it. */
  cancel(runId: string): Promise<void>;
  /** Resolves to the run ids of the calls among these that are to be cancelled. */
  cancelled(runIds: readonly string[]): Promise<readonly string[]>;
  /** Sends messages to the host or the worker of a running call. They are kept until the call is collected. */
  say(runId: string, to: "host" | "worker", bodies: readonly Json[]): Promise<void>;
  /** Resolves to the messages to the host or the worker of calls, in order: for each run id, those after the given number. */
  heard(to: "host" | "worker", after: ReadonlyMap<string, number>): Promise<readonly FleetMessage[]>;
  /** Resolves to the known ends of these calls, by run id. */
  ends(runIds: readonly string[]): Promise<ReadonlyMap<string, FleetEnd>>;
  /** Deletes calls whose end their host has received. */
  collect(runIds: readonly string[]): Promise<void>;
  /**
   * Handles calls whose lease has passed: an idempotent call waits again, any other ends as `lost`. Resolves to the calls that
   * must be delivered again: calls that wait again, and waiting calls of `queues` that were not delivered for `staleMs`.
   */
  expire(queues: readonly string[], staleMs: number): Promise<readonly FleetDelivery[]>;
  /** Deletes calls that ended more than `olderThanMs` ago and that no host has collected. Resolves to their number. */
  forget(olderThanMs: number): Promise<number>;
  /** Resolves to the groups of a queue whose workers have all not reported for `olderThanMs`. Each is returned once. */
  orphanedGroups(queue: string, olderThanMs: number): Promise<readonly string[]>;
  depth(queue: string): Promise<FleetDepth>;
  /** Stores the report of a member, which is forgotten if it does not report again within `keepMs`. */
  report(member: Omit<FleetMember, "seenMs">, keepMs: number): Promise<void>;
  /** Removes a member that ends. */
  leave(name: string): Promise<void>;
  /** Resolves to the members that still report, of one queue or of all. */
  members(queue?: string): Promise<readonly FleetMember[]>;
  /** Listens for events of a host or worker, until the returned function is called. Events are lost while it reconnects. */
  watch(name: string, listener: (event: FleetEvent) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** How a host reaches the ledger of its fleets. The module of the plan's `state` registers it as `fleet.ledger`. */
export interface FleetLedgerSource {
  /** The URL of the database, which is secret. */
  readonly url: string;
  open(options?: { readonly connections?: number | undefined }): Promise<FleetLedger>;
}

/**
 * Delivers calls to workers. It may deliver a call twice, late or never, because the ledger decides who runs it. A group
 * consists of the workers of a queue that have the same tools.
 */
export interface FleetEngine {
  /** Sends a call. Calls that are sent at the same moment may go together, in about as many deliveries as there are workers. */
  send(group: string, delivery: FleetDelivery, workers?: number): Promise<void>;
  /**
   * Gives the run ids of delivered calls to `take`, which resolves to a promise for each call that now runs. That promise resolves
   * when the call has ended. At most `concurrency` calls run at once, without calls by tools, because the callers of these wait.
   */
  receive(
    queue: string,
    group: string,
    concurrency: number,
    take: (runIds: readonly string[]) => Promise<readonly Promise<void>[]>,
  ): Promise<FleetReceiver>;
  /** Deletes the queue of a group that has no workers, with everything in it. */
  remove(queue: string, group: string): Promise<void>;
  close(): Promise<void>;
}

/** The receiving side of an engine, in a worker. */
export interface FleetReceiver {
  /** Takes no more deliveries, and waits for the calls that it has taken. */
  close(): Promise<void>;
}
