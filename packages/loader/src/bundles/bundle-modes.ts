import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";
import { asValue, type BundleReading } from "./bundle.ts";
import { withMentions } from "./mentions.ts";

/** The modes in the folders of all bundles, and the policy rules that apply in each mode. */
interface CompiledModes {
  readonly modes?: JsonObject;
  readonly rules: readonly JsonObject[];
}

/** The default mode, because a session of Amplifier begins without a mode. */
const noMode: JsonObject = { key: "off", displayName: "No mode", isDefault: true };

/**
 * Compiles the files in the folders `modes` of all bundles to modes and rules. Without Amplifier's hook `hooks-mode`, there are
 * no modes and no rules. The first mode with a name counts.
 */
export async function compileModes(reading: BundleReading): Promise<CompiledModes> {
  const { bundles } = reading;
  if (!bundles.hooks.has("hooks-mode")) return { rules: [] };
  const catalog = new Map<string, JsonObject>();
  const rules: JsonObject[] = [];
  for (const home of new Map([...bundles.homes.values()].map((one) => [one.root, one])).values())
    for (const file of filesIn(join(home.root, "modes"))) {
      const head = await reading.readHead(file);
      const mode = head?.value["mode"];
      if (head === null || !isRecord(mode)) continue;
      const { name } = mode;
      if (typeof name !== "string" || catalog.has(name)) continue;
      const text = await withMentions({ body: head.body, home: { ...home, file } }, [], reading);
      catalog.set(
        name,
        modeOf(name, mode, text, (problem) => reading.complainOf(file, problem)),
      );
      rules.push(...rulesOf(name, mode));
    }
  return catalog.size === 0 ? { rules } : { modes: { catalog: [noMode, ...catalog.values()] }, rules };
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".md"))
      .toSorted()
      .map((name) => join(folder, name));
  } catch {
    return []; // most bundles have no modes
  }
}

/** The policies in a mode's file. Each of them lists tools. */
const policies = ["safe", "warn", "confirm", "block"] as const;

function toolsOf(mode: JsonObject, policy: (typeof policies)[number]): readonly string[] {
  const { tools } = mode;
  const list = isRecord(tools) ? tools[policy] : undefined;
  return isList(list) ? list.map(String) : [];
}

function modeOf(
  name: string,
  mode: JsonObject,
  text: string,
  complain: (problem: string) => void,
): JsonObject {
  const { default_action: action = "block", description, tools, shortcut: _, name: __, ...others } = mode;
  const unknown = [
    ...Object.keys(others),
    ...Object.keys(isRecord(tools) ? tools : {}).filter(
      (key) => !(policies as readonly string[]).includes(key),
    ),
  ];
  for (const key of unknown) complain(`the mode ${name} has "${key}", which is not mapped`);
  const named = policies.flatMap((policy) => (policy === "block" ? [] : toolsOf(mode, policy)));
  const offered = action === "allow" ? ["*", ...toolsOf(mode, "block").map((tool) => `!${tool}`)] : named;
  return {
    key: name,
    displayName: name,
    ...(typeof description === "string" && { description: asValue(description) }),
    systemPromptSummary: asValue(text),
    tools: offered.length === 0 ? ["!*"] : offered,
  };
}

/** Returns the rules of a mode. Where Amplifier warns, and allows the call when the model tries again, the rule asks the user. */
function rulesOf(name: string, mode: JsonObject): readonly JsonObject[] {
  const rule = (tool: readonly string[], answer: string): readonly JsonObject[] =>
    tool.length === 0
      ? []
      : [{ match: { mode: name, tool: [...tool] as Json }, answer, reason: `the mode ${name}` }];
  return [
    ...rule([...toolsOf(mode, "confirm"), ...toolsOf(mode, "warn")], "ask"),
    ...rule(toolsOf(mode, "block"), "deny"),
  ];
}
