import type { ToolInfo } from "../contract/tool.ts";

/**
 * Returns the block of a system prompt that explains to a model when and how to call its tools. Each tool has its usage text, or
 * else its description, between markers with its name; each tool that may be activated has a line.
 *
 * The same tools give the same text. A tool's text cannot close its block, because markers in it are broken up.
 */
export function guidanceOf(tools: readonly ToolInfo[], available: readonly ToolInfo[]): string {
  const parts = tools.flatMap((tool) => usageBlock(tool, tool.usage ?? tool.description));
  return enclosed([...parts, ...listOf("AVAILABLE TOOLS", available)]);
}

/**
 * Returns the block for a request that also has the definitions of the tools. A tool without a usage text and without a new
 * name is left out: the model has its description already. A summary replaces each usage text, which is often longer than the
 * definition and is paid for in each request. A tool of Aptix keeps its usage text, because that contract promises it.
 */
export function guidanceBesideDefinitions(
  tools: readonly ToolInfo[],
  available: readonly ToolInfo[],
): string {
  return enclosed([...tools.flatMap(briefOf), ...listOf("AVAILABLE TOOLS", available)]);
}

function briefOf(tool: ToolInfo): readonly string[] {
  if (tool.origin === "aptix") return usageBlock(tool, tool.usage ?? "");
  return hasGuidance(tool) ? [line(tool)] : [];
}

/** Returns the block with a mode's text for the model; empty if the mode has no text. */
export function modeTextOf(mode: string, text: string): string {
  const said = cleaned(text);
  return said === "" ? "" : block(`MODE ${mode}`, said);
}

function hasGuidance(tool: ToolInfo): boolean {
  return cleaned(tool.usage ?? "") !== "" || renamedNote(tool) !== "";
}

function usageBlock(tool: ToolInfo, usage: string): readonly string[] {
  const text = [renamedNote(tool), cleaned(usage)].filter((part) => part !== "").join("\n\n");
  return text === "" ? [] : [block(`TOOL ${tool.name}`, text)];
}

function enclosed(parts: readonly string[]): string {
  return parts.length === 0 ? "" : block("TOOL GUIDANCE", parts.join("\n"));
}

function listOf(title: string, tools: readonly ToolInfo[]): readonly string[] {
  return tools.length === 0 ? [] : [block(title, tools.map(line).join("\n"))];
}

/** Returns a note with the plan's name for a tool, if the author's texts use the author's name for it; empty otherwise. */
function renamedNote({ name, declaredName, usage = "", description }: ToolInfo): string {
  if (name === declaredName) return "";
  const words = `${usage} ${description}`.split(/[^\w.-]+|[.-]+(?=\s|$)/);
  return words.includes(declaredName) ? `Here ${declaredName} is called ${name}.` : "";
}

function block(title: string, text: string): string {
  return `<<<BEGIN ${title}>>>\n${text}\n<<<END ${title}>>>`;
}

function line(tool: ToolInfo): string {
  const text = [cleaned(summaryOf(tool)).replace(/\s+/g, " "), renamedNote(tool)].filter(Boolean).join(" ");
  return `- ${tool.name}: ${text}`;
}

/** Returns one line for a list of tools: the tool's own summary, or else the first sentence or point of its description. */
export function summaryOf({ summary, description }: Pick<ToolInfo, "summary" | "description">): string {
  if (summary !== undefined) return summary;
  const [first = ""] = description.trim().split(/\r?\n\s*(?:\r?\n|[-*#] )/, 1);
  const text = first.replaceAll(/\s+/g, " ");
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

function cleaned(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("<<<", "< < <").replaceAll(">>>", "> > >").trim();
}
