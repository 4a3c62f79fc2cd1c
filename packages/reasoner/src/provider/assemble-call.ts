import { isCall, isItem, readText, type Item } from "./items.ts";

/** One sighting of a call in the events of an answer: an item, or its arguments alone. */
export interface Sighting {
  readonly item: Item;
  readonly place: number | undefined;
}

/** Whether two sightings are of one call. Some servers change item ids from event to event, others number all items 0. */
export function isSameCall(one: Sighting, other: Sighting): boolean {
  const [id, otherId] = [readText(one.item["id"]), readText(other.item["id"])];
  const [call, otherCall] = [readText(one.item["call_id"]), readText(other.item["call_id"])];
  const isSamePlace = one.place !== undefined && one.place === other.place;
  const hasIds = id !== "" && otherId !== "";
  const isElsewhere = one.place !== undefined && other.place !== undefined && !isSamePlace;
  // Some servers use the id of a call again for another one.
  if (call !== "" && otherCall !== "")
    return call === otherCall && !isElsewhere && (!hasIds || id === otherId || isSamePlace);
  return hasIds ? id === otherId && !isElsewhere : isSamePlace;
}

/**
 * Joins what the events of an answer say of one call. Sources that say different things make the call invalid: its
 * arguments are then a text of all of them, which no tool accepts.
 */
function assembleCall(item: Item, sightings: readonly Item[], deltas: string, lost: readonly string[]): Item {
  const key = keyOf(item);
  const all = [item, ...sightings];
  const texts = [...all.map((each) => textOf(each[key])), ...(deltas === "" ? [] : [deltas])];
  const names = distinct(all.map(({ name }) => readText(name)));
  const written = distinct(texts.flatMap((text) => text ?? []));
  const unread = written.length === 0 ? [...all.flatMap((each) => unreadIn(each, key)), ...lost] : [];
  const isKnown = written.length < 2 && names.length < 2 && unread.length === 0;
  // Without any arguments, not even an empty text, the call is not one without arguments.
  const known = written[0] ?? (texts.some((text) => text !== undefined) ? "" : "null");
  return { ...item, [key]: isKnown ? known : ["not one call:", ...names, ...written, ...unread].join("\n") };
}

function keyOf({ type }: Item): "input" | "arguments" {
  return type === "custom_tool_call" ? "input" : "arguments";
}

/** The text of arguments as the model wrote them; some servers send the object itself. */
function textOf(given: unknown): string | undefined {
  return given === undefined || given === null || typeof given === "string"
    ? (given ?? undefined)
    : JSON.stringify(given);
}

/** Texts that are not empty, one of those that are the same JSON. */
function distinct(texts: readonly string[]): readonly string[] {
  const byValue = new Map(texts.filter((text) => text.trim() !== "").map((text) => [canonical(text), text]));
  return [...byValue.values()];
}

function canonical(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, sorted));
  } catch {
    return text; // compared as it is
  }
}

function sorted(_: string, value: unknown): unknown {
  return isItem(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

const members: ReadonlySet<string> = new Set([
  "type",
  "id",
  "call_id",
  "name",
  "status",
  "provider_metadata",
]);

/** Members that look like arguments, where a server has them under another name. */
function unreadIn(item: Item, key: string): readonly string[] {
  const others = Object.entries(item).filter(([name]) => name !== key && !members.has(name));
  return others.flatMap(([name, value]) => {
    const text = textOf(value) ?? "";
    return /^\s*[[{]/.test(text) ? [`${name}: ${text}`] : [];
  });
}

/** Pieces of arguments, joined by what they say of their call. */
export interface Pieces {
  readonly of: Sighting;
  readonly text: string;
}

/** The items of an answer, each call with what the events say of it. Arguments of no call may be those of any without. */
export function assembleCalls(
  output: readonly Item[],
  sightings: readonly Sighting[] = [],
  pieces: readonly Pieces[] = [],
): Item[] {
  const owners = output.map((item, place) => sightings.find((one) => one.item === item) ?? { item, place });
  const isLost = (one: Sighting) => !owners.some((own) => isCall(own.item) && isSameCall(one, own));
  const lost = [
    ...sightings.flatMap((one) =>
      isLost(one) ? (textOf(one.item["arguments"] ?? one.item["input"]) ?? "") : [],
    ),
    ...pieces.flatMap(({ of, text }) => (isLost(of) ? text : [])),
  ];
  return owners.map((own) => {
    if (!isCall(own.item)) return own.item;
    const same = sightings.filter((one) => one.item !== own.item && isSameCall(one, own));
    const deltas = pieces.flatMap(({ of, text }) => (isSameCall(of, own) ? text : [])).join("");
    return assembleCall(
      own.item,
      same.map(({ item }) => item),
      deltas,
      distinct(lost),
    );
  });
}
