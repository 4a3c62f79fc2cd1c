import type { Tool } from "@modelcontextprotocol/client";
import { isToolmountError, type Coordinator, type ToolContext, type ToolInfo } from "@toolmount/core";
import { digestOf } from "@toolmount/core/internal";
import type { ExposedSource } from "../wire/exposed-source.ts";
import type { KeptDefinition, KeptDefinitions } from "../wire/kept-definitions.ts";
import type { OfferedSkill } from "../wire/skills.ts";
import type { Authorization } from "../auth/authorization.ts";
import { authorizationOf } from "./authorize.ts";
import type { CallServer } from "./call-server.ts";
import type { ServerSettings } from "./config.ts";
import { Connection } from "./connection.ts";
import { createExposedSource } from "./exposed.ts";
import { EraVerdict } from "./era.ts";
import { toolChanged } from "./failures.ts";
import { skillOf, skillProblem, toOffered } from "./skills.ts";
import type { ServerStatus } from "./status.ts";
import { servedUri, withUi } from "./ui.ts";
import { mountedName, toDefinition } from "./tool-definition.ts";
import { placeOf } from "./transport.ts";

/** Connections of sessions that are kept; the one that was quiet longest is closed. */
const maxSessionConnections = 64;

/** A tool of the server as it is mounted. */
interface MountedTool {
  readonly tool: Tool;
  readonly name: string;
  readonly digest: string;
  /** The skill that it reads; undefined for a tool of the server itself. */
  readonly skill: OfferedSkill | undefined;
  readonly undo: () => void;
}

/** One MCP server behind one entry of a plan: its connections, and its tools on the coordinator. */
export class MountedServer {
  /** The tools that it had when the plan was locked; null when the plan is not, or does not know them. */
  readonly locked: readonly Tool[] | null;
  readonly #coordinator: Coordinator;
  readonly #settings: ServerSettings;
  readonly #verdict = new EraVerdict();
  readonly #authorization: Authorization | undefined;
  readonly #main: Connection;
  readonly #sessions = new Map<string, Connection>();
  readonly #tools = new Map<string, MountedTool>();
  #listed: readonly Tool[] = [];
  #isMounted = false;
  #begun: Promise<unknown> | undefined;
  #exposed: ExposedSource | undefined;
  #refused: { tool: string; problem: string }[] = [];
  /** Definitions by the names under which the host offers them. */
  #offered: KeptDefinitions = new Map();

  constructor(coordinator: Coordinator, settings: ServerSettings, locked: readonly Tool[] | null) {
    this.locked = locked;
    this.#coordinator = coordinator;
    this.#settings = settings;
    const folder = coordinator.getCapability("session.working_dir") ?? undefined;
    this.#authorization = authorizationOf(coordinator, settings, folder, coordinator.logger);
    this.#main = this.#connection((tools) => void this.#change(tools));
  }

  get status(): ServerStatus {
    return { name: this.#settings.name, ...this.#main.status, refused: this.#refused };
  }

  get offered(): KeptDefinitions {
    return this.#offered;
  }

  /** What it has beside tools. */
  get exposed(): ExposedSource {
    return (this.#exposed ??= createExposedSource(this.#settings, this.#main));
  }

  /** The definitions of all its tools, as the server listed them. */
  get tools(): readonly Tool[] {
    return this.#listed;
  }

  /** The skills that its tools read. */
  get skills(): readonly OfferedSkill[] {
    return [...this.#tools.values()].flatMap(({ skill }) => skill ?? []);
  }

  /** Connects, and compares what the server offers now with what is mounted. Failures stand in the status. */
  async start(): Promise<void> {
    await this.#main.client().catch(() => {});
  }

  /** Connects, to see whether it can be reached, and returns the status of that. */
  async probe(): Promise<ServerStatus> {
    await this.start();
    const { status } = this;
    if (this.#settings.instance !== "shared") await this.#main.rest();
    return status;
  }

  /** Begins to connect; {@link list} says how that went. */
  begin(): void {
    this.#begun = this.#main.client();
    this.#begun.catch(() => {}); // list() rejects
  }

  /** Connects and asks what tools there are. */
  async list(): Promise<readonly Tool[]> {
    try {
      await (this.#begun ?? this.#main.client());
      return this.#listed;
    } finally {
      // A server for each call or session has served its purpose here.
      if (this.#settings.instance !== "shared") await this.#main.rest();
    }
  }

  /** Mounts the tools of the server. One that the host refuses is left out, and named in the status. */
  mountAll(tools: readonly Tool[]): void {
    const before = new Set(this.#infos().map(({ name }) => name));
    this.#isMounted = true;
    this.#refused = [];
    this.#listed = tools;
    for (const tool of tools) this.#mount(tool);
    this.#noteOffered(before);
  }

  async close(): Promise<void> {
    await Promise.all([this.#main, ...this.#sessions.values()].map((connection) => connection.close()));
  }

  #connection(onTools?: (tools: readonly Tool[]) => void): Connection {
    const { hooks, logger } = this.#coordinator;
    const settings = this.#settings;
    const onResource = (uri: string) =>
      void hooks.emit("mcp:resource_updated", { uri: servedUri(uri, settings) });
    const shared = {
      ...placeOf(this.#coordinator, settings),
      logger,
      verdict: this.#verdict,
      authProvider: this.#authorization,
    };
    return new Connection({ ...shared, onTools, onResource });
  }

  #mount(listed: Tool): void {
    const { logger } = this.#coordinator;
    const tool = withUi(listed, this.#settings);
    const taken = new Set([...this.#tools.values()].map(({ name }) => name));
    const name = mountedName(tool.name, taken);
    const isTwice = this.#tools.has(tool.name);
    const problem = isTwice ? "the server lists two tools of this name" : skillProblem(tool);
    if (problem !== undefined) {
      this.#refuse(tool, problem);
      return;
    }
    try {
      const undo = this.#coordinator.mount("tools", toDefinition(tool, name, this.#settings, this.#call));
      const skill = skillOf(tool);
      const offered = skill && toOffered(skill);
      this.#tools.set(tool.name, { tool, name, digest: digestOf(listed), skill: offered, undo });
    } catch (error) {
      if (!isToolmountError(error) || !refusals.has(error.code)) throw error;
      logger.warn({ tool: tool.name, err: error }, "a tool of an MCP server was left out");
      this.#refuse(tool, error.message);
    }
  }

  #refuse({ name }: Tool, problem: string): void {
    this.#refused.push({ tool: name, problem });
  }

  readonly #call: CallServer = async (params, context, options) => {
    const connection = this.#connectionFor(context);
    const accepted = this.#tools.get(params.name)?.digest;
    try {
      await connection.client(options.signal);
      // Connecting may have shown that the tool is not what was decided about.
      if (this.#tools.get(params.name)?.digest !== accepted)
        throw toolChanged(params.name, this.#settings.name);
      return await connection.call(params, options);
    } finally {
      if (this.#settings.instance === "call") await connection.close();
    }
  };

  #connectionFor({ sessionId = "" }: ToolContext): Connection {
    const { instance } = this.#settings;
    if (instance === "shared") return this.#main;
    if (instance === "call") return this.#connection();
    const connection = this.#sessions.get(sessionId) ?? this.#connection((tools) => void this.#change(tools));
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, connection);
    const [quietest] = this.#sessions.entries();
    if (this.#sessions.size > maxSessionConnections && quietest !== undefined) {
      this.#sessions.delete(quietest[0]);
      void quietest[1].close();
    }
    return connection;
  }

  /**
   * The server has other tools than before. What changed is mounted again, and so compared with the lock: a definition
   * that is not accepted cannot be called.
   */
  async #change(tools: readonly Tool[]): Promise<void> {
    this.#listed = tools;
    if (!this.#isMounted) return;
    const now = new Map(tools.map((tool) => [tool.name, tool]));
    const gone = [...this.#tools.values()].filter(
      ({ tool, digest }) => !now.has(tool.name) || digestOf(now.get(tool.name)) !== digest,
    );
    const fresh = tools.filter(
      ({ name }) => !this.#tools.has(name) || gone.some(({ tool }) => tool.name === name),
    );
    if (gone.length === 0 && fresh.length === 0) return;
    for (const { tool, undo } of gone) {
      undo();
      this.#tools.delete(tool.name);
    }
    const before = new Set(this.#infos().map(({ name }) => name));
    for (const tool of fresh) this.#mount(tool);
    this.#noteOffered(before);
    this.#coordinator.logger.info(
      { server: this.#settings.name, gone: gone.length, fresh: fresh.length },
      "an MCP server changed its tools",
    );
    await this.#coordinator.hooks.emit("mcp:changed", { server: this.#settings.name });
  }

  #infos(): readonly ToolInfo[] {
    return [...(this.#coordinator.get("tools") as ReadonlyMap<string, ToolInfo>).values()];
  }

  /** Notes which names the host gave to what was just mounted. */
  #noteOffered(before: ReadonlySet<string>): void {
    const mounted = new Map([...this.#tools.values()].map(({ name, tool }) => [name, tool]));
    const kept = [...this.#offered].filter(
      ([name, { declaredName, definition }]) => before.has(name) && mounted.get(declaredName) === definition,
    );
    const added = this.#infos()
      .filter(({ name }) => !before.has(name))
      .flatMap(({ name, declaredName }): [string, KeptDefinition][] => {
        const definition = mounted.get(declaredName);
        return definition === undefined ? [] : [[name, { declaredName, definition }]];
      });
    this.#offered = new Map([...kept, ...added]);
  }
}

/** Why one tool of a server is left out while the others are mounted. */
const refusals: ReadonlySet<string> = new Set(["TOOL_INVALID", "SCHEMA_NOT_JSON"]);
