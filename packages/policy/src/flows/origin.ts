import type { CallHistory, KeptResult, ValueOrigin } from "@toolmount/core";
import { decodedOf } from "./encoded.ts";
import { mask } from "@toolmount/core/text";
import { leavesOf, type Leaf } from "./leaves.ts";
import type { Meter } from "./meter.ts";
import { isRecord } from "./record.ts";
import type { FlowsConfig, ResultLine, Source, Trust } from "./schema.ts";
import { SeenResult } from "./seen.ts";
import { compactCode, findWord, formsOf, hasCode, hostOf, normalize } from "./text.ts";
import type { UserWords } from "./words.ts";

/** Where one value came from. */
export type Found = Pick<ValueOrigin, "origin" | "from"> & { readonly isAccepted: boolean };

/** What a call's values are compared with. */
export interface Evidence {
  readonly words: UserWords;
  readonly history: CallHistory;
  readonly seen: (result: KeptResult) => SeenResult;
  readonly identity: ReadonlySet<string>;
  readonly meter: Meter;
  /** The results that were found to be chosen by untrusted text, or not. */
  readonly steered: Map<KeptResult, boolean>;
}

/** Normalizes each result once: the results are objects that the host keeps. */
export function createSeen(lines: readonly ResultLine[]): (result: KeptResult) => SeenResult {
  const known = new WeakMap<KeptResult, SeenResult>();
  return (result) => {
    const found = known.get(result) ?? new SeenResult(result, lines);
    known.set(result, found);
    return found;
  };
}

/** The identity of a plan, as it is compared. */
export function identityOf({ identity }: Pick<FlowsConfig, "identity">): ReadonlySet<string> {
  return new Set(identity.flatMap((value) => [...formsOf(value), compactCode(value) ?? value]));
}

/** Finds the origin of a value of a control argument, the best accepted one first. */
export function findOrigin(value: string | number, from: readonly Source[], evidence: Evidence): Found {
  const { words, identity } = evidence;
  const accepts = (source: Source) => from.includes(source);
  if (words.name(value)) return { origin: "user", isAccepted: accepts("user") };
  const forms = formsOf(value);
  if (isIdentity(value, forms, identity)) return { origin: "identity", isAccepted: accepts("identity") };
  for (const trust of ["identity", "trusted"] as const) {
    const at = findField(trust, forms, evidence);
    if (at !== null && accepts(trust)) return { origin: trust, from: at.from, isAccepted: true };
  }
  const mention = findMention(value, forms, evidence);
  const link = findLink(value, forms, from, evidence);
  if (link !== null) return link;
  for (const trust of ["contact", "structured"] as const) {
    const at = findField(trust, forms, evidence);
    if (at === null || !accepts(trust)) continue;
    if (trust === "contact" && !isNamedRecord(at.leaf, words)) continue;
    // The text of another person has the value, too: it may be the reason why the model chose it.
    if (mention !== null && !(trust === "contact"))
      return { origin: "untrusted", from: mention, isAccepted: false };
    return { origin: trust, from: at.from, isAccepted: true };
  }
  if (from.some((source) => isRecord(source) && "lastPart" in source)) {
    const part = findByLastPart(String(value), evidence);
    if (part !== null) return part;
  }
  if (mention !== null) return { origin: "untrusted", from: mention, isAccepted: false };
  return findUnaccepted(forms, evidence) ?? { origin: "composed", isAccepted: false };
}

/** A field that has the value, though the line does not accept it, or other people's text chose its result. */
function findUnaccepted(forms: readonly string[], evidence: Evidence): Found | null {
  for (const trust of ["contact", "structured", "identity", "trusted"] as const) {
    const at = findField(trust, forms, evidence) ?? findField(trust, forms, evidence, true);
    if (at !== null) return { origin: trust, from: at.from, isAccepted: false };
  }
  return null;
}

function isIdentity(
  value: string | number,
  forms: readonly string[],
  identity: ReadonlySet<string>,
): boolean {
  const code = compactCode(String(value));
  return forms.some((form) => identity.has(form)) || (code !== null && identity.has(code));
}

/**
 * A name of several parts, such as `owner/name` or a path of this machine: the user wrote its last part, or a service made
 * it, and the owner is the user.
 */
function findByLastPart(value: string, evidence: Evidence): Found | null {
  const at = Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\"));
  const [owner, last] = [value.slice(0, Math.max(at, 0)), value.slice(at + 1)];
  if (at === -1 || last.length < 3 || hostOf(normalize(value)) !== null) return null;
  const isLocal = value.startsWith("/");
  const isOwn =
    owner !== "" && (evidence.words.name(owner) || isIdentity(owner, formsOf(owner), evidence.identity));
  if (!isLocal && !isOwn) return null;
  if (evidence.words.name(last)) return { origin: "user", isAccepted: true };
  const field = isOwn ? findField("structured", formsOf(last), evidence) : null;
  return field === null ? null : { origin: "structured", from: field.from, isAccepted: true };
}

type At = { readonly leaf: Leaf; readonly from: NonNullable<Found["from"]> };

/**
 * A field of this trust that is exactly the value. The newest counts, of results that no untrusted text chose, or of those
 * that it chose.
 */
function findField(trust: Trust, forms: readonly string[], evidence: Evidence, steered = false): At | null {
  for (const result of evidence.history.results.toReversed()) {
    const seen = evidence.seen(result);
    evidence.meter.spend(seen.size * (forms.length - 1));
    if (!forms.some((form) => seen.has(trust, form)) || isSteered(result, evidence) !== steered) continue;
    const leaves = seen.leavesWith(trust, forms);
    const leaf = leaves.find((one) => isNamedRecord(one, evidence.words)) ?? leaves[0];
    if (leaf !== undefined) return { leaf, from: { tool: result.tool, call: result.call, path: leaf.path } };
  }
  return null;
}

/**
 * Whether untrusted text chose what a result is about: it has an argument of the call, or the argument is from results that
 * such text chose.
 */
function isSteered(result: KeptResult, evidence: Evidence): boolean {
  const known = evidence.steered.get(result);
  if (known !== undefined) return known;
  const before = { ...evidence, history: { ...evidence.history, results: earlierThan(result, evidence) } };
  const isForeign = leavesOf(result.arguments).some(
    ({ value }) => typeof value === "string" && value !== "" && isForeignChoice(value, before),
  );
  evidence.steered.set(result, isForeign);
  return isForeign;
}

function earlierThan({ call }: KeptResult, { history }: Evidence): readonly KeptResult[] {
  return history.results.filter((one) => one.call < call);
}

function isForeignChoice(value: string, before: Evidence): boolean {
  const { words, identity, history, seen } = before;
  if (history.results.length === 0) return false;
  // A secret that a store masked: its origin can no longer be found.
  if (value.includes(mask)) return true;
  if (words.name(value)) return false;
  const forms = formsOf(value);
  if (isIdentity(value, forms, identity)) return false;
  if (findMention(value, forms, before) !== null) return true;
  const sources = history.results.filter((result) => {
    const one = seen(result);
    return (["structured", "contact", "trusted"] as const).some((trust) =>
      forms.some((form) => one.has(trust, form)),
    );
  });
  return sources.length > 0 && sources.every((one) => isSteered(one, before));
}

/**
 * Where an untrusted text has the value as a word, also when one of the two is encoded. The first counts: others may have
 * repeated it.
 */
function findMention(
  value: string | number,
  forms: readonly string[],
  evidence: Pick<Evidence, "history" | "seen">,
): Found["from"] | null {
  const plain = findPlainMention(value, forms, evidence);
  if (plain !== null || typeof value === "number") return plain;
  for (const decoded of decodedOf(value)) {
    const found = findPlainMention(decoded, formsOf(decoded), evidence);
    if (found !== null) return found;
  }
  return null;
}

function findPlainMention(
  value: string | number,
  forms: readonly string[],
  { history, seen }: Pick<Evidence, "history" | "seen">,
): Found["from"] | null {
  const code = typeof value === "string" ? compactCode(value) : null;
  const isSmall = /^\d{1,3}$/.test(String(value));
  for (const result of history.results) {
    const one = seen(result);
    const fits = (text: string) =>
      isSmall ? mentionsNumber(text, String(value)) : forms.some((form) => findWord(form, text) !== -1);
    const isCode = code !== null && one.compact.includes(code) && hasCode(code, one.text("untrusted"));
    const trust = isSmall ? (fits(one.text("untrusted")) ? "untrusted" : null) : one.mentions(forms);
    if (!isCode && trust === null) {
      const encoded = isSmall ? null : one.locateEncoded(fits);
      if (encoded !== null) return { tool: result.tool, call: result.call, ...encoded };
      continue;
    }
    const at = one.locate(trust ?? "untrusted", isCode ? (text) => hasCode(code, text) : fits);
    return { tool: result.tool, call: result.call, ...(at ?? { path: "" }) };
  }
  return null;
}

/** Small numbers are in every text: they count as mentioned where the text calls them an id. */
function mentionsNumber(text: string, value: string): boolean {
  return new RegExp(
    `(?:\\b(?:id|ids|number|no|nr)\\b|#)[^\\p{L}\\p{N}]{0,4}(?:is |of |= ?)?${value}(?![\\p{L}\\p{N}])`,
    "u",
  ).test(text);
}

/** Whether the user named the record that has this value: by the first name, or by the whole text of another field. */
function isNamedRecord({ parent, value }: Leaf, words: UserWords): boolean {
  const [name = ""] = String(value).split(/[@._-]/);
  if (String(value).includes("@") && name.length > 2 && words.name(name)) return true;
  if (!isRecord(parent)) return false;
  return Object.values(parent).some((member) => {
    if (typeof member !== "string" || member === value) return false;
    const first = normalize(member).split(" ")[0] ?? "";
    return first.length > 1 && words.name(first);
  });
}

/** A link to a host that the user named, or that a result showed. */
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
    if (!isRecord(source) || !("sameHost" in source) || !words.namesHost(host)) continue;
    const isShown = history.results.some((result) => {
      const one = seen(result);
      return (["untrusted", "structured", "trusted"] as const).some((trust) =>
        forms.some((form) => findWord(form, one.text(trust)) !== -1),
      );
    });
    if (source.shown === undefined || isShown) return { origin: "sameHost", isAccepted: true };
  }
  return null;
}
