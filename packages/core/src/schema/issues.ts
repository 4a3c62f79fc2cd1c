import type { Issue } from "../contract/ports.ts";

type RawIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** Issues beyond this number are only counted: a million bad items must not become a million sentences. */
const maxIssues = 20;

/** Issues of a schema library in the form of core: at most {@link maxIssues}, the rest counted. */
export function issuesOf(raw: readonly RawIssue[]): readonly Issue[] {
  const issues = raw.slice(0, maxIssues).map(({ message, path = [] }) => ({
    message: message.slice(0, 500),
    path: path
      .map((part) => (typeof part === "object" ? part.key : part))
      .map((part) => (typeof part === "symbol" ? String(part) : part)),
  }));
  return raw.length > maxIssues
    ? [...issues, { path: [], message: `and ${raw.length - maxIssues} more` }]
    : issues;
}
