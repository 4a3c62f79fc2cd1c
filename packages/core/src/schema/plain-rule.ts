/** The public fields of a Zod issue. Source: https://zod.dev/error-customization */
interface ZodIssue {
  readonly code?: unknown;
  readonly message?: unknown;
  /** The refused value. Zod leaves it in the issue only if the parse sets `reportInput`. */
  readonly input?: unknown;
  readonly expected?: unknown;
  readonly origin?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly inclusive?: unknown;
  readonly exact?: unknown;
  readonly values?: unknown;
}

/**
 * Options for a parse whose issues are in our words: `schema.safeParse(value, plainWords)`. A message of the schema's author
 * takes precedence; Zod's own is used where we have none.
 */
export const plainWords = Object.freeze({ error: ruleOf, reportInput: true });

/** Returns the rule that a value breaks, without a subject: `must be at least 1`. Undefined if the message is not one of ours. */
export function plainRule(issue: object): string | undefined {
  const rule = ruleOf(issue);
  return rule === (issue as ZodIssue).message ? rule : undefined;
}

function ruleOf(issue: ZodIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return typeRule(issue);
    case "too_small":
      return boundRule(issue, issue.inclusive === true ? "at least" : "more than", issue.minimum);
    case "too_big":
      return boundRule(issue, issue.inclusive === true ? "at most" : "less than", issue.maximum);
    case "invalid_value":
      return issue.input === undefined
        ? ["is required", valueRule(issue)].filter(Boolean).join(", and ")
        : valueRule(issue);
    default:
      return undefined;
  }
}

const wanted: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function typeRule({ expected, input }: ZodIssue): string | undefined {
  if (input === undefined) return "is required";
  const kind = wanted[String(expected)];
  const given = describeKind(input);
  if (kind === undefined || given === undefined) return undefined;
  return expected === "int" && given === "a number"
    ? "must be a whole number"
    : `must be ${kind}, not ${given}`;
}

/** Names the kind of a JSON value. */
function describeKind(value: unknown): string | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : undefined;
  if (typeof value === "string" || typeof value === "boolean") return `a ${typeof value}`;
  return typeof value === "object" ? "an object" : undefined;
}

const units: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ["character", "characters"],
  array: ["item", "items"],
  set: ["item", "items"],
  map: ["entry", "entries"],
  file: ["byte", "bytes"],
};

function boundRule({ origin, exact }: ZodIssue, words: string, bound: unknown): string | undefined {
  if (exact === true || (typeof bound !== "number" && typeof bound !== "bigint")) return undefined;
  const unit = units[String(origin)];
  if (unit === undefined) return `must be ${words} ${bound}`;
  return `must have ${words} ${bound} ${unit[Number(bound) === 1 ? 0 : 1]}`;
}

function valueRule({ values }: ZodIssue): string | undefined {
  if (
    !Array.isArray(values) ||
    !values.every((value) => typeof value === "string" || typeof value === "number")
  )
    return undefined;
  const all = values.map((value) => (typeof value === "string" ? `"${value}"` : String(value)));
  return all.length === 1 ? `must be ${all[0]}` : `must be one of ${all.join(", ")}`;
}
