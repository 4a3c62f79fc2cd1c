import type { Issue } from "@toolmount/core";
import type { ErrorObject } from "ajv";

/** Maximum number of issues that are listed; further ones are only counted. */
const maxIssues = 20;

/** Returns the faults that ajv found, as issues that help a model to correct them. */
export function issuesOf(errors: readonly ErrorObject[]): readonly Issue[] {
  // A failed condition adds nothing to the faults of its branch.
  const errorsToShow = errors.filter(({ keyword }) => keyword !== "if");
  const issues = (errorsToShow.length > 0 ? errorsToShow : errors).slice(0, maxIssues).map(toIssue);
  return errorsToShow.length > maxIssues
    ? [...issues, { path: [], message: `and ${errorsToShow.length - maxIssues} more` }]
    : issues;
}

function toIssue({ keyword, instancePath, params, message }: ErrorObject): Issue {
  const path = pathOf(instancePath);
  const named = params as Readonly<Record<string, unknown>>;
  if (keyword === "required") return { path, message: `${quote(named["missingProperty"])} is required` };
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties")
    return {
      path,
      message: `${quote(named["additionalProperty"] ?? named["unevaluatedProperty"])} is not a known argument`,
    };
  if (keyword === "enum") return { path, message: `must be one of ${list(named["allowedValues"])}` };
  if (keyword === "const") return { path, message: `must be ${quote(named["allowedValue"])}` };
  if (keyword === "type") return { path, message: `must be ${article(named["type"])}` };
  return { path, message: (message ?? "is not valid").slice(0, 300) };
}

function pathOf(pointer: string): readonly (string | number)[] {
  return pointer
    .split("/")
    .slice(1, 40)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part.slice(0, 100)));
}

function quote(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 120);
}

function list(values: unknown): string {
  const all = Array.isArray(values) ? values : [];
  const shown = all.slice(0, 20).map(quote).join(", ");
  return all.length > 20 ? `${shown} and ${all.length - 20} more` : shown;
}

function article(type: unknown): string {
  return (Array.isArray(type) ? type : [type])
    .map((name) =>
      name === "null" ? "null" : /^[aeiou]/.test(String(name)) ? `an ${String(name)}` : `a ${String(name)}`,
    )
    .join(" or ");
}
