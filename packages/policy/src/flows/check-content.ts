import type { KeptResult, PendingCall, ValueOrigin } from "@toolmount/core";
import { findForeign, type Foreign } from "./content.ts";
import type { Evidence } from "./evidence.ts";
import { isSteered } from "./fields.ts";
import { leavesOf, valuesOf } from "./leaves.ts";
import type { Steps } from "./meter.ts";
import { chosenText, findOrigin, isOwn, isWrittenBefore } from "./origin.ts";
import { shownValue, type Problem } from "./reason.ts";
import { copiedWords, Words } from "./runs.ts";
import type { FlowLine } from "./schema.ts";
import { normalize } from "./text.ts";

type Given = PendingCall["arguments"];

/** Names of the arguments that are content, and of those that say who reads it. */
interface Carried {
  readonly names: readonly string[];
  readonly audience: FlowLine["audience"];
  readonly control: readonly string[];
}

/** Finds content that the people in the call's arguments should not get, and notes its origin. */
export function* checkContent(
  { names, audience, control }: Carried,
  given: Given,
  evidence: Evidence,
  origins: ValueOrigin[],
): Steps<Problem | null> {
  if (yield* isForUser(audience, given, evidence)) return null;
  // If no line says who reads the content, the people in the control arguments do.
  const readers = typeof audience === "object" ? audience : control;
  const stranger = yield* findStranger(readers, given, evidence);
  const hasPrivate = evidence.history.results.some((result) => evidence.seen(result).isPrivate);
  // The text of the content does not matter here, because a model can say everything in other words.
  if (stranger !== null && hasPrivate && names.some((name) => Object.hasOwn(given, name))) {
    origins.push(stranger);
    return { kind: "reach", origin: stranger };
  }
  const areNamed = stranger === null && !hasPrivate && valuesOf(readers, given).length > 0;
  for (const name of names) {
    if (!Object.hasOwn(given, name)) continue;
    for (const { path, value } of leavesOf(given[name])) {
      yield;
      const foreign = typeof value === "string" ? yield* findUnnamed(value, areNamed, evidence) : null;
      if (foreign === null && isUncompared(value, evidence))
        return { kind: "forgotten", argument: name + path };
      if (foreign === null) continue;
      const origin = {
        argument: name + path,
        value: shownValue(name + path, foreign.part),
        ...foreign.found,
      };
      origins.push(origin);
      return { kind: foreign.isPrivate === true ? "private" : "content", origin };
    }
  }
  return null;
}

/** Finds a part of a text that other people wrote. With `areNamed`, texts that the user named as a whole do not count. */
function* findUnnamed(text: string, areNamed: boolean, evidence: Evidence): Steps<Foreign | null> {
  const foreign = yield* findForeign(text, evidence);
  if (foreign === null || !areNamed) return foreign;
  for (const rest of yield* withoutNamed(text, evidence)) {
    const found = yield* findForeign(rest, evidence);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Returns the parts of a content without the texts that the user named: the whole text of a file, or of a record such as a mail
 * by its sender. A text of few words is removed only if it is the whole content.
 */
function* withoutNamed(content: string, evidence: Evidence): Steps<readonly string[]> {
  let parts = [content];
  for (const result of evidence.history.results) {
    if (result.isError) continue;
    for (const text of yield* namedTexts(result, evidence)) {
      yield evidence.meter.spend(content.length);
      if (text === content.trim()) return [];
      if (new Words(normalize(text)).count(copiedWords) < copiedWords) continue;
      parts = parts.flatMap((part) => part.split(text));
    }
  }
  return parts;
}

function* namedTexts(result: KeptResult, evidence: Evidence): Steps<readonly string[]> {
  const only = yield* chosenText(result, evidence);
  if (only !== null) return [only.trim()];
  if (yield* isSteered(result, evidence)) return [];
  const texts = yield* evidence.seen(result).textsNamedBy(evidence.words, evidence.meter);
  return texts
    .map((text) => text.trim())
    .filter((text) => !isWrittenBefore(normalize(text), result, evidence));
}

/** Finds a person who would get the content and whom the user did not name. */
function* findStranger(
  readers: readonly string[],
  given: Given,
  evidence: Evidence,
): Steps<ValueOrigin | null> {
  for (const name of readers.filter((one) => Object.hasOwn(given, one)))
    for (const { path, value } of leavesOf(given[name])) {
      const found = yield* findOrigin(value, ["user", "identity", "contact"], evidence);
      if (value !== "" && !found.isAccepted)
        return { argument: name + path, value: shownValue(name + path, value), ...found };
    }
  return null;
}

/** Whether only the user sees the content: the plan says so, or the user is each person whom the call names. */
function* isForUser(audience: FlowLine["audience"], given: Given, evidence: Evidence): Steps<boolean> {
  if (audience === undefined) return false;
  if (audience === "user") return true;
  for (const person of valuesOf(audience, given)) if (!(yield* isOwn(person, evidence))) return false;
  return true;
}

/** Whether a text could not be compared with all results of the session, because the host dropped the oldest. */
function isUncompared(value: string | number, { history, words }: Evidence): boolean {
  return history.isPartial && typeof value === "string" && value !== "" && !words.name(value);
}
