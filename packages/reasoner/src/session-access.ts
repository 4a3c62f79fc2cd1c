import {
  createMemoryStore,
  ToolmountError,
  type Clock,
  type Coordinator,
  type SessionStore,
} from "@toolmount/core";
import type { Agent, Settings } from "./config/settings.ts";
import type { TurnHost, TurnOptions } from "./reasoner-types.ts";
import { rankedSettingsOf, type Ranked } from "./session-settings.ts";
import { SessionLog, type SessionFacts } from "./session/log.ts";

/** What a reasoner is created with. */
export interface ReasonerOptions {
  readonly settings: Settings;
  readonly agents?: Readonly<Record<string, Agent>> | undefined;
  /**
   * Settings of models in the order in which they are asked: the next one is asked if a model cannot answer. Default: only
   * `settings`.
   */
  readonly ranked?: Ranked | undefined;
  readonly clock?: Clock | undefined;
}

/** Opens sessions, and returns the settings and the agent of each. */
export type SessionAccess = ReturnType<typeof createSessionAccess>;

/** Creates the access to the sessions of one host: those in its session store or, without one, sessions in memory. */
export function createSessionAccess(
  coordinator: Coordinator,
  { settings, agents = {}, ranked, now }: Omit<ReasonerOptions, "clock"> & { readonly now: () => number },
) {
  const memory = createMemoryStore().sessions;
  /** By session id, the log's length when this process last saw it. While the log has it, the state in memory is current. */
  const known = new Map<string, number>();
  const store = () => (coordinator.get("session-store") as SessionStore | null) ?? memory;

  const agentOf = ({ agent }: SessionFacts): Agent | null =>
    agent !== null && Object.hasOwn(agents, agent) ? agents[agent]! : null;

  const rankedFor = (facts: SessionFacts, options: TurnOptions): readonly Settings[] =>
    rankedSettingsOf(coordinator, { settings, ranked, agent: agentOf(facts), facts, options });

  return {
    agents,
    store,
    agentOf,

    /** Finds a session; null if it does not exist. */
    find: (id: string) => SessionLog.open(store(), id, now),

    /** Opens a session. Rejects with `SESSION_NOT_FOUND`. */
    async open(id: string): Promise<SessionLog> {
      const log = await SessionLog.open(store(), id, now);
      if (log === null) throw new ToolmountError("SESSION_NOT_FOUND", { session: id });
      return log;
    },

    create: (facts: SessionFacts) => SessionLog.create(store(), facts, now),

    /** Loads the state, which another process may have changed: from the session store, else from a log that has changed. */
    async restore(host: TurnHost, { view, facts: { id }, length }: SessionLog): Promise<void> {
      if (coordinator.get("session-store") !== null) await host.session(id).load();
      else if (known.get(id) !== length) host.session(id).restore(view.state);
    },

    /** Remembers that the session's state in this process's memory is current. */
    remember: ({ facts, length }: SessionLog) => void known.set(facts.id, length),

    forget: (id: string) => void known.delete(id),

    requireAgent: (facts: SessionFacts) => requireAgent(agents, facts, agentOf(facts)),

    /** Returns the settings of the models to ask, in order: the plan's, overridden by the agent's and then by the turn's. */
    rankedFor,

    /** Returns the settings of the first model to ask. */
    settingsFor: (facts: SessionFacts, options: TurnOptions): Settings => rankedFor(facts, options)[0]!,

    /** Throws `SESSION_NOT_FOUND` for another user's session. A caller without a user may use every session. */
    requireOwner({ id, userId: owner }: SessionFacts, userId: string | null | undefined): void {
      if (owner !== null && (userId ?? owner) !== owner)
        throw new ToolmountError("SESSION_NOT_FOUND", { session: id });
    },
  };
}

/** Returns the session's agent; null if the session has none. Throws `AGENT_NOT_FOUND` if the plan no longer has this agent. */
function requireAgent(agents: object, { agent: name }: SessionFacts, agent: Agent | null): Agent | null {
  if (agent !== null || name === null) return agent;
  throw new ToolmountError("AGENT_NOT_FOUND", { agent: name, known: Object.keys(agents) });
}

/**
 * Returns the user of a session; null if it has none. Reads only the record, because the log may be unreadable. Throws
 * `SESSION_NOT_FOUND`.
 */
export async function ownerOf(store: SessionStore, id: string): Promise<string | null> {
  const record = await store.load(id);
  if (record === null) throw new ToolmountError("SESSION_NOT_FOUND", { session: id });
  const { userId } = record.data;
  return typeof userId === "string" ? userId : null;
}
