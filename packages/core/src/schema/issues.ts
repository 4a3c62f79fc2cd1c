import type { Issue } from "../contract/ports.ts";
import { plainRule } from "./plain-rule.ts";

type RawIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** Issues beyond this number are only counted, because a million bad items must not become a million sentences. */
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

/** Returns the sentence of an issue. A rule in our words gets the path as its subject; other messages stay as they are. */
function sentenceOf(issue: RawIssue, path: Issue["path"]): string {
  const rule = path.length === 0 ? undefined : plainRule(issue);
  return rule === undefined ? issue.message : `${formatPath(path)} ${rule}`;
}

/** Returns a path as text, for example `a.b[0].c`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("")
    .slice(0, 200);
}
