import {
  createHost,
  createMemoryStore,
  silentLogger,
  systemClock,
  type ApprovalView,
  type StateStore,
  type WorkRecord,
} from "@toolmount/core";
import { onTestFinished } from "vitest";
import type { ServedTurns, TurnRequest, TurnResumption } from "../../src/served-host.ts";
import type { ApprovalListener } from "../../src/journal/approval-watch.ts";
import { ServerTurns } from "../../src/work/server-turns.ts";

/** Work that a server began, and how a test ends it. */
export interface Begun {
  readonly kind: "run" | "resume";
  readonly request: TurnRequest & Partial<TurnResumption>;
  readonly begins: (turnId?: string) => void;
  readonly ends: (result: object) => Promise<void>;
  readonly fails: (error: Error) => Promise<void>;
}

/** Lets what is stored be stored. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A log, and a watch of questions, which sees what a test gives to its listeners. */
export function observed() {
  const logged: unknown[][] = [];
  const note =
    (level: string) =>
    (...words: unknown[]) =>
      void logged.push([level, ...words]);
  const logger = { ...silentLogger, warn: note("warn"), error: note("error") };
  const listeners = new Set<ApprovalListener>();
  const watch = {
    hasMore: false,
    watch(listener: ApprovalListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return { logged, logger, listeners, watch };
}

/** A reasoner whose turns begin and end when the test says so. `onBegin` is called when work of it is asked for. */
export function scriptedTurns(onBegin: (work: Begun) => void = () => {}) {
  const begun: Begun[] = [];
  const messages: unknown[][] = [];
  const released: string[] = [];
  const begin = (kind: Begun["kind"]) => (request: Begun["request"]) => {
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    const { sessionId = "s1", onEvent } = request;
    const work: Begun = {
      kind,
      request,
      begins: (turnId = "t1") => onEvent({ type: "begin", turnId, sessionId }),
      ends: (result) => (resolve(result), settle()),
      fails: (error) => (reject(error), settle()),
    };
    begun.push(work);
    onBegin(work);
    return promise;
  };
  const turns = {
    run: begin("run"),
    resume: begin("resume"),
    addMessage: async (...words: unknown[]) => void messages.push(words),
    release: (sessionId: string) => void released.push(sessionId),
    show: async () => ({ status: "open" }),
    lastTurn: async () => null,
    owner: async () => null,
  } as unknown as ServedTurns;
  return { turns, begun, messages, released };
}

/** Servers of one store with a reasoner whose turns begin and end when the test says so. */
export function turnsWorld(store: StateStore = createMemoryStore()) {
  const host = createHost({ store, logger: silentLogger });
  onTestFinished(async () => void (await host.close()));
  const { logged, logger, listeners, watch } = observed();
  const open = (leaseMs = 30_000) => {
    const changes: string[] = [];
    const { turns, begun, messages, released } = scriptedTurns();
    const replicas = { plan: "", mayTake: () => true };
    const given = { host, turns, watch, clock: systemClock, logger, scope: "plan", replicas, leaseMs };
    const onChange = ({ status }: { status: string }) => void changes.push(status);
    const work = new ServerTurns({ ...given, onChange } as never);
    /** Starts a turn, which has begun when this resolves. */
    const start = async (more: object = {}, turnId?: string) => {
      const starting = work.start({ prompt: "Go.", userId: "ana", by: "token", ...more });
      begun.at(-1)!.begins(turnId);
      return starting;
    };
    return { work, turns, begun, changes, messages, released, start };
  };
  const row = (id = "t1") => store.work!.get("turn", id);
  const add = (record: Partial<WorkRecord>, body: object = {}) =>
    store.work!.save({
      kind: "turn",
      id: "t1",
      version: 1,
      scope: "plan",
      status: "running",
      sessionId: "s1",
      userId: "ana",
      at: Date.now(),
      dueAt: null,
      ...record,
      body: { ...emptyBody, ...body },
    });
  /** What the watch of the host sees: the questions of these calls. */
  const see = async (...callIds: string[]) => {
    const views = callIds.map((callId) => ({ info: { callId, sessionId: "s1" } }) as ApprovalView);
    for (const listener of listeners) listener(views);
    await settle();
  };
  return { host, store, open, row, add, see, logged, listeners };
}

/** What a row says of a turn that has just begun. */
export const emptyBody = {
  by: "token",
  prompt: "Go.",
  updatedAt: 1_000_000,
  endedAt: null,
  waiting: [],
  result: null,
  problem: null,
  owner: null,
  cancels: false,
  plan: "",
  messages: [],
};
