import { scanDefinition, type DefinitionFinding } from "../scan/definition.ts";
import type { ToolInfo } from "../contract/tool.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { Logger } from "../contract/logger.ts";

/** Kinds of findings that no honest definition needs. Findings of other kinds are only logged. */
const refused: ReadonlySet<string> = new Set([
  "tags",
  "zero-width",
  "variation-selectors",
  "bidi",
  "ansi",
  "control",
  "marks",
]);

/** Throws `TOOL_INVALID` for hidden characters, unless the program that adds the module allows them. Logs other findings. */
export function refuseHiddenText(info: ToolInfo, hiddenText: "refuse" | "allow", logger: Logger): void {
  const { name, description, inputSchema, outputSchema, usage, summary, question, tags } = info;
  const findings = scanDefinition({
    name,
    description,
    inputSchema,
    outputSchema,
    usage,
    summary,
    question,
    tags,
  });
  const hidden = findings.filter(({ kind }) => refused.has(kind));
  if (hidden.length > 0 && hiddenText === "refuse")
    throw refusal(name, hidden, "write a description of your own under tools in the module's entry");
  for (const { kind, path, message, excerpt } of findings)
    logger.warn({ tool: name, kind, path, excerpt }, `a tool's text ${message}`);
}

/** Throws `TOOL_INVALID` for hidden characters in parts of a definition that the host does not read; `remedy` says what allows them. */
export function requireNoHiddenText(
  tool: string,
  parts: Readonly<Record<string, unknown>>,
  remedy: string,
): void {
  const hidden = scanDefinition(parts).filter(({ kind }) => refused.has(kind));
  if (hidden.length > 0) throw refusal(tool, hidden, remedy);
}

function refusal(
  tool: string,
  [first, ...more]: readonly DefinitionFinding[],
  remedy: string,
): ToolmountError {
  const { path, message, excerpt } = first!;
  const others = more.length === 0 ? "" : `, and ${more.length} more like it`;
  return new ToolmountError("TOOL_INVALID", {
    tool,
    problem: `its ${path} ${message}: "${excerpt}"${others}; remove them, or ${remedy}`,
  });
}
