import type { ModelPart } from "@toolmount/interop";
import { isItem, readText, type Item } from "./items.ts";
import { reportedFailure, type Place } from "./model-error.ts";
import { readResponse } from "./response.ts";

interface Assembly {
  /** Finished items, by their place in the answer. */
  readonly done: Map<number, Item>;
  /** Arguments of calls, by place; some servers send them only in their own event. */
  readonly callArguments: Map<number, string>;
  final: Item | null;
}

/**
 * Builds an answer from the events of a stream of the Responses API. Items are identified by their place, since some
 * servers change ids from event to event. A stream that ends without a final event has failed.
 */
export async function* readStream(events: AsyncIterable<unknown>, place: Place): AsyncIterable<ModelPart> {
  const assembly: Assembly = { done: new Map(), callArguments: new Map(), final: null };
  for await (const event of events) {
    const part = isItem(event) ? take(event, assembly, place) : null;
    if (part !== null) yield part;
    // Events after the final one belong to another response.
    if (assembly.final !== null) break;
  }
  if (assembly.final === null)
    throw reportedFailure(undefined, "the stream ended before the answer did", place);
  yield readResponse({ ...assembly.final, output: outputOf(assembly) }, place);
}

function take(event: Item, assembly: Assembly, place: Place): ModelPart | null {
  const index = typeof event["output_index"] === "number" ? event["output_index"] : 0;
  const { type, item, delta, response } = event;
  switch (readText(type)) {
    case "response.output_item.added":
      return isItem(item) ? { type: "begin", index, kind: readText(item["type"]) } : null;
    case "response.output_text.delta":
    case "response.refusal.delta":
      return { type: "text", index, text: readText(delta) };
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return { type: "reasoning", index, text: readText(delta) };
    case "response.function_call_arguments.done":
      assembly.callArguments.set(index, readText(event["arguments"]));
      return null;
    case "response.output_item.done":
      if (!isItem(item)) return null;
      assembly.done.set(index, item);
      return { type: "item", index, item };
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
      assembly.final = isItem(response) ? response : {};
      return null;
    case "error":
      return fail(event, place);
    default:
      return null;
  }
}

function fail(event: Item, place: Place): never {
  const { code, message } = isItem(event["error"]) ? event["error"] : event;
  throw reportedFailure(
    typeof code === "string" ? code : undefined,
    typeof message === "string" ? message : "the server ended the stream with an error",
    place,
    event,
  );
}

/** The final event repeats the answer; where it does not, the collected items are used. */
function outputOf({ final, done, callArguments }: Assembly): Item[] {
  const repeated = final?.["output"];
  const collected = [...done].toSorted(([a], [b]) => a - b).map(([, item]) => item);
  const isWhole = Array.isArray(repeated) && repeated.length >= collected.length;
  const output = isWhole ? repeated.filter(isItem) : collected;
  return output.map((item, at) =>
    item["type"] === "function_call" && !item["arguments"]
      ? { ...item, arguments: readText(done.get(at)?.["arguments"]) || (callArguments.get(at) ?? "") }
      : item,
  );
}
