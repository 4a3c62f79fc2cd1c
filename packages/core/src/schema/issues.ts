import type { Issue } from "../contract/ports.ts";
import { plainRule } from "./plain-rule.ts";

type RawIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** Issues beyond this number are only counted: a million bad items must not become a million sentences. */
const maxIssues = 20;

export function issuesOf(raw: readonly RawIssue[]): readonly Issue[] {
  const issues = raw.slice(0, maxIssues).map((issue) => {
    const path = (issue.path ?? [])
      .map((part) => (typeof part === "object" ? part.key : part))
      .map((part) => (typeof part === "symbol" ? String(part) : part));
    return { message: sentenceOf(issue, path).slice(0, 500), path };
  });
  return raw.length > maxIssues
    ? [...issues, { path: [], message: `and ${raw.length - maxIssues} more` }]
    : issues;
}

/** A rule in our words gets its subject. A sentence of the schema's author stays as it is. */
function sentenceOf(issue: RawIssue, path: Issue["path"]): string {
  const rule = path.length === 0 ? undefined : plainRule(issue);
  return rule === undefined ? issue.message : `${formatPath(path)} ${rule}`;
}

/** A path as text: `a.b[0].c`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("")
    .slice(0, 200);
}
