import type { Json } from "../json/json.ts";
import { mask, namesSecret, type Redactor } from "./redact.ts";

/**
 * Masks secrets in the arguments of a call, by value and by name. Arguments that no schema accepted are the text that a
 * model wrote: names are found in that text, too, also where it is broken JSON.
 */
export function redactArguments(given: Json, redact: Redactor): Json {
  if (typeof given !== "string") return redact(given);
  const value = parseJson(given);
  if (value === undefined) return redact(maskMembers(given));
  if (typeof value === "string") return JSON.stringify(redactArguments(value, redact));
  return typeof value === "object" && value !== null ? JSON.stringify(redact(value)) : redact(given);
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A name in text that is nearly JSON. Its quotes may be of either kind, escaped, or missing. */
const memberName = /(?:\\*["'])?([\w.-]{1,100})(?:\\*["'])?\s*[:=]\s*/g;

/**
 * A value: quoted text, which may be cut at the end; a list or an object, whose end is not known, so the rest belongs to
 * it; or anything else, to the end of the line or of the member.
 */
const memberValue = /\\*"(?:[^"\\]|\\.)*"?|\\*'(?:[^'\\]|\\.)*'?|[{[].*|[^\n,;}\]]*/sy;

function maskMembers(text: string): string {
  let shown = "";
  let from = 0;
  for (const { 0: start, 1: name, index } of text.matchAll(memberName)) {
    if (index < from || !namesSecret(name!)) continue;
    memberValue.lastIndex = index + start.length;
    const [value = ""] = memberValue.exec(text) ?? [];
    shown += `${text.slice(from, index + start.length)}"${mask}"`;
    from = index + start.length + value.length;
  }
  return shown + text.slice(from);
}
