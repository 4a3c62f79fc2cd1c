import { isRecord } from "../json/json.ts";
import { pointed } from "../json/pointer.ts";
import { formatPath } from "../schema/issues.ts";
import { escapeHidden } from "../text/hidden.ts";
import { foldLookalikes, scanText, type TextFinding, type TextFindingKind } from "./text.ts";

/** Kinds of findings in a definition: those of its texts, names and references. */
export type DefinitionFindingKind = TextFindingKind | "name" | "ref";

/** A finding in a definition, with its path, for example `inputSchema.properties.city.description`. */
export interface DefinitionFinding extends Omit<TextFinding, "kind"> {
  readonly kind: DefinitionFindingKind;
  readonly path: string;
}

const maxFindings = 100;

/** Maximum number of characters of a usage text; a longer one is a finding. Usage texts are long by nature. */
const maxUsageLength = 20_000;

/**
 * Scans every string of a tool's definition: name, descriptions, titles, enums, defaults and property names, of input
 * and output schema, and every `$ref`. It is a pure function that reads only own properties.
 */
export function scanDefinition(definition: Readonly<Record<string, unknown>>): readonly DefinitionFinding[] {
  const findings: DefinitionFinding[] = [];
  const add = (finding: DefinitionFinding) => {
    if (findings.length < maxFindings) findings.push(finding);
  };
  const { name } = definition;
  if (typeof name === "string") for (const finding of scanName(name, ["name"])) add(finding);
  walk(definition, [], { add, root: definition, seen: new Set() });
  return findings;
}

interface Walk {
  readonly add: (finding: DefinitionFinding) => void;
  readonly root: Readonly<Record<string, unknown>>;
  readonly seen: Set<object>;
}

type Path = readonly (string | number)[];

function walk(value: unknown, path: Path, at: Walk): void {
  if (typeof value === "string") return scanString(value, path, at);
  if (typeof value !== "object" || value === null || path.length > 40 || at.seen.has(value)) return;
  at.seen.add(value);
  if (Array.isArray(value)) return value.forEach((item, index) => walk(item, [...path, index], at));
  for (const key of Object.keys(value)) {
    const member = [...path, key];
    if (isPropertyTable(path)) for (const finding of scanKey(key, member)) at.add(finding);
    else for (const finding of scanWord(key)) at.add({ ...finding, path: place(member) });
    walk((value as Record<string, unknown>)[key], member, at);
  }
}

/** The findings of keys that were scanned. Keywords of JSON Schema, and many names of arguments, are in most definitions. */
const ofWords = new Map<string, readonly TextFinding[]>();
const most = { words: 2_000, letters: 64 };

/** Scans a key. Short keys are scanned once, and their findings kept. */
function scanWord(key: string): readonly TextFinding[] {
  const known = ofWords.get(key);
  if (known !== undefined) return known;
  const found = scanText(key);
  if (key.length <= most.letters && ofWords.size < most.words) ofWords.set(key, found);
  return found;
}

function scanString(text: string, path: Path, at: Walk): void {
  const key = path.at(-1);
  const inProperties = isPropertyTable(path.slice(0, -1));
  const maxLength = path.length === 1 && key === "usage" ? maxUsageLength : undefined;
  for (const finding of scanText(text, maxLength === undefined ? {} : { maxLength }))
    at.add({ ...finding, path: place(path) });
  if (inProperties || path.length < 2) return;
  if (key === "$ref" || key === "$dynamicRef" || key === "$recursiveRef") scanRef(text, path, at);
}

/** Whether the keys at a path are names of arguments and not keywords of JSON Schema. */
function isPropertyTable(path: Path): boolean {
  const [last, before] = [path.at(-1), path.at(-2)];
  return (
    (last === "properties" || last === "patternProperties") && before !== "properties" && path.length > 1
  );
}

function* scanKey(key: string, path: Path): Generator<DefinitionFinding> {
  for (const finding of scanWord(key)) yield { ...finding, path: place(path) };
  if (path.at(-2) === "patternProperties") return;
  if (key in Object.prototype)
    yield make("name", path, "is the name of a member of every JavaScript object", key);
  if (mixesScripts(key)) yield make("name", path, "mixes letters of several scripts that look alike", key);
}

function* scanName(name: string, path: Path): Generator<DefinitionFinding> {
  if (name in Object.prototype)
    yield make("name", path, "is the name of a member of every JavaScript object", name);
  else if (/[^\x20-\x7e]/.test(name))
    yield make("name", path, "has letters outside ASCII, which may look like ASCII letters", name);
  else if (!/^[A-Za-z0-9_./:-]{1,128}$/.test(name))
    yield make("name", path, "is not of 1 to 128 letters, digits, _ . / : and -", name);
}

const plainName = /^[\x20-\x7e]*$/;

/** Whether a word mixes Latin letters with letters of Cyrillic, Greek or a similar script. */
function mixesScripts(name: string): boolean {
  if (plainName.test(name)) return false;
  return name
    .split(/[^\p{L}\p{M}]+/u)
    .some(
      (word) =>
        /\p{sc=Latin}/u.test(word) &&
        (foldLookalikes(word) !== word ||
          /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Cherokee}]/u.test(word)),
    );
}

function scanRef(ref: string, path: Path, { add, root }: Walk): void {
  if (!ref.startsWith("#"))
    return add(make("ref", path, "refers to a schema outside of the definition", ref));
  const schema = root[String(path[0])];
  if (ref !== "#" && ref.startsWith("#/") && pointed(schema, ref) === undefined)
    add(make("ref", path, "refers to a part of the schema that does not exist", ref));
  else if (ref.startsWith("#/") && runsInCircle(schema, ref))
    add(make("ref", path, "refers only to itself", ref));
}

function runsInCircle(schema: unknown, ref: string): boolean {
  const seen = new Set<string>();
  for (let next: unknown = ref; typeof next === "string" && next.startsWith("#/");) {
    if (seen.has(next)) return true;
    seen.add(next);
    const target = pointed(schema, next);
    next = isRecord(target) ? target["$ref"] : undefined;
  }
  return false;
}

function make(kind: "name" | "ref", path: Path, message: string, text: string): DefinitionFinding {
  return {
    kind,
    severity: "warning",
    at: 0,
    message,
    excerpt: escapeHidden(text.slice(0, 120)),
    path: place(path),
  };
}

function place(path: Path): string {
  return escapeHidden(formatPath(path));
}
