import type { Model, ModelItem, ModelRequest } from "@toolmount/interop";
import { vi } from "vitest";
import type { FunctionCall } from "../../src/provider/items.ts";
import { callsOf, expectWritten, random, written, type Draw } from "./mutants.ts";
import { openModel } from "./model-world.ts";
import { anthropic, chat, gemini } from "./wires.ts";

type Event = Record<string, unknown>;

const calls = Object.entries(written).map(([name, text], at) => ({
  id: `call_${at}`,
  name,
  arguments: text,
}));
/** Cut where a piece of one call in the other one makes no JSON: a stream that is a valid answer is no mutant. */
const cuts = [
  [5, 9],
  [8, 16],
] as const;
const pieces = (text: string, at: number) => {
  const [first, second] = cuts[at]!;
  return [text.slice(0, first), text.slice(first, second), text.slice(second)];
};

/** A recorded stream of each wire: two calls, their arguments in pieces where the wire has pieces. */
const streams = {
  chat: { wire: chat, events: calls.flatMap(chatEvents).concat(chatEnd()) },
  anthropic: { wire: anthropic, events: anthropicEvents() },
  gemini: { wire: gemini, events: gemini.events({ calls }) as Event[] },
};

export type StreamName = keyof typeof streams;

function chatChunk(delta: object, finish_reason: string | null = null): Event {
  return {
    id: "r",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  };
}

function chatEvents({ id, name, arguments: text }: (typeof calls)[number], index: number): Event[] {
  const first = { index, id, type: "function", function: { name, arguments: "" } };
  const rest = pieces(text, index).map((part) => ({ index, function: { arguments: part } }));
  return [first, ...rest].map((call) => chatChunk({ tool_calls: [call] }));
}

function chatEnd(): Event {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return { ...chatChunk({}, "tool_calls"), usage };
}

function anthropicEvents(): Event[] {
  const [start, ...rest] = anthropic.events({ calls }) as Event[];
  const blocks = calls.flatMap(({ id, name, arguments: text }, index): Event[] => [
    { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } },
    ...pieces(text, index).map((part) => ({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: part },
    })),
    { type: "content_block_stop", index },
  ]);
  return [start!, ...blocks, ...rest.slice(-2)];
}

/** Opens the model of a wire. Its server answers with the events that are set. */
export async function wireOf(name: StreamName) {
  const { wire, events } = streams[name];
  const model = await openModel(wire, wire.baseUrl("http://127.0.0.1:9"));
  return { model, events: structuredClone(events) };
}

const request: ModelRequest = {
  instructions: "",
  items: [{ type: "message", role: "user", content: "go" }],
  previousResponseId: null,
  tools: Object.keys(written).map((name) => ({
    name,
    description: name,
    schema: { type: "object" },
    strict: false,
  })),
  settings: { stream: true, parallelToolCalls: true, store: false },
};

/** The calls that would run after an answer of these events. */
export async function runningOn(model: Model, events: readonly Event[]) {
  const text = events.map((event) => `${eventLine(event)}data: ${JSON.stringify(event)}\n\n`).join("");
  const body = `${text}data: [DONE]\n\n`;
  vi.stubGlobal(
    "fetch",
    async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  );
  const items: ModelItem[] = [];
  try {
    for await (const part of model.respond(request, { signal: new AbortController().signal }))
      if (part.type === "finish" && part.incomplete === null) items.push(...part.items);
  } catch {
    return [];
  } finally {
    vi.unstubAllGlobals();
  }
  return callsOf(items);
}

function eventLine({ type }: Event): string {
  return typeof type === "string" ? `event: ${type}\n` : "";
}

/** Mutates the stream of a wire; each tool that runs has what the model wrote. */
export async function expectSafeOn(
  { model, events }: Awaited<ReturnType<typeof wireOf>>,
  seed: number,
): Promise<void> {
  const draw = random(seed);
  let changed: Event[] = events;
  for (let count = 1 + draw(3); count > 0; count--) changed = mutate(changed, draw);
  const made = await runningOn(model, changed);
  const running = made.filter(({ name }) => Object.hasOwn(written, name)); // the host has no other tools
  const known = running.filter(({ arguments: text }) => !isGone(text, running, changed));
  expectWritten(known, `seed ${seed}: ${JSON.stringify(changed)}`);
}

/** Whether nothing in a stream says that the model wrote arguments for a call without: its server would send the same for such a call. */
function isGone(text: string, running: readonly FunctionCall[], events: readonly Event[]): boolean {
  const members = placesIn(events as unknown as Event).map(([holder, name]) => [name, holder[name]] as const);
  const sent = members.map(([name, value]) =>
    pieceNames.has(name) && typeof value === "string" ? value.length : 0,
  );
  const read = running.filter((call) => !isEmpty(call.arguments)).map((call) => call.arguments.length);
  const bare = members.some(([name, value]) => name === "functionCall" && isBare(value));
  return isEmpty(text) && (bare || sum(sent) <= sum(read) + 2);
}

function isEmpty(text: string): boolean {
  return text === "" || text === "{}";
}

const pieceNames: ReadonlySet<string> = new Set(["arguments", "partial_json"]);

/** A call of Gemini that has no arguments, and nothing that may be them. */
function isBare(value: unknown): boolean {
  const { args = null, ...rest } = (value ?? {}) as { readonly args?: unknown };
  return args === null && Object.keys(rest).every((name) => ["id", "name"].includes(name));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Drops, repeats or moves an event, drops, renames, empties or retypes a member somewhere in one, or moves it to another event. */
function mutate(events: readonly Event[], draw: Draw): Event[] {
  if (events.length === 0) return [];
  const at = draw(events.length);
  const event = structuredClone(events[at] ?? {});
  const ways: readonly (() => Event[])[] = [
    () => events.toSpliced(at, 1),
    () => events.toSpliced(at, 0, event),
    () => events.toSpliced(at, 1).toSpliced(draw(events.length), 0, event),
    () => (mutateMember(event, draw), events.with(at, event)),
    () => moveMember(events, at, draw),
  ];
  return ways[draw(ways.length)]!();
}

function mutateMember(event: Event, draw: Draw): void {
  const places = placesIn(event);
  if (places.length === 0) return;
  const [holder, name] = places[draw(places.length)]!;
  const value = holder[name];
  const ways: readonly (() => void)[] = [
    () => void delete holder[name],
    () => void (holder[name] = null),
    () => void (holder[`own_${name}`] = value),
    () => void (holder[name] = typeof value === "string" ? [value] : JSON.stringify(value)),
    () => void (holder[name] = typeof value === "number" ? value + 1 : ""),
  ];
  const way = draw(ways.length);
  ways[way]!();
  if (way === 2) delete holder[name];
}

/** A name or a piece of arguments in another call is the whole stream of a model that wrote it there: nothing contradicts it. */
const whole = /"(?:name|args|arguments|partial_json)":/;

/** Moves a member to a record of another event, over the one that it has there. */
function moveMember(events: readonly Event[], at: number, draw: Draw): Event[] {
  const changed = structuredClone([...events]);
  const [from, to] = [placesIn(changed[at]!), placesIn(changed[draw(changed.length)]!)];
  if (from.length === 0 || to.length === 0) return changed;
  const [holder, name] = from[draw(from.length)]!;
  const moved = JSON.stringify({ [name]: holder[name] });
  if (whole.test(moved)) return changed;
  const fitting = to.filter(([other, known]) => other !== holder && known === name);
  const [target] = fitting[draw(Math.max(1, fitting.length))] ?? to[draw(to.length)]!;
  const value = holder[name];
  delete holder[name];
  if (!Array.isArray(target)) target[name] = structuredClone(value);
  return changed;
}

/** All members of an event, at every level. */
function placesIn(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== "object" || value === null) return [];
  const record = value as Record<string, unknown>;
  return Object.keys(record).flatMap((name): [Record<string, unknown>, string][] => [
    [record, name],
    ...(name === "args" ? [] : placesIn(record[name])), // what is in them is what the model wrote
  ]);
}
