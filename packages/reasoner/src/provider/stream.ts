import type { ModelPart } from "@toolmount/interop";
import { assembleCalls, isSameCall, type Pieces, type Sighting } from "./assemble-call.ts";
import { isCall, isItem, message as messageOf, readText, type Item } from "./items.ts";
import { reportedFailure, type Place } from "./model-error.ts";
import { readResponse } from "./response.ts";

interface Assembly {
  /** Items that are complete. */
  readonly done: Sighting[];
  /** Calls as they began, and complete arguments from separate events. */
  readonly sightings: Sighting[];
  /** Pieces of arguments, in the order of their events. */
  readonly pieces: Pieces[];
  /** The text so far. */
  text: string;
  final: Item | null;
}

/**
 * Yields the parts of an answer from the events of a stream of the Responses API. Throws if the stream ends without a final
 * event.
 */
export async function* readStream(events: AsyncIterable<unknown>, place: Place): AsyncIterable<ModelPart> {
  const assembly: Assembly = { done: [], sightings: [], pieces: [], text: "", final: null };
  for await (const event of events) {
    const part = isItem(event) ? take(event, assembly, place) : null;
    if (part !== null) yield part;
    // If a server sends more events, they belong to another response.
    if (assembly.final !== null) break;
  }
  if (assembly.final === null)
    throw reportedFailure(undefined, "the stream ended before the answer did", place);
  yield readResponse({ ...assembly.final, output: outputOf(assembly) }, place);
}

function take(event: Item, assembly: Assembly, place: Place): ModelPart | null {
  const index = typeof event["output_index"] === "number" ? event["output_index"] : 0;
  const { type, item, delta, response } = event;
  seeArguments(event, assembly);
  switch (readText(type)) {
    case "response.output_item.added":
      if (!isItem(item)) return null;
      if (isCall(item)) assembly.sightings.push({ item: begun(item), place: placeOf(event) });
      return { type: "begin", index, kind: readText(item["type"]) };
    case "response.output_text.delta":
      assembly.text += readText(delta);
      return { type: "text", index, text: readText(delta) };
    case "response.refusal.delta":
      return { type: "text", index, text: readText(delta) };
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return { type: "reasoning", index, text: readText(delta) };
    case "response.output_item.done":
      if (!isItem(item)) return null;
      keepDone({ item, place: placeOf(event) }, assembly);
      return { type: "item", index, item };
    case "response.completed":
    case "response.done":
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

function placeOf({ output_index: place }: Item): number | undefined {
  return typeof place === "number" ? place : undefined;
}

/** Removes empty arguments of a call that begins, because the real ones follow. */
function begun(item: Item): Item {
  const { arguments: given, ...rest } = item;
  return given === "" || given === "{}" ? rest : item;
}

/** Collects what an event says about the arguments of a call. Servers use different names for such events. */
function seeArguments(event: Item, { sightings, pieces }: Assembly): void {
  const type = readText(event["type"]);
  if (!/(?:arguments|input)\.(?:delta|done)$/.test(type)) return;
  const { item_id: id, call_id: callId, name, delta, arguments: whole, input = whole } = event;
  const named = { ...(id !== undefined && { id }), ...(callId !== undefined && { call_id: callId }) };
  const of = { item: named, place: placeOf(event) };
  if (type.endsWith("delta")) pieces.push({ of, text: readText(delta) });
  else
    sightings.push({
      ...of,
      item: { ...named, ...(name !== undefined && { name }), arguments: input, input } as Item,
    });
}

/** Adds a complete item. If it is there already, the repetition is only used as another event about it. */
function keepDone(sighting: Sighting, { done, sightings }: Assembly): void {
  const at = done.findIndex((one) => one.item["type"] === sighting.item["type"] && isSameCall(one, sighting));
  if (at < 0) done.push(sighting);
  else sightings.push(sighting);
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

/**
 * Returns the output in the final event, which repeats all items; if it has fewer items than were collected, the collected
 * ones. If there is no message among them, the streamed text is added as one.
 */
function outputOf({ final, done, sightings, pieces, text }: Assembly): Item[] {
  const repeated = final?.["output"];
  const collected = done.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0)).map(({ item }) => item);
  const isWhole = Array.isArray(repeated) && repeated.length >= collected.length;
  const output = isWhole ? repeated.filter(isItem) : collected;
  const calls = assembleCalls(output, [...done, ...sightings], pieces);
  const isShown = text === "" || output.some(({ type: kind }) => kind === "message");
  return isShown ? calls : [messageOf("assistant", text), ...calls];
}
