import { basename } from "node:path";
import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";
import type { Path } from "../diagnostics/positions.ts";
import { asValue, type BundleReading, type Home } from "./bundle.ts";
import { findText } from "./find-bundle.ts";
import { withMentions } from "./mentions.ts";

type Entry = readonly [string, JsonObject];

/**
 * Returns a bundle's agents as the section `agents` of a plan: agents in files with the texts of these files, and agents written
 * in the bundle itself.
 */
export async function compileAgents(
  written: Json | undefined,
  home: Home,
  reading: BundleReading,
): Promise<JsonObject> {
  if (written === undefined || written === null) return {};
  if (!isRecord(written)) {
    reading.complain(["agents"], noList);
    return {};
  }
  const { include = [], ...own } = written;
  const entries: Entry[] = [];
  for (const [index, name] of textsOf(include).entries())
    entries.push(...(await agentOfFile(name, ["agents", "include", index], home, reading)));
  for (const [name, agent] of Object.entries(own))
    if (isRecord(agent)) entries.push(await ownAgent(name, agent, home, reading));
  return Object.fromEntries(entries);
}

function textsOf(list: Json | undefined): readonly string[] {
  return isList(list) ? list.filter((one) => typeof one === "string") : [];
}

const noList =
  "who may be delegated to is not mapped; name the agents in agents.include, or leave out the delegating tool";

async function agentOfFile(
  name: string,
  path: Path,
  home: Home,
  reading: BundleReading,
): Promise<readonly Entry[]> {
  const found = findText(name, { home, bundles: reading.bundles, folder: "agents" });
  if ("problem" in found) {
    reading.complain(path, found.problem);
    return [];
  }
  const head = await reading.readHead(found.file);
  if (head === null) return [];
  const { meta, ...rest } = head.value;
  const { name: _, ...facts } = isRecord(meta) ? meta : {};
  const agent = { ...facts, ...rest };
  const at = { body: head.body, home: { ...found.home, file: found.file } };
  const instruction = asValue(await withMentions(at, [], reading));
  return [[name, { ...requireOwn(name, agent, path, reading), instruction }]];
}

/** Compiles an agent that the bundle itself writes. Its `instructions` may name a file. */
async function ownAgent(name: string, agent: JsonObject, home: Home, reading: BundleReading): Promise<Entry> {
  const path = ["agents", name];
  const kept = requireOwn(name, agent, path, reading);
  const { instructions } = kept;
  if (typeof instructions !== "string" || !/^[\w.-]+:[\w./-]+$/.test(instructions)) return [name, kept];
  const found = findText(instructions, { home, bundles: reading.bundles });
  const body = "problem" in found ? undefined : await reading.readText(found.file);
  if ("problem" in found || body === undefined) {
    const problem = "problem" in found ? found.problem : `${instructions} cannot be read as a text`;
    reading.complain([...path, "instructions"], problem);
    return [name, kept];
  }
  const text = await withMentions(
    { body: body.trim(), home: { ...found.home, file: found.file } },
    [],
    reading,
  );
  return [name, { ...kept, instructions: asValue(text) }];
}

/** Returns an agent without `model_role`, which is kept for `compileRoles`. Reports an agent that delegates to others. */
function requireOwn(name: string, agent: JsonObject, path: Path, reading: BundleReading): JsonObject {
  const { model_role: role, agents = "none", ...kept } = agent;
  const roles = typeof role === "string" ? [role] : textsOf(role);
  if (roles.length > 0) reading.bundles.roles.set(name, roles);
  if (agents !== "none")
    reading.complain(
      path,
      `the agent ${basename(name)} delegates to others, which sub-agents of a plan cannot`,
    );
  return kept;
}
