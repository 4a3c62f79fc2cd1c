import type { ErrorCode, ErrorDetails, Json, JsonObject } from "@toolmount/core";
import { createSecretTexts, type SecretTexts } from "@toolmount/core/text";
import { isList } from "../diagnostics/json.ts";
import { resolveFileValue, type FileValues } from "./file-values.ts";
import { findPlace, type Path, type Place, type PlanMap } from "../diagnostics/positions.ts";
import { makeProblem, type Problem } from "../diagnostics/problems.ts";
import { noteVariable } from "../diagnostics/typed-variables.ts";
import { isHarmless, isOrdinary, looksRandom, namesOneSecret, passwordsOf } from "./value-forms.ts";

/** Variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A key of a model server whose variable is not set. */
export interface UnsetKey {
  readonly variable: string;
  readonly place: Place | undefined;
}

interface Interpolated {
  readonly value: JsonObject;
  readonly problems: readonly Problem[];
  /** The keys of model servers whose variables are not set. Commands that need no model run without them. */
  readonly unset: readonly UnsetKey[];
  /** Replaces the values of variables in a text by the variables' names, so that the text may be printed. */
  readonly mask: (text: string) => string;
  /** Values that no log, failure, result or store may show. */
  readonly secrets: readonly string[];
  /** Values that may be secrets, because of their form. Logs, failures and stores do not show them, but results do. */
  readonly guesses: readonly string[];
}

/** Fills in `${NAME}`, `${NAME:-default}` and `${file:path}` in text values, in one pass. No problem contains a value. */
export function interpolate(
  value: JsonObject,
  map: PlanMap,
  env: Environment,
  { values: files, folder }: { readonly values: FileValues; readonly folder: string } = {
    values: new Map(),
    folder: "",
  },
): Interpolated {
  const fill: Fill = {
    map,
    env,
    files,
    folder,
    problems: [],
    unset: [],
    used: new Map(),
    secrets: new Set(),
    guesses: new Set(),
  };
  const filled = fillValue(fill, value, []) as JsonObject;
  const { problems, unset, secrets, guesses, used } = fill;
  return {
    value: filled,
    problems,
    unset,
    secrets: [...secrets],
    guesses: [...guesses],
    mask: createMask(used, secrets, createSecretTexts([...secrets, ...guesses])),
  };
}

interface Fill {
  readonly map: PlanMap;
  readonly env: Environment;
  readonly files: FileValues;
  readonly folder: string;
  readonly problems: Problem[];
  readonly unset: UnsetKey[];
  /** Values that were filled in. Each has the name of its variable. */
  readonly used: Map<string, string>;
  readonly secrets: Set<string>;
  readonly guesses: Set<string>;
}

function fillValue(fill: Fill, value: Json, path: Path): Json {
  if (typeof value === "string") return value.includes("${") ? fillText(fill, value, path) : value;
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item, index) => fillValue(fill, item, [...path, index]));
  const filled = Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, key];
    return isUnsetKey(fill, inner, at) ? [] : [[key, fillValue(fill, inner, at)] as const];
  });
  return Object.fromEntries(filled);
}

/**
 * Tests whether a value is the key of a model server, and its variable is not set. Only a few commands ask a model, so people who
 * check, test or approve often have no key. The member is then left out, and the first request to the model reports which key is
 * missing.
 */
function isUnsetKey({ env, map, unset }: Fill, value: Json, path: Path): boolean {
  if (!modelSections.has(String(path[0])) || !/^api_?key$/i.test(String(path.at(-1)))) return false;
  const [, variable, fallback = ""] = (typeof value === "string" && wholeReference.exec(value)) || [];
  if (variable === undefined || fallback !== "" || (Object.hasOwn(env, variable) && env[variable] !== ""))
    return false;
  unset.push({ variable, place: findReference(map, path, `\${${variable}`) });
  return true;
}

/** Sections of a plan in which models are configured. */
const modelSections: ReadonlySet<string> = new Set(["session", "providers", "agents", "agent"]);

/** Matches a text that is one variable and nothing else, with or without a default. */
const wholeReference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}$]*))?\}$/;

/** Matches an escaped or an opening `${`, with the text up to the closing brace. */
const references = /\$(\$\{)|\$\{([^{}$]*)(\}?)/g;

/** Matches the text between the braces of a variable: its name, with or without a default. */
const inBraces = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Returns the variables in a text, with their defaults. */
export function readReferences(text: string): readonly { name: string; fallback: string | undefined }[] {
  return [...text.matchAll(references)].flatMap(([, escaped, inner = "", end]) => {
    const [, name, fallback] = (escaped === undefined && end === "}" && inBraces.exec(inner)) || [];
    return name === undefined ? [] : [{ name, fallback }];
  });
}

function fillText(fill: Fill, text: string, path: Path): string {
  if (wholeReference.test(text)) noteVariable(fill.map, path);
  return text.replaceAll(
    references,
    (whole, escaped: string | undefined, inner: string | undefined, end: string) => {
      if (escaped !== undefined) return escaped;
      if (end === "}" && inner?.startsWith("file:") === true)
        return takeFile(fill, inner.slice(5), path, whole);
      const [, name, fallback] = (end === "}" && inBraces.exec(inner ?? "")) || [];
      if (name === undefined) return report(fill, path, whole, "PLAN_VALUE_INVALID", noVariable, escapeHint);
      const value = readVariable(fill, name, fallback, path);
      return value ?? report(fill, path, `\${${name}`, "VARIABLE_MISSING", { variable: name });
    },
  );
}

function readVariable(
  { env, used, secrets, guesses }: Fill,
  name: string,
  fallback: string | undefined,
  path: Path,
): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined || (value === "" && fallback !== undefined)) return fallback;
  used.set(value, name);
  if (namesOneSecret([name, String(path.at(-1))]) || looksRandom(value)) secrets.add(value);
  else if (!isHarmless(value)) guesses.add(value);
  for (const password of passwordsOf(value)) secrets.add(password);
  return value;
}

function takeFile(fill: Fill, written: string, path: Path, whole: string): string {
  const { map, files, folder, used, secrets } = fill;
  const value = files.get(resolveFileValue(written, path, map, folder));
  if (value?.ok === true) {
    used.set(value.text, `file:${written}`);
    secrets.add(value.text);
    return value.text;
  }
  const problem = `the file "${written.slice(0, 200)}" cannot be used as a value: ${value?.problem ?? "the file does not exist"}`;
  return report(fill, path, whole, "PLAN_VALUE_INVALID", { problem });
}

const noVariable = {
  problem:
    "this is not a variable: write ${NAME}, ${NAME:-default} or ${file:path}, without braces or $ in the default",
};
const escapeHint = "write $${ for a literal ${";

/** Reports a reference that has no value. Returns the empty text, which replaces it. */
function report<Code extends ErrorCode>(
  { map, problems }: Fill,
  path: Path,
  reference: string,
  code: Code,
  details: ErrorDetails<Code>,
  hint?: string,
): "" {
  const place = findReference(map, path, reference);
  problems.push(makeProblem(code, details, { path, place, hint }));
  return "";
}

/** How many characters of the plan, from the beginning of a value, are searched for a reference. */
const searched = 4096;

/**
 * Returns the place of a reference inside its text. If the plan writes the text with escapes, returns the beginning of the text.
 */
function findReference(map: PlanMap, path: Path, reference: string) {
  const place = findPlace(map, path);
  if (place === undefined) return undefined;
  const inside = place.text.text.slice(place.offset, place.offset + searched).indexOf(reference);
  return { text: place.text, offset: place.offset + Math.max(inside, 0) };
}

/** Minimum number of characters of a value that is masked. Shorter values are parts of ordinary words. */
const minMasked = 4;

/**
 * Creates a function that replaces values with the names of their variables, and also covers other forms of secrets, such as
 * base64.
 */
function createMask(
  used: ReadonlyMap<string, string>,
  named: ReadonlySet<string>,
  secrets: SecretTexts,
): (text: string) => string {
  const longestFirst = [...used]
    .filter(([value]) => value.length >= minMasked)
    .toSorted(([a], [b]) => b.length - a.length);
  return (text) =>
    secrets.mask(
      longestFirst.reduce((masked, [value, name]) => {
        // A message may contain an ordinary word or number by chance. So such a value is replaced only in quotes.
        const [sought, by] =
          isOrdinary(value) && !named.has(value) ? [`"${value}"`, `"\${${name}}"`] : [value, `\${${name}}`];
        return masked.replaceAll(sought, () => by);
      }, text),
    );
}
