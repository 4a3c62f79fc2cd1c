import type { Tool } from "@modelcontextprotocol/client";
import type { Coordinator, HostLink, SchemaCompiler, ToolContext, ToolDefinition } from "@toolmount/core";
import { lockDigest } from "@toolmount/core/modules";
import type { AskKind, PublishedSource } from "../wire/exposed-source.ts";
import { withShownTexts } from "../wire/foreign-texts.ts";
import type { Published } from "../wire/published.ts";
import type { ServerAuthorization } from "../auth/authorization.ts";
import { authorizationOf, lateStore } from "./authorize.ts";
import { browserSignInOf } from "./sign-in/browser-sign-in.ts";
import { ClientSignIn } from "./sign-in/client-sign-in.ts";
import type { ServerSettings } from "./config.ts";
import { Connection } from "./connection.ts";
import { exposedOf, groupOf, limitsOf } from "./exposed-definitions.ts";
import { ExposedServer } from "./exposed.ts";
import type { ConnectionOptions } from "./client.ts";
import { toolChanged } from "./failures.ts";
import { createWayStore, KnownWay } from "./known-way.ts";
import { MountedTools } from "./mounted-tools.ts";
import type { ServerStatus } from "../wire/server-status.ts";
import { servedUri } from "./ui.ts";
import { toDefinition, toInternal, type CallServer } from "./tool-definition.ts";
import { OptionalStart, type Start } from "./optional.ts";
import { KeptConnections, mergeListed, requireUser, settingsFor } from "./own-connections.ts";
import { placeOf } from "./transport.ts";

/** One MCP server of one entry of a plan: its connections, and its tools on the coordinator. */
export class MountedServer {
  /** The tools that the server had when the plan was locked; null if the plan is not locked or does not know them. */
  readonly locked: readonly Tool[] | null;
  readonly optional = new OptionalStart();
  /** The sign-in to the server with a browser; undefined if people do not sign in to it. */
  readonly signIn: ReturnType<typeof browserSignInOf>;
  readonly #coordinator: Coordinator;
  readonly settings: ServerSettings;
  readonly #known: KnownWay;
  readonly #authorizationOf: (settings: ServerSettings, user?: string) => ServerAuthorization | undefined;
  readonly #clientSignIn: ClientSignIn;
  readonly #main: Connection;
  /** The connections of sessions or of users. */
  readonly #kept = new KeptConnections();
  readonly tools: MountedTools;
  #begun: Promise<unknown> | undefined;
  readonly #exposed: ExposedServer;
  /** The toolmount hosts whose tools the server serves, directly or through other servers. */
  behind: readonly HostLink[] = [];

  constructor(coordinator: Coordinator, settings: ServerSettings, { locked, isReported }: Start) {
    this.locked = locked;
    this.#coordinator = coordinator;
    this.settings = settings;
    const folder = coordinator.getCapability("session.working_dir") ?? undefined;
    const isRemembered = folder !== undefined && coordinator.getCapability("session.in_layer") !== true;
    this.#known = new KnownWay(
      isRemembered ? createWayStore(folder, settings, coordinator.logger) : undefined,
    );
    const store = lateStore(coordinator, folder);
    const onPage = (this.signIn = browserSignInOf({ settings, folder, store }));
    this.#clientSignIn = new ClientSignIn({ settings, folder, store, logger: coordinator.logger, onPage });
    this.#authorizationOf = (own, user) => authorizationOf(coordinator, own, { folder, user });
    this.tools = new MountedTools(coordinator, settings, this.#define, locked);
    this.#main = this.#connection({ onTools: (tools) => void this.#change(tools), isReported });
    this.#exposed = new ExposedServer(settings, this.#main, (group, fresh) => {
      const others = this.tools.listed.filter((tool) => groupOf(exposedOf(tool)) !== group);
      return this.#change([...others, ...fresh]);
    });
  }

  get status(): ServerStatus {
    const { name, instance } = this.settings;
    const users = Array.from(instance === "user" ? this.#kept.entries() : [], ([user, { status }]) => {
      const { state, cause } = status;
      return { user, state, ...(cause !== undefined && { cause }) };
    });
    return { name, ...this.#main.status, ...this.tools.status, ...(users.length > 0 && { users }) };
  }

  get exposed(): PublishedSource {
    return this.#exposed.publish(() => this.tools.mounted());
  }

  /** Returns the server's instructions and the internal tool for them; undefined if it has none. */
  get instructions(): Published["mcp.instructions"] {
    for (const { name, tool } of this.tools.mounted()) {
      const exposed = exposedOf(tool);
      if (exposed?.kind === "instructions")
        return { server: this.settings.name, tool: name, text: exposed.text };
    }
    return undefined;
  }

  /** Connects, and compares what the server offers now with what is mounted. Does not reject: the status shows a failure. */
  async start(): Promise<void> {
    await this.#main.client().catch(() => {});
  }

  /** Connects, to find out whether the server can be reached, and returns the status. */
  async probe(): Promise<ServerStatus> {
    await this.start();
    const { status } = this;
    if (this.settings.instance !== "shared") await this.#main.rest();
    return status;
  }

  /** Starts to connect; {@link list} waits for the result. */
  begin(): void {
    this.#begun = this.#main.client();
    this.#begun.catch(() => {}); // list() rejects
  }

  async list(): Promise<readonly Tool[]> {
    try {
      await (this.#begun ?? this.#main.client());
      return this.tools.listed;
    } finally {
      // With an instance for each call or session, this connection was only for the list.
      if (this.settings.instance !== "shared") await this.#main.rest();
    }
  }

  /**
   * Mounts the tools of a server that the plan does not need. If it cannot be reached, it is tried again until it answers, and
   * then its tools are mounted. Resolves after the first attempt or, with `isLater`, at once.
   */
  async mountOptional(isLater: boolean): Promise<void> {
    const first = this.optional.first(this.list());
    const listed = isLater ? undefined : await first;
    this.tools.mountAll(listed ?? this.tools.listed);
    void first.then((found) => (found === undefined ? this.#keepAsking() : undefined));
  }

  async #keepAsking(): Promise<void> {
    const refusal = await this.#main.persist();
    if (refusal !== undefined) this.optional.waits = { error: refusal };
    if (this.settings.instance !== "shared") await this.#main.rest();
  }

  async close(): Promise<void> {
    await Promise.all([this.#clientSignIn.close(), this.#main.close(), this.#kept.close()]);
  }

  #connection({ onTools, user, isReported }: Partial<ConnectionOptions> = {}): Connection {
    const { hooks, logger } = this.#coordinator;
    const settings = user === undefined ? this.settings : settingsFor(this.settings, user);
    const place = placeOf(this.#coordinator, settings);
    const onResource = (uri: string) =>
      void hooks.emit("mcp:resource_updated", { server: settings.name, uri: servedUri(uri, settings) });
    const onHosts = (behind: readonly HostLink[]) => {
      place.chain?.requireOther(behind);
      this.behind = behind;
    };
    const onServedToItself = (error: unknown) => void (this.optional.waits = { error });
    const shared = {
      ...place,
      logger,
      onHosts,
      onServedToItself,
      onOddity: (sentence: string) => this.tools.noteOddity(sentence),
      known: this.#known,
      toolFor: (kind: AskKind) => this.exposed.toolFor(kind),
      user,
      authProvider: this.#authorizationOf(settings, user),
    };
    // While the server starts, loads the compiler of schemas and compiles a first one. This takes 100 ms, for which the first
    // call would otherwise wait. By then, the compiler is gone if the module could not be mounted.
    const compiler = this.#coordinator.get("schema-compiler") as SchemaCompiler | null;
    const onStarted = () => setImmediate(() => compiler?.compile({ not: {} }));
    return new Connection({ ...shared, onTools, onResource, onStarted, isReported });
  }

  readonly #define = (tool: Tool, name: string): ToolDefinition => {
    const exposed = exposedOf(tool);
    if (exposed === undefined) return toDefinition(tool, name, this.settings, this.#call);
    return toInternal(tool, name, limitsOf(exposed, this.settings), async (params, context) => {
      const { abortSignal: signal } = context;
      const { instance } = this.settings;
      const user = instance === "user" ? context.userId : undefined;
      const result = await this.#clientSignIn.call(user, context, async () => {
        const connection = instance === "user" ? this.#connectionFor(context) : this.#main;
        return this.#kept.during(connection, async () => {
          if (exposed.kind !== "request") await this.#connectFor(tool.name, connection, signal);
          return this.#exposed.run(exposed, params, { signal, connection });
        });
      });
      return withShownTexts(result, this.settings);
    });
  };

  /** Connects. Throws if the tool, as the host sees it, is now another one than that for which the host allowed the call. */
  async #connectFor(tool: string, connection: Connection, signal: AbortSignal | undefined): Promise<void> {
    const allowed = this.tools.infoOf(tool);
    await connection.client(signal);
    const now = this.tools.infoOf(tool);
    if (now === allowed) return;
    const isSame = allowed !== undefined && now !== undefined && lockDigest(now) === lockDigest(allowed);
    if (!isSame) throw toolChanged(tool, this.settings.name, this.locked !== null);
  }

  readonly #call: CallServer = (params, context, options) => {
    const user = this.settings.instance === "user" ? context.userId : undefined;
    return this.#clientSignIn.call(user, context, async () => {
      const connection = this.#connectionFor(context);
      try {
        return await this.#kept.during(connection, async () => {
          await this.#connectFor(params.name, connection, options.signal);
          return connection.call(params, options);
        });
      } finally {
        if (this.settings.instance === "call") await connection.close();
      }
    });
  };

  // The key holds the user, because two users may give their sessions the same name.
  #connectionFor({ sessionId = "", userId }: ToolContext): Connection {
    const { instance } = this.settings;
    if (instance === "shared") return this.#main;
    if (instance === "call") return this.#connection();
    if (instance === "session")
      return this.#kept.of(JSON.stringify([userId ?? null, sessionId]), () =>
        this.#connection({ onTools: (tools) => void this.#change(tools) }),
      );
    const user = requireUser(this.settings, userId);
    const onTools = (tools: readonly Tool[]) => void this.#change(mergeListed(this.tools.listed, tools));
    return this.#kept.of(user, () => this.#connection({ onTools, user }));
  }

  #change(tools: readonly Tool[]): Promise<void> {
    this.optional.waits = undefined;
    return this.tools.change(tools);
  }
}
