const otherType = /^Invalid input: expected (\w+), received (\w+)$/;

const outOfBounds = /^Too (?:small|big): expected (\w+) to (?:have|be) (>=?|<=?)(-?[\d.e+]+)(?: (\w+))?$/;

const otherValue = /^Invalid (?:option: expected one of|input: expected) ("[^]*"(?:\|"[^]*")*|[\d.|-]+)$/;

const wanted: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const given: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  array: "a list",
  object: "an object",
  null: "null",
};

const bounds: Readonly<Record<string, string>> = {
  ">=": "at least",
  ">": "more than",
  "<=": "at most",
  "<": "less than",
};

const units: Readonly<Record<string, readonly [one: string, several: string]>> = {
  characters: ["character", "characters"],
  items: ["item", "items"],
  properties: ["member", "members"],
  keys: ["member", "members"],
};

/** The rule that a value breaks, to follow its name: `must be at least 1`. Undefined for a sentence that is not Zod's. */
export function plainRule(message: string): string | undefined {
  return ofType(message) ?? ofBounds(message) ?? ofValues(message);
}

function ofType(message: string): string | undefined {
  const [, expected = "", received = ""] = otherType.exec(message) ?? [];
  const kind = wanted[expected];
  if (kind === undefined) return undefined;
  if (received === "undefined") return "is required";
  if (expected === "int" && received === "number") return "must be a whole number";
  const other = given[received];
  return other === undefined ? undefined : `must be ${kind}, not ${other}`;
}

function ofBounds(message: string): string | undefined {
  const [, , sign = "", bound = "", unit] = outOfBounds.exec(message) ?? [];
  const words = bounds[sign];
  if (words === undefined) return undefined;
  if (unit === undefined) return `must be ${words} ${bound}`;
  const [one, several] = units[unit] ?? [unit, unit];
  return `must have ${words} ${bound} ${bound === "1" ? one : several}`;
}

function ofValues(message: string): string | undefined {
  const [, values] = otherValue.exec(message) ?? [];
  if (values === undefined) return undefined;
  const all = values.split("|");
  return all.length === 1 ? `must be ${values}` : `must be one of ${all.join(", ")}`;
}
