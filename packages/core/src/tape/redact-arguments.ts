import { isRecord, type Json, type JsonObject } from "../json/json.ts";
import type { Redactor } from "../text/redact.ts";

/**
 * Masks secrets in the arguments of a call, by value and by name. A call that was not understood still has its arguments
 * as the model wrote them: names are found in that text, too, where it is the JSON of an object.
 */
export function redactArguments(given: Json, redact: Redactor): Json {
  if (typeof given !== "string") return redact(given);
  const object = parseObject(given);
  return object === null ? redact(given) : JSON.stringify(redact(object));
}

/** Masks secrets in an answer of a model, and in the arguments of its calls. */
export function redactAnswer(answer: JsonObject, redact: Redactor): JsonObject {
  const output = answer["output"];
  const redacted = redact(answer) as JsonObject;
  return Array.isArray(output)
    ? { ...redacted, output: output.map((item: Json) => redactItem(item, redact)) }
    : redacted;
}

function redactItem(item: Json, redact: Redactor): Json {
  const redacted = redact(item);
  if (!isRecord(item) || typeof item["arguments"] !== "string") return redacted;
  return { ...(redacted as JsonObject), arguments: redactArguments(item["arguments"], redact) };
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? (value as JsonObject) : null;
  } catch {
    return null; // the model wrote something else than JSON
  }
}
