import { isCall, isItem, readText, type Item } from "./items.ts";

/**
 * What one event of an answer says about a call: the whole item, or only its arguments. `place` is the item's position in the
 * answer.
 */
export interface Sighting {
  readonly item: Item;
  readonly place: number | undefined;
}

/**
 * Tests whether two sightings are about the same call. Item ids and positions alone are not enough: some servers change ids
 * between events, and others give all items the position 0.
 */
export function isSameCall(one: Sighting, other: Sighting): boolean {
  const [id, otherId] = [readText(one.item["id"]), readText(other.item["id"])];
  const [call, otherCall] = [readText(one.item["call_id"]), readText(other.item["call_id"])];
  const isSamePlace = one.place !== undefined && one.place === other.place;
  const hasIds = id !== "" && otherId !== "";
  const isElsewhere = one.place !== undefined && other.place !== undefined && !isSamePlace;
  // The same call id is not enough either, because some servers use the id of a call again for another one.
  if (call !== "" && otherCall !== "")
    return call === otherCall && !isElsewhere && (!hasIds || id === otherId || isSamePlace);
  return hasIds ? id === otherId && !isElsewhere : isSamePlace;
}

/**
 * Joins what the events of an answer say about one call. If they contradict each other, the arguments become a text with all
 * versions, which no tool accepts.
 */
function assembleCall(item: Item, sightings: readonly Item[], deltas: string, lost: readonly string[]): Item {
  const key = keyOf(item);
  const all = [item, ...sightings];
  const texts = [...all.map((each) => textOf(each[key])), ...(deltas === "" ? [] : [deltas])];
  const names = distinct(all.map(({ name }) => readText(name)));
  const written = distinct(texts.flatMap((text) => text ?? []));
  const unread = written.length === 0 ? [...all.flatMap((each) => unreadIn(each, key)), ...lost] : [];
  const isKnown = written.length < 2 && names.length < 2 && unread.length === 0;
  // A call whose arguments are missing must not pass as a call without arguments, unless the server sent an empty text.
  const known = written[0] ?? (texts.some((text) => text !== undefined) ? "" : "null");
  return { ...item, [key]: isKnown ? known : ["not one call:", ...names, ...written, ...unread].join("\n") };
}

function keyOf({ type }: Item): "input" | "arguments" {
  return type === "custom_tool_call" ? "input" : "arguments";
}

/** Returns arguments as a text, because some servers send the parsed object; undefined if they are missing. */
function textOf(given: unknown): string | undefined {
  return given === undefined || given === null || typeof given === "string"
    ? (given ?? undefined)
    : JSON.stringify(given);
}

/** Returns the texts that are not empty. Texts that are the same JSON count once. */
function distinct(texts: readonly string[]): readonly string[] {
  const byValue = new Map(texts.filter((text) => text.trim() !== "").map((text) => [canonical(text), text]));
  return [...byValue.values()];
}

function canonical(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, sorted));
  } catch {
    return text; // Text that is not JSON is compared as it is.
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

/** Returns members that look like arguments under another name, because some servers use one. */
function unreadIn(item: Item, key: string): readonly string[] {
  const others = Object.entries(item).filter(([name]) => name !== key && !members.has(name));
  return others.flatMap(([name, value]) => {
    const text = textOf(value) ?? "";
    return /^\s*[[{]/.test(text) ? [`${name}: ${text}`] : [];
  });
}

/** The joined pieces of arguments of one call, and the call to which they belong. */
export interface Pieces {
  readonly of: Sighting;
  readonly text: string;
}

/**
 * Completes each call of an answer with what its events say. Arguments that belong to no known call could belong to any call
 * without arguments, so each of those calls becomes invalid.
 */
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
