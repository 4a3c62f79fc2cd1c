import type { Issue } from "../contract/ports.ts";

type RawIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** Issues beyond this number are only counted: a million bad items must not become a million sentences. */
const maxIssues = 20;

/** Issues of a schema library in the form of core: at most {@link maxIssues}, the rest counted. */
export function issuesOf(raw: readonly RawIssue[]): readonly Issue[] {
  const issues = raw.slice(0, maxIssues).map((issue) => {
    const path = (issue.path ?? [])
      .map((part) => (typeof part === "object" ? part.key : part))
      .map((part) => (typeof part === "symbol" ? String(part) : part));
    return { message: plainWords(issue.message, path).slice(0, 500), path };
  });
  return raw.length > maxIssues
    ? [...issues, { path: [], message: `and ${raw.length - maxIssues} more` }]
    : issues;
}

/** Zod's own sentence for a value of another type. A sentence of the schema's author stays as it is. */
const otherType = /^Invalid input: expected (\w+), received (\w+)$/;

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

/** The sentence for a missing argument, or one of another type, in words for people and models. */
function plainWords(message: string, path: Issue["path"]): string {
  const [, expected = "", received = ""] = otherType.exec(message) ?? [];
  const kind = wanted[expected];
  if (kind === undefined || path.length === 0) return message;
  const name = formatPath(path);
  if (received === "undefined") return `${name} is required`;
  const other = given[received];
  if (other === undefined) return message;
  return expected === "int" && received === "number"
    ? `${name} must be a whole number`
    : `${name} must be ${kind}, not ${other}`;
}

/** A path as text: `a.b[0].c`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("")
    .slice(0, 200);
}
