import type { Tool } from "@modelcontextprotocol/client";
import { isToolmountError, type Coordinator, type ToolDefinition, type ToolInfo } from "@toolmount/core";
import { digestOf, withoutUndefined } from "@toolmount/core/json";
import { foldName, requireNoHiddenText } from "@toolmount/core/modules";
import { offeredAfter, type KeptDefinitions } from "../wire/kept-definitions.ts";
import type { OfferedSkill } from "../wire/skills.ts";
import type { ServerSettings } from "./config.ts";
import { exposedOf, requestTools } from "./exposed-definitions.ts";
import { skillOf, skillProblem, toOffered } from "./skills.ts";
import type { ServerStatus } from "../wire/server-status.ts";
import { mountedName, schemaNotes } from "./tool-definition.ts";
import { withUi } from "./ui.ts";

interface MountedTool {
  readonly tool: Tool;
  readonly name: string;
  readonly digest: string;
  /** The skill that this tool reads; undefined for a tool of the server itself. */
  readonly skill: OfferedSkill | undefined;
  readonly undo: () => void;
}

/** Maximum number of sentences about one server in its status; later ones are neither kept nor logged. */
const maxOddities = 200;

/** Mounts and unmounts the tools of one server, and the internal tools for what it exposes. */
export class MountedTools {
  readonly #coordinator: Coordinator;
  readonly #settings: ServerSettings;
  readonly #define: (tool: Tool, name: string) => ToolDefinition;
  /** Definitions in the lock file, by the server's names. */
  readonly #accepted: ReadonlyMap<string, Tool>;
  /** Sentences about what was not taken as the server wrote it. */
  readonly #oddities = new Set<string>();
  readonly #mounted = new Map<string, MountedTool>();
  /** What the host says of the mounted tools, by the names under which they were mounted. */
  #seen: ReadonlyMap<string, ToolInfo> = new Map();
  /** Names of the mounted tools, folded by `foldName`: two names are the same if they differ only by case, `-` or `_`. */
  readonly #taken = new Set<string>();
  readonly #refused = new Map<string, string>();
  #listed: readonly Tool[] = [];
  #isMounted = false;
  /** Definitions by the names under which the host offers them. */
  #offered: KeptDefinitions = new Map();

  constructor(
    coordinator: Coordinator,
    settings: ServerSettings,
    define: (tool: Tool, name: string) => ToolDefinition,
    locked: readonly Tool[] | null,
  ) {
    this.#coordinator = coordinator;
    this.#settings = settings;
    this.#define = define;
    this.#accepted = new Map(locked?.map((tool) => [tool.name, tool]));
  }

  /** The definitions of all tools, as the server listed them most recently. */
  get listed(): readonly Tool[] {
    return this.#listed;
  }

  get offered(): KeptDefinitions {
    return this.#offered;
  }

  get skills(): readonly OfferedSkill[] {
    return [...this.#mounted.values()].flatMap(({ skill }) => skill ?? []);
  }

  get status(): Pick<ServerStatus, "oddities" | "refused"> {
    const refused = [...this.#refused].map(([tool, problem]) => ({ tool, problem }));
    return this.#oddities.size === 0 ? { refused } : { refused, oddities: [...this.#oddities] };
  }

  /** Logs a sentence about the server and keeps it for the status, once. */
  noteOddity(sentence: string): void {
    if (this.#oddities.has(sentence) || this.#oddities.size >= maxOddities) return;
    this.#oddities.add(sentence);
    this.#coordinator.logger.warn({ server: this.#settings.name }, sentence);
  }

  /** Returns the mounted tools with the names under which the module mounted them. */
  mounted(): readonly Pick<MountedTool, "tool" | "name">[] {
    return [...this.#mounted.values()];
  }

  /** Returns what the host says of a tool of the server. */
  infoOf(tool: string): ToolInfo | undefined {
    return this.#seen.get(this.#mounted.get(tool)?.name ?? "");
  }

  /** Mounts the tools of the server. A tool that the host refuses is left out and named in the status. */
  mountAll(tools: readonly Tool[]): void {
    const before = this.#names();
    this.#isMounted = true;
    this.#listed = tools;
    for (const tool of this.#withRequests(tools)) this.#mount(tool);
    this.#noteOffered(before);
  }

  /**
   * Mounts what is new or changed in the server's list, and unmounts what is gone. The host compares each definition with the
   * lock file when it is mounted: one that is not accepted cannot be called.
   */
  async change(tools: readonly Tool[]): Promise<void> {
    this.#listed = tools;
    if (!this.#isMounted) return;
    const all = this.#withRequests(tools);
    const now = new Map(all.map((tool) => [tool.name, tool]));
    const gone = [...this.#mounted.values()].filter(
      ({ tool, digest }) => !now.has(tool.name) || digestOf(now.get(tool.name)) !== digest,
    );
    const fresh = all.filter(
      ({ name }) => !this.#mounted.has(name) || gone.some(({ tool }) => tool.name === name),
    );
    if (gone.length === 0 && fresh.length === 0) return;
    for (const { tool, name, undo } of gone) {
      undo();
      this.#taken.delete(foldName(name));
      this.#mounted.delete(tool.name);
    }
    const before = this.#names();
    for (const tool of fresh) this.#mount(tool, true);
    this.#noteOffered(before);
    this.#coordinator.logger.info(
      { server: this.#settings.name, gone: gone.length, fresh: fresh.length },
      "an MCP server changed its tools",
    );
    await this.#coordinator.hooks.emit("mcp:changed", { server: this.#settings.name });
  }

  /** Returns the server's tools and the internal ones for clients' requests, which the host adds. */
  #withRequests(tools: readonly Tool[]): readonly Tool[] {
    // If two names would be mounted as the same one, a name that needs no change gets it, whatever the order of the list.
    const own = tools.filter((tool) => exposedOf(tool) === undefined);
    const keyOf = ({ name }: Tool) => `${/^[\w.-]+$/.test(name) ? 0 : 1}${name}`;
    const sorted = own.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const others = tools.filter((tool) => exposedOf(tool) !== undefined);
    return [...sorted, ...others, ...requestTools(this.#settings)];
  }

  /** Mounts one tool. With `isLive`, the plan is mounted already, so a problem with this tool keeps out only this tool. */
  #mount(listed: Tool, isLive = false): void {
    const { logger } = this.#coordinator;
    const tool = withUi(this.#asAccepted(listed), this.#settings);
    const name = mountedName(tool.name, this.#taken);
    const isTwice = this.#mounted.has(tool.name);
    const problem = isTwice ? "the server lists two tools of this name" : skillProblem(tool);
    if (problem !== undefined) return void this.#refused.set(tool.name, problem);
    try {
      if (this.#settings.hiddenText === "refuse") requireShownTexts(tool);
      const undo = this.#mountOne(tool, name);
      for (const note of schemaNotes(tool)) this.noteOddity(`tool "${tool.name}": ${note}`);
      const skill = skillOf(tool);
      const offered = skill && toOffered(skill);
      this.#taken.add(foldName(name));
      this.#mounted.set(tool.name, { tool, name, digest: digestOf(listed), skill: offered, undo });
      this.#refused.delete(tool.name);
    } catch (error) {
      if (!isToolmountError(error) || !(isLive || refusals.has(error.code))) throw error;
      logger.warn({ tool: tool.name, err: error }, "a tool of an MCP server was left out");
      this.#refused.set(tool.name, error.message);
    }
  }

  #asAccepted(listed: Tool): Tool {
    const { tool, differs } = asAccepted(listed, this.#accepted.get(listed.name));
    if (differs.length > 0)
      this.noteOddity(
        `tool "${listed.name}": ${differs.join(" and ")} differ${differs.length === 1 ? "s" : ""} from the lock file, and clients see what was accepted; toolmount lock --accept takes the new ones`,
      );
    return tool;
  }

  /** Mounts a tool. If its output schema cannot be compiled, the tool is mounted without this schema. */
  #mountOne(tool: Tool, name: string): () => void {
    try {
      return this.#coordinator.mount("tools", this.#define(tool, name));
    } catch (error) {
      const { outputSchema, ...others } = tool;
      if (outputSchema === undefined || !isToolmountError(error) || !refusals.has(error.code)) throw error;
      const undo = this.#coordinator.mount("tools", this.#define(others, name));
      this.noteOddity(`tool "${tool.name}": its outputSchema cannot be used (${error.message}); left out`);
      return undo;
    }
  }

  #infos(): readonly ToolInfo[] {
    return [...(this.#coordinator.get("tools") as ReadonlyMap<string, ToolInfo>).values()];
  }

  #names(): ReadonlySet<string> {
    return new Set(this.#infos().map(({ name }) => name));
  }

  /** Notes the names that the host gave to the tools that were just mounted. */
  #noteOffered(before: ReadonlySet<string>): void {
    const mounted = new Map([...this.#mounted.values()].map(({ name, tool }) => [name, tool]));
    const infos = this.#infos();
    this.#offered = offeredAfter(this.#offered, before, infos, mounted);
    const own = infos.filter(({ name }) => this.#offered.has(name));
    this.#seen = new Map(own.map((info) => [info.declaredName, info]));
  }
}

/** Refuses hidden text in those parts of a definition that the host does not check, because clients get them, too. */
function requireShownTexts({ name, title, annotations, icons, _meta }: Tool): void {
  requireNoHiddenText(name, { title, annotations, icons, _meta }, "set hiddenText: allow in mcp");
}

/** Codes of errors for which one tool of a server is left out while the others are mounted. */
const refusals: ReadonlySet<string> = new Set(["TOOL_INVALID", "SCHEMA_NOT_JSON"]);

/**
 * Returns a tool as clients see it: with the title, the icons and the `_meta` of the lock file. The lock's digest does not
 * cover these, so otherwise a server could give an accepted tool another name in front of people. `differs` names what the
 * server says differently now.
 */
export function asAccepted(
  tool: Tool,
  accepted: Tool | undefined,
): { tool: Tool; differs: readonly string[] } {
  if (accepted === undefined || isInDigest(tool) || isInDigest(accepted)) return { tool, differs: [] };
  const [own, shown] = [shownOf(tool), shownOf(accepted)];
  const differs = (["title", "icons", "_meta"] as const).filter(
    (name) => digestOf(own[name]) !== digestOf(shown[name]),
  );
  if (differs.length === 0) return { tool, differs };
  const { title, icons, _meta } = accepted;
  const shownTitle = accepted.annotations?.title;
  // The server's own hints stay, because the lock's digest covers the classification that the host derives from them.
  const annotations = tool.annotations ?? (shownTitle === undefined ? undefined : {});
  const hints = annotations && withoutUndefined({ ...annotations, title: shownTitle });
  return { tool: withoutUndefined({ ...tool, title, icons, _meta, annotations: hints }) as Tool, differs };
}

/** Whether the digest covers the `_meta`, because it holds the skill or the exposed item for which the tool was made. */
function isInDigest(tool: Tool): boolean {
  return skillOf(tool) !== undefined || exposedOf(tool) !== undefined;
}

function shownOf({ title, icons, _meta, annotations }: Tool) {
  return { title: [title ?? null, annotations?.title ?? null], icons: icons ?? null, _meta: _meta ?? null };
}
