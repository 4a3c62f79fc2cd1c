import type { ToolDefinition } from "../contract/tool.ts";
import { isToolmountError, ToolmountError } from "../contract/errors.ts";
import { maxTimerMs } from "../scheduling/rate.ts";
import type { PreparedSchema } from "../schema/schema.ts";

const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** Throws `TOOL_INVALID` with all problems of a definition, of its offered name, and of its schema. */
export function requireValid(definition: ToolDefinition, name: string, prepareSchema: () => void): void {
  const problems = [nameProblem(name), ...problemsOf(definition)].filter((problem) => problem !== null);
  if (problems.length === 0) return;
  throw invalid(name, [...problems, ...schemaProblems(prepareSchema)].join("; "));
}

/** Returns the problem of a name that no provider of models would accept; null for a valid name. */
function nameProblem(name: string): string | null {
  if (typeof name !== "string") return "its name is not a text";
  if (!namePattern.test(name))
    return "its name must be 1 to 128 of letters, digits, _ . and -, and begin with a letter, a digit or _";
  return name in Object.prototype ? "its name is that of a member of every JavaScript object" : null;
}

/** Returns the problem of the schema, to be reported with the others. A missing extension is not counted here. */
function schemaProblems(prepareSchema: () => void): string[] {
  try {
    prepareSchema();
    return [];
  } catch (error) {
    if (!isToolmountError(error) || error.code === "EXTENSION_MISSING") return [];
    return [(error.details as { readonly problem: string }).problem];
  }
}

function problemsOf(definition: ToolDefinition): (string | null)[] {
  const { description, category, consequenceLevel, requiresConfirmation, execution, status } = definition;
  const isText = typeof description === "string" && description.trim() !== "";
  const asks = requiresConfirmation === undefined ? "boolean" : typeof requiresConfirmation;
  return [
    isText ? null : "its description is missing",
    typeof definition.execute === "function" ? null : "it has no execute",
    oneOf("category", category, ["read", "write", "delete", "side_effect"]),
    oneOf("consequenceLevel", consequenceLevel, ["low", "medium", "high"]),
    asks === "boolean" || asks === "function"
      ? null
      : "its requiresConfirmation is neither true, false nor a function",
    oneOf("execution", execution, ["server", "client"]),
    oneOf("status", status, ["active", "deprecated", "internal", "removed"]),
    definition.question === undefined || typeof definition.question === "string"
      ? null
      : "its question is not a text",
    undoProblem(definition),
  ];
}

function oneOf(member: string, value: unknown, allowed: readonly string[]): string | null {
  if (value === undefined || allowed.includes(value as string)) return null;
  const list = `${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}`;
  return `its ${member} is ${JSON.stringify(value)}; it may be ${list}`;
}

function undoProblem(definition: ToolDefinition): string | null {
  const { undo, idempotentUndo, irreversible, preview, difference } = definition as Partial<
    Record<keyof ToolDefinition, unknown>
  >;
  if (undo !== undefined && typeof undo !== "function") return "its undo is not a function";
  if (difference !== undefined && typeof difference !== "function") return "its difference is not a function";
  if (preview !== undefined && typeof preview !== "function") return "its preview is not a function";
  if (irreversible !== undefined && typeof irreversible !== "boolean")
    return "its irreversible is neither true nor false";
  if (idempotentUndo !== undefined && typeof idempotentUndo !== "boolean")
    return "its idempotentUndo is neither true nor false";
  if (idempotentUndo === true && undo === undefined) return "it has no undo that could be idempotent";
  if (undo !== undefined && irreversible === true) return "it has undo and says that it is irreversible";
  return null;
}

export function requireTimeout(tool: string, timeoutMs: number): number {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs <= maxTimerMs) return timeoutMs;
  throw invalid(
    tool,
    `its timeout is ${String(timeoutMs)}; it must be a whole number of milliseconds from 1 to ${maxTimerMs}, or 0 for none`,
  );
}

export function requireObject(tool: string, { json }: PreparedSchema): void {
  if (json["type"] !== undefined && json["type"] !== "object")
    throw invalid(tool, `its schema is of type ${JSON.stringify(json["type"])}; arguments are an object`);
}

function invalid(tool: unknown, problem: string): ToolmountError {
  return new ToolmountError("TOOL_INVALID", { tool: String(tool).slice(0, 128), problem });
}
