import type { StandardSchema } from "@toolmount/core";
import { plainRule } from "@toolmount/core/schemas";
import { nearestNames } from "@toolmount/core/text";
import { isRecord } from "./json.ts";
import { showPath, type Path } from "./positions.ts";
import type { Reporter } from "./problems.ts";

export interface SchemaIssue {
  readonly path: Path;
  /** Whether the key itself is wrong, or its value. */
  readonly part: "key" | "value";
  readonly problem: string;
  readonly unknownKey?: { readonly key: string; readonly near?: string };
}

type Issue = NonNullable<Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>["issues"]>[number];

const maxIssues = 50;

/**
 * Reads the issues of a Standard Schema. Zod reports unknown keys together. Each of them becomes an issue, with a similar known
 * key.
 */
export function readIssues(schema: StandardSchema, issues: readonly Issue[]): SchemaIssue[] {
  let json: unknown;
  const printed = () => (json ??= printSchema(schema));
  const plain = issues.slice(0, maxIssues).flatMap((issue) => insideUnion(issue));
  return plain.slice(0, maxIssues).flatMap((issue) => {
    const path = (issue.path ?? []).map(readSegment);
    const keys = unknownKeys(issue);
    if (keys === undefined) return [{ path, part: "value" as const, problem: describe(path, issue) }];
    return keys.slice(0, maxIssues).map((key) => describeKey(path, key, knownKeys(printed(), path)));
  });
}

/**
 * Returns the issues that explain why a value does not fit a union: those of the branch with the fewest issues, among the
 * branches for values of this kind. If there is no such branch, returns one issue for the union.
 */
function insideUnion(issue: Issue): readonly Issue[] {
  const { code, errors } = issue as { readonly code?: unknown; readonly errors?: unknown };
  if (code !== "invalid_union" || !Array.isArray(errors)) return [issue];
  const meant = (errors as readonly (readonly Issue[])[]).filter(
    (branch) => branch.length > 0 && branch.every((one) => (one.path ?? []).length > 0 || unknownKeys(one)),
  );
  const [best] = meant.toSorted((one, other) => one.length - other.length);
  if (best === undefined) return [branchesOf(issue, errors as readonly (readonly Issue[])[])];
  const path = issue.path ?? [];
  return best.flatMap((one) => insideUnion({ ...one, path: [...path, ...(one.path ?? [])] }));
}

/** Returns the issue of a union. Without a message of the schema's author, its message lists what each branch accepts. */
function branchesOf(issue: Issue, branches: readonly (readonly Issue[])[]): Issue {
  if (issue.message !== "Invalid input") return issue;
  const rules = branches.flatMap(([first]) =>
    first === undefined ? [] : (plainRule(first) ?? first.message),
  );
  return { ...issue, message: [...new Set(rules)].join(", or ") };
}

/** Reports the issues of a schema for the part of the plan at `base`. */
export function reportIssues(
  schema: StandardSchema,
  issues: readonly Issue[],
  base: Path,
  { report }: Reporter,
): void {
  for (const { path, part, problem, unknownKey } of readIssues(schema, issues)) {
    const at = { path: [...base, ...path], part };
    if (unknownKey === undefined) report("PLAN_VALUE_INVALID", { problem }, at);
    else report("PLAN_KEY_UNKNOWN", unknownKey, at);
  }
}

function readSegment(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === "object" ? segment.key : segment;
  return typeof key === "number" ? key : String(key);
}

function unknownKeys(issue: Issue): readonly string[] | undefined {
  const { code, keys } = issue as { readonly code?: unknown; readonly keys?: unknown };
  return code === "unrecognized_keys" && Array.isArray(keys) ? keys.map(String) : undefined;
}

function describeKey(path: Path, key: string, known: readonly string[]): SchemaIssue {
  const [near] = nearestNames(key, known);
  const inner = [...path, key];
  const problem = `unknown key "${key.slice(0, 100)}"${near === undefined ? "" : `; did you mean "${near}"?`}`;
  return {
    path: inner,
    part: "key",
    problem,
    unknownKey: { key: key.slice(0, 100), ...(near !== undefined && { near }) },
  };
}

function describe(path: Path, issue: Issue): string {
  const name = path.at(-1);
  const rule = plainRule(issue);
  if (rule === "is required" && typeof name === "string") return `"${name}" is missing`;
  if (path.length === 0) return rule === undefined ? issue.message : `it ${rule}`;
  return rule === undefined ? `${showPath(path)}: ${issue.message}` : `${showPath(path)} ${rule}`;
}

function printSchema(schema: StandardSchema): unknown {
  try {
    return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  } catch {
    return undefined;
  }
}

function knownKeys(schema: unknown, path: Path): string[] {
  if (!isRecord(schema)) return [];
  const branches = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => list(schema[keyword]));
  const inBranches = branches.flatMap((branch) => knownKeys(branch, path));
  const [first, ...rest] = path;
  const { properties } = schema;
  if (first === undefined) return [...Object.keys(isRecord(properties) ? properties : {}), ...inBranches];
  const named = isRecord(properties) && Object.hasOwn(properties, first) ? properties[first] : undefined;
  const next = typeof first === "number" ? schema["items"] : (named ?? schema["additionalProperties"]);
  return [...knownKeys(next, rest), ...inBranches];
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
