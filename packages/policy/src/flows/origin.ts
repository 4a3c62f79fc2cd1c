import type { KeptResult } from "@toolmount/core";
import { isIdentity, type Evidence, type Found } from "./evidence.ts";
import { findField, findMention, isSteered } from "./fields.ts";
import { leavesOf } from "./leaves.ts";
import type { Steps } from "./meter.ts";
import type { Source } from "./schema.ts";
import { findWord, formsOf, hostOf, normalize } from "./text.ts";
import type { UserWords } from "./words.ts";

/** Finds the origin of a value of a control argument. If several apply, the best accepted one is returned. */
export function* findOrigin(
  value: string | number,
  from: readonly Source[],
  evidence: Evidence,
): Steps<Found> {
  const { words, identity } = evidence;
  const accepts = (source: Source) => from.includes(source);
  if (words.name(value)) return { origin: "user", isAccepted: accepts("user") && words.grants(value) };
  const forms = formsOf(value);
  if (isIdentity(value, forms, identity)) return { origin: "identity", isAccepted: accepts("identity") };
  for (const trust of ["identity", "trusted"] as const) {
    const at = yield* findField(trust, forms, evidence);
    if (at !== null && accepts(trust)) return { origin: trust, from: at.from, isAccepted: true };
  }
  const mention = findMention(value, forms, evidence);
  const link = findLink(value, forms, from, evidence);
  if (link !== null) return link;
  for (const trust of ["contact", "structured"] as const) {
    const at = yield* findField(trust, forms, evidence);
    if (at === null || !accepts(trust)) continue;
    if (trust === "contact" && !at.isNamed) continue;
    // Another person's text has the value, too, which may be why the model chose it.
    if (mention !== null && !(trust === "contact"))
      return { origin: "untrusted", from: mention, isAccepted: false };
    return { origin: trust, from: at.from, isAccepted: true };
  }
  if (accepts("lastPart")) {
    const part = yield* findByLastPart(String(value), evidence);
    if (part !== null) return part;
  }
  if (accepts("whole")) {
    const whole = yield* findWhole(value, evidence);
    if (whole !== null) return whole;
  }
  if (mention !== null) return { origin: "untrusted", from: mention, isAccepted: false };
  return (yield* findUnaccepted(forms, evidence)) ?? { origin: "composed", isAccepted: false };
}

/** Finds a field with the value that the line does not accept, or that is in a result which other people's text chose. */
function* findUnaccepted(forms: readonly string[], evidence: Evidence): Steps<Found | null> {
  for (const trust of ["contact", "structured", "identity", "trusted"] as const) {
    const at = (yield* findField(trust, forms, evidence)) ?? (yield* findField(trust, forms, evidence, true));
    if (at !== null) return { origin: trust, from: at.from, isAccepted: false };
  }
  return null;
}

/**
 * Finds the origin of a name of several parts, such as `owner/name` or a path of this machine: the user wrote its last part, or
 * a service made that part and the owner is the user.
 */
function* findByLastPart(value: string, evidence: Evidence): Steps<Found | null> {
  const at = Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\"));
  const [owner, last] = [value.slice(0, Math.max(at, 0)), value.slice(at + 1)];
  if (at === -1 || last.length < 3 || hostOf(normalize(value)) !== null) return null;
  const isLocal = /^\/(?![/\\])/.test(value); // two slashes begin with a host
  const isOwned =
    owner !== "" && (evidence.words.grants(owner) || isIdentity(owner, formsOf(owner), evidence.identity));
  if (!isLocal && !isOwned) return null;
  if (evidence.words.grants(last)) return { origin: "user", isAccepted: true };
  const field = isOwned ? yield* findField("structured", formsOf(last), evidence) : null;
  return field === null ? null : { origin: "structured", from: field.from, isAccepted: true };
}

/** Whether a value is the user's own: the plan names it, or a field of a result says so. */
export function* isOwn(value: string | number, evidence: Evidence): Steps<boolean> {
  const forms = formsOf(value);
  if (isIdentity(value, forms, evidence.identity)) return true;
  return (yield* findField("identity", forms, evidence)) !== null;
}

/** Finds a result whose only text is the value, such as a file, if the user's own words chose what was read. */
function* findWhole(value: string | number, evidence: Evidence): Steps<Found | null> {
  const text = normalize(String(value));
  for (const result of evidence.history.results.toReversed()) {
    const chosen = yield* chosenText(result, evidence);
    if (chosen === null || normalize(chosen) !== text) continue;
    const from = { tool: result.tool, call: result.call, path: "" };
    return { origin: "untrusted", from, isAccepted: true };
  }
  return null;
}

/** Returns the only text of a result, such as that of a file, if the user's own words chose what was read. */
export function* chosenText(result: KeptResult, evidence: Evidence): Steps<string | null> {
  const given = textsOf(result.arguments);
  const [only, ...others] = textsOf(result.value).filter((one) => !given.includes(one));
  if (only === undefined || others.length > 0 || result.isError) return null;
  if (given.length === 0 || !given.every((one) => namesPlace(one, evidence.words))) return null;
  if ((yield* isSteered(result, evidence)) || isWrittenBefore(normalize(only), result, evidence)) return null;
  return only;
}

/** Whether an earlier call had the text as an argument. What the model wrote into a file is not the user's. */
export function isWrittenBefore(text: string, { call }: KeptResult, { history, words }: Evidence): boolean {
  const before = history.results.filter((one) => one.call < call);
  const given = before.flatMap((one) => textsOf(one.arguments)).map(normalize);
  return given.some(
    (one) => one.includes(text) || (one.length >= 8 && text.includes(one) && !words.name(one)),
  );
}

function textsOf(value: unknown): readonly string[] {
  return leavesOf(value).flatMap(({ value: one }) => (typeof one === "string" && one !== "" ? [one] : []));
}

/** Whether the user wrote a text, or a parent folder of a path. */
function namesPlace(text: string, words: UserWords): boolean {
  if (words.grants(text)) return true;
  const at = text.lastIndexOf("/");
  return at > 2 && namesPlace(text.slice(0, at), words);
}

/** Accepts a link to a host that the user named; for `shownLink`, only if a result showed it. Null for other values. */
function findLink(
  value: string | number,
  forms: readonly string[],
  from: readonly Source[],
  { words, history, seen }: Evidence,
): Found | null {
  if (typeof value === "number") return null;
  const host = hostOf(normalize(value));
  if (host === null) return null;
  for (const source of from) {
    if (source !== "sameHost" && source !== "shownLink") continue;
    if (!words.namesHost(host)) continue;
    const isShown = history.results.some((result) => {
      const one = seen(result);
      return (["untrusted", "structured", "trusted"] as const).some((trust) =>
        forms.some((form) => findWord(form, one.text(trust)) !== -1),
      );
    });
    if (source === "sameHost" || isShown) return { origin: "sameHost", isAccepted: true };
  }
  return null;
}
