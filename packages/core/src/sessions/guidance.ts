import type { ToolInfo } from "../contract/tool.ts";

/**
 * The block of a system prompt that explains to a model when and how to call its tools. Each tool has its usage text, else
 * its description, between markers with its name; each tool that may be activated has a line.
 *
 * The same tools give the same text. A tool's text cannot close its block: markers inside of it are broken up.
 */
export function guidanceOf(tools: readonly ToolInfo[], available: readonly ToolInfo[]): string {
  if (tools.length === 0 && available.length === 0) return "";
  const parts = tools.map((tool) => block(`TOOL ${tool.name}`, textOf(tool)));
  if (available.length > 0) parts.push(block("AVAILABLE TOOLS", available.map(line).join("\n")));
  return block("TOOL GUIDANCE", parts.join("\n"));
}

/** Authors use their own name for a tool; when the plan renamed the tool, the text begins with a note. */
function textOf({ name, declaredName, usage, description }: ToolInfo): string {
  const text = cleaned(usage ?? description);
  const isRenamed = name !== declaredName && text.includes(declaredName);
  return isRenamed ? `Here ${declaredName} is called ${name}.\n\n${text}` : text;
}

function block(title: string, text: string): string {
  return `<<<BEGIN ${title}>>>\n${text}\n<<<END ${title}>>>`;
}

function line(tool: ToolInfo): string {
  return `- ${tool.name}: ${cleaned(summaryOf(tool)).replace(/\s+/g, " ")}`;
}

/** One line for a list of tools: the tool's own summary, else the first sentence of its description. */
export function summaryOf({ summary, description }: ToolInfo): string {
  return summary ?? /^.*?[.!?](?=\s|$)/s.exec(description)?.[0] ?? description;
}

function cleaned(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("<<<", "< < <").replaceAll(">>>", "> > >").trim();
}
