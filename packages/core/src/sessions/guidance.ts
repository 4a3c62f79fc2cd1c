import type { ToolInfo } from "../contract/tool.ts";

/**
 * Returns the block of a system prompt that explains to a model when and how to call its tools. Each tool has its usage text, else
 * its description, between markers with its name; each tool that may be activated has a line.
 *
 * The same tools give the same text. A tool's text cannot close its block: markers inside of it are broken up.
 */
export function guidanceOf(tools: readonly ToolInfo[], available: readonly ToolInfo[]): string {
  const parts = tools.flatMap((tool) => usageBlock(tool, tool.usage ?? tool.description));
  return enclosed([...parts, ...listOf("AVAILABLE TOOLS", available)]);
}

/**
 * The same for a request that has the definitions of the tools, too: a tool without a usage text is not in it, since the
 * model would pay for its description twice. The summary of a tool takes the place of its usage text, which is often longer than the
 * definition, and is paid for in each request; a tool of Aptix keeps its text, since that contract promises it.
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

/** What a mode says to the model; empty for a mode without a text. */
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

/** Authors use their own name for a tool. Where the plan renamed it and its texts have that name as a word, a note says so. */
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

/** One line for a list of tools: the tool's own summary, else the first sentence or point of its description. */
export function summaryOf({ summary, description }: Pick<ToolInfo, "summary" | "description">): string {
  if (summary !== undefined) return summary;
  const [first = ""] = description.trim().split(/\r?\n\s*(?:\r?\n|[-*#] )/, 1);
  const text = first.replaceAll(/\s+/g, " ");
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

function cleaned(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("<<<", "< < <").replaceAll(">>>", "> > >").trim();
}
