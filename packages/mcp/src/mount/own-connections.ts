import type { Tool } from "@modelcontextprotocol/client";
import { ToolError } from "@toolmount/core/errors";
import type { ServerSettings } from "./config.ts";
import type { Connection } from "./connection.ts";

/** Returns the settings for one user's connection, in which the user's own headers and variables come last. */
export function settingsFor(settings: ServerSettings, user: string): ServerSettings {
  const { headers, env, users } = settings;
  const own = Object.hasOwn(users, user) ? users[user] : undefined;
  return { ...settings, headers: { ...headers, ...own?.headers }, env: { ...env, ...own?.env } };
}

/**
 * Returns the user for whom a server with `instance: user` is called. Throws if the call has no user, or if the server is a
 * program and its entry lists users, but not this one.
 */
export function requireUser(
  { name, command, users }: Pick<ServerSettings, "name" | "command" | "users">,
  user: string | undefined,
): string {
  if (user === undefined)
    throw new ToolError(
      `the MCP server "${name}" is used with the credentials of each user, and this call has no user`,
      { code: "MCP_NO_USER" },
    );
  if (command !== undefined && Object.keys(users).length > 0 && !Object.hasOwn(users, user))
    throw new ToolError(
      `the MCP server "${name}" has no credentials of the user "${user}"; the plan names them under users`,
      { code: "MCP_NO_USER" },
    );
  return user;
}

/**
 * Merges the tools that one user's connection lists into the known list. If a known tool has another definition there, that one
 * is used for all users. A tool that only this user has is left out. If no list is known yet, the user's list is used.
 */
export function mergeListed(known: readonly Tool[], ofUser: readonly Tool[]): readonly Tool[] {
  if (known.length === 0) return ofUser;
  const found = new Map(ofUser.map((tool) => [tool.name, tool]));
  return known.map((tool) => found.get(tool.name) ?? tool);
}

/** Maximum number of connections that are kept. Before another one is made, the least recently used one that runs no call is closed. */
const maxKept = 64;

/** The connections of one server, one for each session or user. */
export class KeptConnections {
  readonly #kept = new Map<string, Connection>();
  /** The calls that run, each with its connection. */
  readonly #running = new Map<object, Connection>();
  readonly #max: number;

  constructor(max = maxKept) {
    this.#max = max;
  }

  /**
   * Returns the connection of a session or a user, made at its first call. Throws a `ToolError` if there are `max` others and
   * each runs a call, because every connection may be a process.
   */
  of(key: string, connect: () => Connection): Connection {
    const known = this.#kept.get(key);
    if (known === undefined && this.#kept.size >= this.#max) this.#closeQuiet();
    const connection = known ?? connect();
    this.#kept.delete(key);
    this.#kept.set(key, connection);
    return connection;
  }

  #closeQuiet(): void {
    const busy = new Set(this.#running.values());
    const quiet = [...this.#kept].find(([, one]) => !busy.has(one));
    if (quiet === undefined)
      throw new ToolError(
        `the MCP server of this tool runs calls on all of its ${this.#max} connections; try again when one has ended`,
        { code: "MCP_SERVER_UNAVAILABLE" },
      );
    this.#kept.delete(quiet[0]);
    void quiet[1].close();
  }

  /** Runs `work` and keeps the connection open meanwhile. */
  async during<Value>(connection: Connection, work: () => Promise<Value>): Promise<Value> {
    const running = {};
    this.#running.set(running, connection);
    try {
      return await work();
    } finally {
      this.#running.delete(running);
    }
  }

  entries(): Iterable<[string, Connection]> {
    return this.#kept.entries();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.values()].map((connection) => connection.close()));
  }
}
