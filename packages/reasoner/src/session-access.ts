import {
  createMemoryStore,
  ToolmountError,
  type Clock,
  type Coordinator,
  type SessionStore,
} from "@toolmount/core";
import { requireConsistent, settingsSchema, type Agent, type Settings } from "./config/settings.ts";
import { modelVariables } from "./provider/open-model.ts";
import type { TurnHost, TurnOptions } from "./reasoner-types.ts";
import { SessionLog, type SessionFacts } from "./session/log.ts";

/** What a reasoner is made with. */
export interface ReasonerOptions {
  readonly settings: Settings;
  readonly agents?: Readonly<Record<string, Agent>> | undefined;
  readonly clock?: Clock | undefined;
}

/** Opens sessions, and knows which settings and which agent each has. */
export type SessionAccess = ReturnType<typeof createSessionAccess>;

/** Makes the access to the sessions of one host: those of its session store, else those kept in memory. */
export function createSessionAccess(
  coordinator: Coordinator,
  { settings, agents = {}, now }: Omit<ReasonerOptions, "clock"> & { readonly now: () => number },
) {
  const memory = createMemoryStore().sessions;
  /** The length of each log when this process last had it. Up to there, the session's live state is current. */
  const known = new Map<string, number>();
  const store = () => (coordinator.get("session-store") as SessionStore | null) ?? memory;

  const agentOf = ({ agent }: SessionFacts): Agent | null =>
    agent !== null && Object.hasOwn(agents, agent) ? agents[agent]! : null;

  return {
    agents,
    store,
    agentOf,

    /** The session, or null. */
    find: (id: string) => SessionLog.open(store(), id, now),

    /** Rejects with `SESSION_NOT_FOUND`. */
    async open(id: string): Promise<SessionLog> {
      const log = await SessionLog.open(store(), id, now);
      if (log === null) throw new ToolmountError("SESSION_NOT_FOUND", { session: id });
      return log;
    },

    create: (facts: SessionFacts) => SessionLog.create(store(), facts, now),

    /** Loads the state that another process may have changed. A session store has the newest state itself. */
    async restore(host: TurnHost, { view, facts: { id }, length }: SessionLog): Promise<void> {
      if (coordinator.get("session-store") !== null) await host.session(id).load();
      else if (known.get(id) !== length) host.session(id).restore(view.state);
    },

    /** Records that this process's live state of the session is current. */
    remember: ({ facts, length }: SessionLog) => void known.set(facts.id, length),

    forget: (id: string) => void known.delete(id),

    /** The session's agent; null for the main agent. Throws `AGENT_NOT_FOUND` when the plan no longer has it. */
    requireAgent(facts: SessionFacts): Agent | null {
      const agent = agentOf(facts);
      if (agent === null && facts.agent !== null)
        throw new ToolmountError("AGENT_NOT_FOUND", { agent: facts.agent, known: Object.keys(agents) });
      return agent;
    },

    /** The plan's settings, overridden by the agent's and then by the turn's. */
    settingsFor: (facts: SessionFacts, { settings: given = {}, instructions }: TurnOptions): Settings =>
      ownOutput(facts, withMore(merged(coordinator, settings, agentOf(facts), given), instructions)),

    /** Throws `SESSION_NOT_FOUND` for another user's session. A caller without a user acts for the session's user. */
    requireOwner({ id, userId: owner }: SessionFacts, userId: string | null | undefined): void {
      if (owner !== null && (userId ?? owner) !== owner)
        throw new ToolmountError("SESSION_NOT_FOUND", { session: id });
    },
  };
}

/** The user of a session, by its record alone: a log that cannot be read hides no other session. */
export async function ownerOf(store: SessionStore, id: string): Promise<string | null> {
  const record = await store.load(id);
  if (record === null) throw new ToolmountError("SESSION_NOT_FOUND", { session: id });
  const { userId } = record.data;
  return typeof userId === "string" ? userId : null;
}

/** Later layers win. A model of another provider drops the server, the key and the module of the layers before it. */
function merged(
  coordinator: Coordinator,
  settings: Settings,
  agent: Agent | null,
  given: Partial<Settings>,
): Settings {
  const providerOf = (model: string) => providerIn(coordinator, model);
  let all: Partial<Settings> = {};
  for (const layer of [settings, agentSettings(agent), given]) {
    const own = defined(layer);
    const isOther =
      own.model !== undefined && all.model !== undefined && providerOf(own.model) !== providerOf(all.model);
    const { apiKey: _, baseUrl: __, provider: ___, callsTools: ____, ...rest } = all;
    all = { ...(isOther ? rest : all), ...own };
  }
  return requireConsistent(settingsSchema.parse(all));
}

function withMore(settings: Settings, more: string | undefined): Settings {
  if (more === undefined) return settings;
  return { ...settings, instructions: [settings.instructions, more].filter(Boolean).join("\n\n") };
}

/** One provider's key must not reach the server of another, also not of one that a module mounts. */
function providerIn(coordinator: Coordinator, model: string): string {
  const [prefix = ""] = model.split(":");
  const isMounted = model.includes(":") && coordinator.get("models", prefix) !== null;
  return isMounted ? prefix : modelVariables(model).provider;
}

function agentSettings(agent: Agent | null): Partial<Settings> {
  return defined({ model: agent?.model, maxIterations: agent?.maxIterations, budgets: agent?.budgets });
}

function defined(given: Readonly<Record<string, unknown>>): Partial<Settings> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The parent of a sub-agent reads a text. */
function ownOutput({ parentId }: SessionFacts, settings: Settings): Settings {
  return parentId === null ? settings : { ...settings, outputSchema: undefined };
}
