import type { ToolInfo } from "@toolmount/core";

/** Most characters of a value in the sentence; the arguments below it are whole. */
const maxValue = 60;

/** A call as a sentence without a full stop: `Delete order o-3`, of the tool's name and the argument that decides most. */
export function callSentence(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  facts: Pick<ToolInfo, "control" | "inputSchema"> | undefined,
): string {
  const words = tool.replaceAll(/[_.-]+/g, " ").trim();
  const name = words.charAt(0).toUpperCase() + words.slice(1);
  const required = (facts?.inputSchema["required"] ?? []) as readonly string[];
  const order = [...(facts?.control ?? []), ...required, ...Object.keys(given)];
  const value = order.map((key) => shortText(given[key])).find((text) => text !== undefined);
  return value === undefined ? name : `${name} ${value}`;
}

/** The first line of a text, or a number. */
function shortText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const [line = ""] = value.trim().split("\n");
  return line.length > maxValue || line !== value.trim() ? `${line.slice(0, maxValue)}…` : line;
}
