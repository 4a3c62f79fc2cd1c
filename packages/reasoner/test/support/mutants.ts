import { expect } from "vitest";
import { readFunctionCall, type FunctionCall, type Item } from "../../src/provider/items.ts";
import { ModelError } from "../../src/provider/model-error.ts";
import { readStream } from "../../src/provider/stream.ts";

export const place = { provider: "models.example", model: "m" };

/** What the model wrote, by the name of the tool. */
export const written: Readonly<Record<string, string>> = {
  clean: '{"only":"*.tmp"}',
  weather: '{"city":"Rome","days":2}',
};

function callItem(at: number, name: string): Item {
  const args = written[name]!;
  return { type: "function_call", id: `fc_${at}`, call_id: `call_${at}`, name, arguments: args };
}

export const answer = Object.keys(written).map((name, at) => callItem(at, name));

/** A recorded stream: two calls, one after the other. */
export function recorded(): Item[] {
  const events = answer.flatMap((item, at): Item[] => {
    const text = item["arguments"] as string;
    const of = { output_index: at, item_id: item["id"]! };
    const delta = (part: string): Item => ({
      type: "response.function_call_arguments.delta",
      ...of,
      delta: part,
    });
    return [
      { type: "response.output_item.added", output_index: at, item: { ...item, arguments: "" } },
      ...[text.slice(0, 5), text.slice(5, 9), text.slice(9)].map(delta),
      { type: "response.function_call_arguments.done", ...of, arguments: text },
      { type: "response.output_item.done", output_index: at, item },
    ];
  });
  return structuredClone([...events, { type: "response.completed", response: { id: "r", output: answer } }]);
}

/** The calls that would run with these arguments; INVALID_ARGUMENTS for a text that is not an object. */
export async function running(events: readonly Item[]): Promise<readonly FunctionCall[]> {
  const stream = (async function* () {
    yield* events;
  })();
  try {
    const calls: FunctionCall[] = [];
    for await (const part of readStream(stream, place))
      if (part.type === "finish") calls.push(...callsOf(part.items));
    return calls;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return [];
  }
}

export function callsOf(items: readonly Item[]): readonly FunctionCall[] {
  return items
    .flatMap((item) => readFunctionCall(item) ?? [])
    .filter(({ arguments: text }) => isObject(text));
}

function isObject(text: string): boolean {
  if (text.trim() === "") return true; // the host reads it as no arguments
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

export function expectWritten(calls: readonly FunctionCall[], about: string): void {
  for (const { name, arguments: text } of calls) {
    expect(isObject(text) && text.trim() !== "" ? JSON.parse(text) : text, about).toEqual(
      JSON.parse(written[name] ?? "null"),
    );
  }
}

/** Mutates a recorded stream; each tool that runs has what the model wrote. */
export async function expectSafe(seed: number): Promise<void> {
  const draw = random(seed);
  let events = recorded();
  for (let count = 1 + draw(3); count > 0; count--) events = mutate(events, draw);
  expectWritten(await running(events), `seed ${seed}`);
}

export type Draw = (below: number) => number;

/** Drops, repeats or moves an event, or changes, drops or renames a member of one, or moves it to another event. */
function mutate(events: readonly Item[], draw: Draw): Item[] {
  const at = draw(events.length);
  const event = structuredClone(events[at] ?? {});
  const ways: readonly (() => Item[])[] = [
    () => events.toSpliced(at, 1),
    () => events.toSpliced(at, 0, event),
    () => events.toSpliced(at, 1).toSpliced(draw(events.length), 0, event),
    () => events.with(at, mutateMember(event, draw)),
    () => moveMember(events, at, draw),
  ];
  return ways[draw(ways.length)]!();
}

const members = ["arguments", "id", "call_id", "item_id", "output_index", "delta"] as const;

/** An event, or one of its items. */
function recordIn(event: Item, draw: Draw): Record<string, unknown> {
  const inner = [event["item"], (event["response"] as Item | undefined)?.["output"]]
    .flat()
    .filter(Boolean) as Item[];
  return inner.length > 0 ? inner[draw(inner.length)]! : event;
}

function moveMember(events: readonly Item[], at: number, draw: Draw): Item[] {
  const changed = structuredClone([...events]);
  const [from, to] = [recordIn(changed[at]!, draw), recordIn(changed[draw(changed.length)]!, draw)];
  const present = members.filter((name) => name in from);
  const name = present[draw(Math.max(1, present.length))];
  if (name === undefined) return changed;
  const value = from[name];
  delete from[name];
  to[name] = value;
  return changed;
}

function mutateMember(event: Item, draw: Draw): Item {
  const target = recordIn(event, draw);
  const present = members.filter((name) => name in target);
  const name = present[draw(Math.max(1, present.length))];
  if (name === undefined) return event;
  const value = target[name];
  delete target[name];
  if (draw(3) === 0) target[`own_${name}`] = value;
  else if (draw(2) === 0)
    target[name] =
      name === "arguments" && typeof value === "string" && value !== "" ? JSON.parse(value) : null;
  return event;
}

/** A linear congruential generator. */
export function random(seed: number): Draw {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
