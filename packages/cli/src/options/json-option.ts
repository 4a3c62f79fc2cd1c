import type { JsonObject } from "@toolmount/core";
import { ToolmountError } from "@toolmount/core/errors";

/** Reads an option whose value is any JSON. Throws `USAGE_INVALID`, which names the option. */
export function readJson(option: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const problem = `${option} is not JSON: ${(cause as Error).message}`;
    throw new ToolmountError("USAGE_INVALID", { problem }, { cause });
  }
}

/** Reads an option whose value is a JSON object. Throws `USAGE_INVALID`, which names the option. */
export function readJsonObject(option: string, text: string | undefined): JsonObject | undefined {
  const value = readJson(option, text);
  if (value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value)))
    return value as JsonObject | undefined;
  throw new ToolmountError("USAGE_INVALID", { problem: `${option} is not a JSON object` });
}
