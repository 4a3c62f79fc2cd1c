import { refusalOf } from "@toolmount/core/json";
import type { JsonObject } from "@toolmount/core";
import { ToolmountError } from "@toolmount/core/errors";
import { printable } from "../screen/printable.ts";

/**
 * Reads an option whose value is JSON; undefined without the option. Throws `USAGE_INVALID` with the option's name and the place
 * of the mistake.
 */
export function readJson(option: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const refused = refusalOf(text);
  if (refused !== null) throw new ToolmountError("USAGE_INVALID", { problem: `${option} has ${refused}` });
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const problem = `${option} is not JSON${placeOf(text, (cause as Error).message)}`;
    throw new ToolmountError("USAGE_INVALID", { problem }, { cause });
  }
}

/** How many characters are shown before and after a mistake. */
const around = 30;

/**
 * Returns lines that show the place of the mistake: the text around it, and a mark below. V8's message states the position; for a
 * short text it only names the character, which is then searched.
 */
function placeOf(text: string, message: string): string {
  const stated = /at position (\d+)/.exec(message)?.[1];
  const found = /^Unexpected token '(.)'/su.exec(message)?.[1];
  const at = stated === undefined ? Math.max(0, text.indexOf(found ?? "")) : Number(stated);
  const before = printable(text.slice(Math.max(0, at - around), at));
  const after = printable(text.slice(at, at + around));
  const what = /end of JSON input|Unterminated/.test(message) ? "it ends too early" : "the mark shows where";
  return `: ${what}\n  ${before}${after}\n  ${" ".repeat(before.length)}^`;
}

/** Reads an option whose value is a JSON object; undefined without the option. Throws `USAGE_INVALID` with the option's name. */
export function readJsonObject(option: string, text: string | undefined): JsonObject | undefined {
  const value = readJson(option, text);
  if (value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value)))
    return value as JsonObject | undefined;
  throw new ToolmountError("USAGE_INVALID", { problem: `${option} is not a JSON object` });
}
