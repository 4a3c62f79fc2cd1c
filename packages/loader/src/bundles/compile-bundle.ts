import { resolve } from "node:path";
import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";
import { asValue, type BundleReading, type Home, type Reference, type Written } from "./bundle.ts";
import { compileAgents } from "./bundle-agents.ts";
import { compileModes } from "./bundle-modes.ts";
import { fetchedSource } from "./find-bundle.ts";
import { withMentions } from "./mentions.ts";
import { compileRoles } from "./model-roles.ts";

/**
 * Compiles one bundle to a part of a mount plan: its modules, its agents from their files, and the files that it adds to the
 * prompt. The bundles that it includes were compiled before it.
 */
export async function compileBundle(
  { value, body }: Written,
  home: Home,
  reading: BundleReading,
): Promise<JsonObject> {
  const { bundle: _, includes: __, context, agents, ...rest } = value;
  const { bundles } = reading;
  if (body !== "") bundles.text = { body, home };
  bundles.context.push(...contextOf(context, home));
  const compiled = await compileAgents(agents, home, reading);
  return {
    ...withoutInclude(context),
    ...Object.fromEntries(
      Object.entries(rest).map(([key, section]) => [key, sectionOf(key, section, home, reading)]),
    ),
    // This section marks the plan as one of Amplifier, so it is written even if the bundle has no agent.
    agents: compiled,
  };
}

/**
 * Compiles what all bundles of a plan have together to its last part: the prompt, the modes and their rules, and the models of
 * roles.
 */
export async function compileWhole(reading: BundleReading): Promise<JsonObject> {
  const { text, context, replaced } = reading.bundles;
  const instructions = await withMentions(text, context, reading);
  const { modes, rules } = await compileModes(reading);
  const agents = await compileRoles(reading);
  return {
    ...(instructions !== "" && { agent: { instructions: asValue(instructions) } }),
    ...(modes !== undefined && { modes }),
    ...(rules.length > 0 && { policy: { rules } }),
    ...(replaced.size > 0 && { hooks: [...replaced].map((id) => ({ id, remove: true })) }),
    agents,
  };
}

/** Returns the references in the section `context`: those of the list `include`, and those of its other members. */
function contextOf(context: Json | undefined, home: Home): readonly Reference[] {
  if (!isRecord(context)) return [];
  const { include = [], config: _, ...named } = context;
  const written = [...(isList(include) ? include : []), ...Object.values(named)];
  return written.filter((one) => typeof one === "string").map((one) => ({ written: one, home }));
}

/** Returns only the `config` of the section `context`, because its other members become part of the prompt. */
function withoutInclude(context: Json | undefined): JsonObject {
  return isRecord(context) && context["config"] !== undefined
    ? { context: { config: context["config"] } }
    : {};
}

/** Hooks of Amplifier that are not mounted, because the compiled plan does their work. */
const compiledHooks: ReadonlySet<string> = new Set(["hooks-mode", "hooks-routing"]);

function sectionOf(key: string, section: Json, home: Home, reading: BundleReading): Json {
  if (!["tools", "hooks", "providers"].includes(key) || !isList(section)) return section;
  if (key === "hooks") for (const entry of section) noteHook(entry, reading);
  return section.map((entry) => entryOf(entry, home, reading));
}

function noteHook(entry: Json, { bundles: { hooks, replaced } }: BundleReading): void {
  const { module, config, id = module } = isRecord(entry) ? entry : {};
  if (typeof module !== "string" || !compiledHooks.has(module)) return;
  hooks.set(module, { ...hooks.get(module), ...(isRecord(config) && config) });
  replaced.add(typeof id === "string" ? id : module);
}

/** Returns an entry of a bundle as an entry of the plan: a relative source and references are resolved from the bundle. */
function entryOf(entry: Json, home: Home, reading: BundleReading): Json {
  if (!isRecord(entry)) return entry;
  const { instance_id: id, source, config, ...rest } = entry;
  return {
    ...rest,
    ...(id !== undefined && { id }),
    ...(source !== undefined && {
      source: typeof source === "string" ? fetchedSource(source, home) : source,
    }),
    ...(config !== undefined && { config: resolved(config, home, reading) }),
  };
}

/**
 * Replaces references such as `@notes:skills` in a config with the path of that folder or file. References to unknown bundles
 * stay.
 */
function resolved(config: Json, home: Home, reading: BundleReading): Json {
  if (isList(config)) return config.map((one) => resolved(one, home, reading));
  if (isRecord(config))
    return Object.fromEntries(
      Object.entries(config).map(([key, one]) => [key, resolved(one, home, reading)]),
    );
  const [, name = "", path = ""] =
    (typeof config === "string" && /^@([\w.-]+):([\w./-]+)$/.exec(config)) || [];
  const owner = path.split("/").includes("..") ? undefined : reading.bundles.homes.get(name);
  return owner === undefined ? config : asValue(resolve(owner.root, path));
}
