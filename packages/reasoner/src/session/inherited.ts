import type { InheritedScope, SpawnRequest } from "@toolmount/core";
import { message, readFunctionCall, readText, textOf, type Item } from "../provider/items.ts";
import type { SessionView } from "./view.ts";

/** Longest text of one inherited message, in characters. Source: Amplifier's tool-task. */
const maxInherited = 2_000;

/**
 * Returns the parent's conversation, or its last turns, as one message between markers. Null if nothing is inherited. The scope
 * `agents` adds the results of `agentTools`, the scope `full` the results of all tools.
 */
export function inherited(
  { items }: SessionView,
  inherit: SpawnRequest["inherit"],
  scope: InheritedScope,
  agentTools: ReadonlySet<string>,
): Item | null {
  if (inherit === undefined || (inherit !== "all" && inherit.turns === 0)) return null;
  const begins = items.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  const from = inherit === "all" ? 0 : (begins.at(-inherit.turns) ?? 0);
  const toolOf = new Map(items.map(readFunctionCall).map((call) => [call?.callId, call?.name ?? ""]));
  const lines = items.slice(from).flatMap((item) => {
    const { role, type } = item;
    if (role === "user" || role === "assistant") return [lineOf(readText(role), textOf([item]))];
    if (type !== "function_call_output" || scope === "conversation") return [];
    const tool = toolOf.get(readText(item["call_id"])) ?? "";
    if (scope === "agents" && !agentTools.has(tool)) return [];
    const { output } = item;
    return [lineOf(`result of ${tool}`, typeof output === "string" ? output : JSON.stringify(output))];
  });
  if (lines.length === 0) return null;
  return message("developer", `[BEGIN PARENT CONVERSATION]\n${lines.join("\n")}\n[END PARENT CONVERSATION]`);
}

function lineOf(author: string, text: string): string {
  return `${author}: ${text.slice(0, maxInherited)}`;
}
