import type { Host, SpawnRequest, ToolInfo } from "@toolmount/core";
import type { Agent } from "../config/settings.ts";
import type { SessionLog } from "../session/log.ts";

/** Lists of globs. A tool is allowed only if each of the lists allows it. */
export type GlobLists = readonly (readonly string[])[];

type RightsHost = Pick<Host, "session" | "tools">;

/**
 * Returns the restrictions of a sub-agent in addition to its parent's own: its agent's list of tools, excluded tools, and what
 * the parent's mode does not offer.
 */
export async function rightsOf(
  host: RightsHost,
  parent: SessionLog,
  agent: Agent | undefined,
  exclude: readonly string[],
): Promise<GlobLists> {
  const named = new Set(agent?.tools ?? []);
  const excluded = host
    .tools({ includeDeprecated: true })
    .filter((tool) => !named.has(tool.name) && namesOf(tool).some((name) => exclude.includes(name)));
  const without = allBut([
    ...excluded.map(({ name }) => name),
    ...exclude.filter((name) => !named.has(name)),
  ]);
  return [...(agent === undefined ? [] : [agent.tools]), ...without, ...(await modeRights(host, parent))];
}

/**
 * Returns a list that excludes the tools that the parent's mode does not offer now. It applies whatever mode the sub-agent
 * enters.
 */
export async function modeRights(host: RightsHost, { facts, view }: SessionLog): Promise<GlobLists> {
  const offer = await host.session(facts.id).offer({ turnId: view.turn?.turnId });
  const offered = new Set([...offer.tools, ...offer.available].map(({ name }) => name));
  return allBut(
    host
      .tools()
      .map(({ name }) => name)
      .filter((name) => !offered.has(name)),
  );
}

function allBut(names: readonly string[]): GlobLists {
  return names.length === 0 ? [] : [["*", ...[...new Set(names)].map((name) => `!${name}`)]];
}

/** Returns the names with which a plan may exclude a tool: the tool's own names, and those of its module. */
function namesOf({ name, declaredName, aliases, owner }: ToolInfo): readonly string[] {
  const module = owner.replace(/^@[^/]*\//, "");
  return [name, declaredName, ...aliases, owner, module, `tool-${module}`];
}

/**
 * Counts how many sessions in a row, up to this one, were begun with the agent `self`. Each of them adds a part that ends with
 * `_self` to the session's id.
 */
export function selfDepthOf(sessionId: string): number {
  const chain = /(?:-[0-9a-f]{16}_self)*$/.exec(sessionId)?.[0] ?? "";
  return chain.split("_self").length - 1;
}

/**
 * Tests whether a parent may resume a session: it began the session, for the same user, with the same agent. `foreign`: not its
 * session. `other agent`: the session has another agent than the request.
 */
export function isChildOf(
  child: SessionLog,
  parent: SessionLog,
  userId: string | null,
  { agent }: SpawnRequest,
): "yes" | "foreign" | "other agent" {
  if (child.facts.parentId !== parent.facts.id || child.facts.userId !== userId) return "foreign";
  const own = selfDepthOf(child.facts.id) > 0 ? "self" : (child.facts.agent ?? "self");
  return agent === undefined || agent === own || agent === child.facts.agent ? "yes" : "other agent";
}
