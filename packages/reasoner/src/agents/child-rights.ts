import type { SpawnRequest, ToolInfo } from "@toolmount/core";
import type { Agent } from "../config.ts";
import type { TurnHost } from "../reasoner-types.ts";
import type { SessionLog } from "../session/log.ts";

/** Lists of globs, each of which a tool has to fit. */
type Lists = readonly (readonly string[])[];

/** What holds a child beside what holds its parent: its agent's own list, what it is not given, and the parent's mode. */
export async function rightsOf(
  host: TurnHost,
  parent: SessionLog,
  agent: Agent | undefined,
  exclude: readonly string[],
): Promise<Lists> {
  const named = new Set(agent?.tools ?? []);
  const left = host
    .tools({ includeDeprecated: true })
    .filter((tool) => !named.has(tool.name) && namesOf(tool).some((name) => exclude.includes(name)));
  const without = allBut([...left.map(({ name }) => name), ...exclude.filter((name) => !named.has(name))]);
  return [...(agent === undefined ? [] : [agent.tools]), ...without, ...(await modeRights(host, parent))];
}

/** Whatever mode a child enters, it has no tool that its parent's mode does not offer now. */
export async function modeRights(host: TurnHost, { facts, view }: SessionLog): Promise<Lists> {
  const offer = await host.session(facts.id).offer({ turnId: view.turn?.turnId });
  const offered = new Set([...offer.tools, ...offer.available].map(({ name }) => name));
  return allBut(
    host
      .tools()
      .map(({ name }) => name)
      .filter((name) => !offered.has(name)),
  );
}

function allBut(names: readonly string[]): Lists {
  return names.length === 0 ? [] : [["*", ...[...new Set(names)].map((name) => `!${name}`)]];
}

/** How a plan may name a tool that it leaves out: by any of its names, or by its module. */
function namesOf({ name, declaredName, aliases, owner }: ToolInfo): readonly string[] {
  const module = owner.replace(/^@[^/]*\//, "");
  return [name, declaredName, ...aliases, owner, module, `tool-${module}`];
}

/** How many of the last sessions above one, itself counted, were begun as `self`; their ids tell. */
export function selfDepthOf(sessionId: string): number {
  const chain = /(?:-[0-9a-f]{16}_self)*$/.exec(sessionId)?.[0] ?? "";
  return chain.split("_self").length - 1;
}

/** Whether a request may go on with a session for its parent: one of its own, of the same user and the same agent. */
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
