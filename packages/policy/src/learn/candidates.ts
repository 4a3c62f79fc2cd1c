import type { ValueOrigin } from "@toolmount/core";
import { argumentAt } from "@toolmount/core/record";
import { leavesOf } from "../flows/leaves.ts";
import type { RecordedSession } from "./recorded.ts";
import type { Source } from "../flows/schema.ts";
import { formsOf, normalize } from "../flows/text.ts";
import { fieldKey, globOf, piecesOf, type SeenField, type Trusted } from "./seen-fields.ts";

/** Sources in addition to those that every tool accepts. Each requires words of the user. */
const moreSources: readonly Source[] = ["lastPart", "shownLink", "whole"];

/** Something that would make a flow accept a value. */
export type Candidate =
  | { readonly key: string; readonly field: SeenField; readonly trust: Trusted }
  /** The tool whose results are the user's own record, such as their account. */
  | { readonly key: string; readonly record: string }
  | { readonly key: string; readonly source: Source };

/** Returns how many approvals a candidate needs: one if it requires the user's own words or is a contact, otherwise two. */
export function leastApprovals(candidate: Candidate): number {
  return "source" in candidate || ("field" in candidate && candidate.trust === "contact") ? 1 : 2;
}

/** Facts about the results of the recorded sessions. */
export interface Seen {
  readonly fields: ReadonlyMap<string, SeenField>;
  /** Tools that return the user's own record. */
  readonly records: ReadonlySet<string>;
}

/** For each value in a session's results: the fields that have it, with the indexes of the calls that returned them. */
type ValuesOfSession = ReadonlyMap<string, readonly { readonly at: number; readonly field: SeenField }[]>;

/** Reads the fields of a session's results once, and groups them by their values. */
export function valuesOf({ steps }: RecordedSession, { fields }: Seen): ValuesOfSession {
  const values = new Map<string, { at: number; field: SeenField }[]>();
  for (const [at, { tool, value, isError, outcome }] of steps.entries())
    for (const leaf of isError || outcome === "denied" ? [] : leavesOf(value)) {
      const field = fields.get(fieldKey(tool, globOf(leaf.path).glob));
      if (field === undefined || field.trust === null) continue;
      for (const piece of piecesOf(leaf.value)) {
        const places = values.get(normalize(piece));
        if (places === undefined) values.set(normalize(piece), [{ at, field }]);
        else places.push({ at, field });
      }
    }
  return values;
}

/** Maximum number of names of fields that can explain a call. If a result repeats a value under more names, that says nothing. */
const maxFields = 50;

/** Returns what could make a flow accept these values of a call: fields and records of earlier results, and other sources. */
export function candidatesFor(
  origins: readonly ValueOrigin[],
  { session: { steps }, at }: Place,
  values: ValuesOfSession,
  { records }: Seen,
): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { tool: record } of steps.slice(0, at))
    if (records.has(record)) found.set(`record ${record}`, { key: `record ${record}`, record });
  const fields = new Map<string, Candidate>();
  for (const { argument, isAccepted } of origins) {
    const value = isAccepted ? undefined : argumentAt(steps[at]!.arguments, argument);
    if (typeof value !== "string" && typeof value !== "number") continue;
    // For `owner/name`, a field may have the last part.
    const forms = [...formsOf(value), ...formsOf(String(value).replace(/^.*[/\\]/, ""))];
    for (const { at: place, field } of forms.flatMap((form) => values.get(form) ?? [])) {
      if (place >= at || field.trust === null) continue;
      const key = keyOf(field.name, field.trust);
      fields.set(key, { key, field, trust: field.trust });
    }
  }
  if (fields.size > maxFields) fields.clear();
  const sources = moreSources.map((source) => ({ key: `source ${source}`, source }));
  return [...found.values(), ...fields.values(), ...sources];
}

/** One call of a session. */
export interface Place {
  readonly session: RecordedSession;
  readonly at: number;
}

/** Returns the key of a field, which fields of the same name and trust share, so that they are one candidate. */
export function keyOf(name: string, trust: Trusted): string {
  return `${name} ${trust}`;
}
