import { isRecord, type Json, type JsonObject } from "../json/json.ts";
import { redactArguments, type Redactor } from "../text/redact.ts";

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
