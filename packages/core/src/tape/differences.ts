import { canonicalJson } from "../json/canonical.ts";
import { isRecord, type Json } from "../json/json.ts";
import type { TapeCall, TapeResult } from "./tape.ts";

export function printCall({ tool, arguments: given }: Pick<TapeCall, "tool" | "arguments">): string {
  return `${tool} ${short(given)}`;
}

export function argumentDifferences(recorded: Json, given: Json): string {
  if (!isRecord(recorded) || !isRecord(given))
    return `arguments are ${short(given)}, were ${short(recorded)}`;
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(given)])].toSorted();
  const differing = names.filter((name) => !same(recorded[name], given[name]));
  return differing.map((name) => `${name} is ${short(given[name])}, was ${short(recorded[name])}`).join("; ");
}

export function resultDifference(recorded: TapeResult, given: TapeResult): string | undefined {
  const [was, is] = [outcomeOf(recorded), outcomeOf(given)];
  if (was !== is) return `it ended as ${is}, was ${was}`;
  if ("data" in recorded && "data" in given && !same(recorded.data, given.data))
    return `data is ${short(given.data)}, was ${short(recorded.data)}`;
  return undefined;
}

function outcomeOf(result: TapeResult): string {
  if ("data" in result) return "ok";
  return result.code === undefined ? `a failure (${result.error})` : result.code;
}

function same(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

function short(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length <= 160 ? text : `${text.slice(0, 159).toWellFormed()}…`;
}
