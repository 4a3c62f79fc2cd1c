import type { ToolDefinition } from "../contract/tool.ts";
import { ToolmountError } from "../contract/errors.ts";
import { maxTimerMs } from "../scheduling/limits.ts";
import type { PreparedSchema } from "../schema/schema.ts";

const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** Throws `TOOL_INVALID` for a name that no provider could take. */
export function requireName(name: string): void {
  if (typeof name !== "string" || !namePattern.test(name))
    throw invalid(
      name,
      "its name must be 1 to 128 of letters, digits, _ . and -, and begin with a letter, a digit or _",
    );
  if (name in Object.prototype)
    throw invalid(name, "its name is that of a member of every JavaScript object");
}

export function requireValid(definition: ToolDefinition): void {
  const problem = problemOf(definition);
  if (problem !== null) throw invalid(definition.name, problem);
}

function problemOf(definition: ToolDefinition): string | null {
  const { description, category, consequenceLevel, requiresConfirmation, execution, status } = definition;
  if (typeof definition.name !== "string") return "its name is not a text";
  if (typeof description !== "string" || description.trim() === "") return "its description is missing";
  if (typeof definition.execute !== "function") return "it has no execute";
  if (category !== undefined && !["read", "write", "delete", "side_effect"].includes(category))
    return `its category is ${JSON.stringify(category)}; it may be read, write, delete or side_effect`;
  if (consequenceLevel !== undefined && !["low", "medium", "high"].includes(consequenceLevel))
    return `its consequenceLevel is ${JSON.stringify(consequenceLevel)}; it may be low, medium or high`;
  if (requiresConfirmation !== undefined && !["boolean", "function"].includes(typeof requiresConfirmation))
    return "its requiresConfirmation is neither true, false nor a function";
  if (execution !== undefined && !["server", "client"].includes(execution))
    return "its execution is neither server nor client";
  if (status !== undefined && !["active", "deprecated", "internal", "removed"].includes(status))
    return "its status is not active, deprecated, internal or removed";
  if (definition.question !== undefined && typeof definition.question !== "string")
    return "its question is not a text";
  return undoProblem(definition);
}

function undoProblem(definition: ToolDefinition): string | null {
  const { undo, irreversible, preview } = definition as Partial<Record<keyof ToolDefinition, unknown>>;
  if (undo !== undefined && typeof undo !== "function") return "its undo is not a function";
  if (preview !== undefined && typeof preview !== "function") return "its preview is not a function";
  if (irreversible !== undefined && typeof irreversible !== "boolean")
    return "its irreversible is neither true nor false";
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
