import { parseExact } from "@toolmount/core/json";
import type { Json, JsonSchema } from "@toolmount/core";
import { createSchemaCompiler, type Model } from "@toolmount/interop";
import { dropOptionalNulls } from "@toolmount/interop/internal";
import { isItem, message, textOf, type Item } from "../provider/items.ts";
import { otherFailure, type ModelError } from "../provider/model-error.ts";
import type { TurnState } from "./turn-state.ts";

/** Returns `refusal` if the model refused, `empty` if it wrote nothing, and null for an answer with text or calls. */
export function missingAnswer(items: readonly Item[]): "refusal" | "empty" | null {
  if (items.some(({ type }) => type === "function_call" || type === "custom_tool_call")) return null;
  const parts = items.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isItem) : []));
  const texts = parts.filter(({ text }) => typeof text === "string" && /\S/.test(text));
  if (texts.length === 0 && parts.some(({ refusal }) => typeof refusal === "string")) return "refusal";
  return /\S/.test(textOf(items)) ? null : "empty";
}

/**
 * Asks the model again, once, after an empty answer or one that does not match `outputSchema`, and says what was wrong.
 *
 * Resolves to whether the model is asked. It is not asked after a limit or a filter cut its answer: the next one would
 * be cut too.
 */
export async function triesAgain(state: TurnState, text: string): Promise<boolean> {
  const { log, emit } = state;
  const { incomplete, tries } = log.view.turn!;
  const problem = problemOf(state, text);
  if (tries > 0 || problem === null || (incomplete !== null && incomplete !== "empty")) return false;
  await log.append({ kind: "again", items: [message("developer", problem)] });
  emit({ type: "retry", kind: incomplete === "empty" ? "empty" : "invalid_output", afterMs: 0 });
  return true;
}

function problemOf({ log, settings, model }: TurnState, text: string): string | null {
  if (log.view.turn!.incomplete === "empty")
    return "[Your last answer was empty. Answer the user, or continue the work.]";
  if (settings.outputSchema === undefined) return null;
  const output = readOutput(text, settings.outputSchema, model);
  if (output.ok) return null;
  const { problem } = output.error.failure;
  return `[Your last answer cannot be used: ${problem}. Answer again, only with JSON that follows the schema.]`;
}

const sentences: Readonly<Record<string, string>> = {
  max_output_tokens:
    "the answer was cut at the limit of tokens; raise maxOutputTokens, or ask for less at once",
  content_filter: "a filter of the provider blocked the answer",
  refusal: "the model refused to answer",
  empty: "the model gave no answer, also when it was asked again",
  unread_call:
    "the model wrote a call into its text that cannot be read, so no tool ran; turn on the server's parser for the model's calls (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice and --tool-call-parser), or choose a model that the server has a template for",
};

/** Returns what a person reads about an incomplete turn. `reason` is `TurnResult.incomplete`. */
export function incompleteText(reason: string): string {
  return sentences[reason] ?? `the answer was cut: ${reason}`;
}

/** The value of a turn's last answer, or the problem with it. */
type Output<Problem> =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly error: Problem };

/** Reads the last answer of a turn with `outputSchema` as JSON and checks it against the schema. */
export function readOutput(text: string, schema: JsonSchema, place: Model): Output<ModelError> {
  const output = valueOf(text, schema);
  if (output.ok) return output;
  return {
    ok: false,
    error: otherFailure(place, `its answer is not as outputSchema asks: ${output.error}`),
  };
}

/** Returns the value of an answer, or what is wrong with it. */
export function valueOf(text: string, schema: JsonSchema): Output<string> {
  const given = jsonIn(text);
  if (given === undefined) return { ok: false, error: "it is not JSON" };
  const value = dropOptionalNulls(given, schema);
  const checked = createSchemaCompiler().compile(schema)(value);
  if (checked.ok) return { ok: true, value: value as Json };
  const issues = checked.issues.map(
    ({ path, message: said }) => `${path.join(".") || "the answer"}: ${said}`,
  );
  return { ok: false, error: issues.slice(0, 5).join("; ") };
}

/** Returns the JSON in an answer: all of it, a fenced block, or the text from its first to its last bracket; else undefined. */
function jsonIn(text: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(text)?.[1];
  const begins = text.search(/[{[]/);
  const ends = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  const candidates = [text, fenced, begins < 0 ? undefined : text.slice(begins, ends + 1)];
  for (const candidate of candidates) {
    try {
      if (candidate !== undefined) return parseExact(candidate);
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined;
}
