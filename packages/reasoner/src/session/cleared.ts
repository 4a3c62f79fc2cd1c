import { isCall, isCallOutput, isItem, readText, type Item } from "../provider/items.ts";

/** How many characters of an output are kept when it is cleared. */
const headLength = 400;

const mark = "[cleared to make room:";

/** Returns the beginning of an output, with a note that says how the model can get the rest. */
function clearedOutput(item: Item, tool: string): Item {
  const text = outputText(item["output"]);
  const head = text.slice(0, headLength).toWellFormed();
  const call = `this result of ${tool}, call ${readText(item["call_id"])}, had ${text.length} characters`;
  const note = `${mark} ${call}; call ${tool} again if you need the rest]`;
  return { ...item, output: `${head}\n${note}` };
}

/** Tests whether clearing an output makes a conversation shorter: the output is long or has files, and was not cleared before. */
export function canBeCleared(item: Item): boolean {
  if (!isCallOutput(item)) return false;
  const text = outputText(item["output"]);
  const hasFiles =
    Array.isArray(item["output"]) && item["output"].some((part) => isItem(part) && !("text" in part));
  return (text.length > 3 * headLength || hasFiles) && !text.includes(mark);
}

export function isCleared(item: Item): boolean {
  return isCallOutput(item) && outputText(item["output"]).includes(mark);
}

/** Returns items in which the outputs of the given calls are cleared. */
export function withCleared(items: readonly Item[], callIds: readonly string[]): Item[] {
  const wanted = new Set<unknown>(callIds);
  const tools = new Map(items.filter(isCall).map((item) => [item["call_id"], readText(item["name"])]));
  return items.map((item) => {
    const id = item["call_id"];
    if (!isCallOutput(item) || !wanted.has(id)) return item;
    return clearedOutput(item, tools.get(id) || "the tool");
  });
}

function outputText(output: Item[string] | undefined): string {
  if (typeof output === "string") return output;
  const parts = Array.isArray(output) ? output.filter(isItem) : [];
  return parts.map(({ text, type }) => readText(text) || `(${readText(type)})`).join("\n");
}
