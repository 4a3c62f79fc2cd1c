interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Returns the first problem that a schema reports for a value: the place, if the problem is in a part of it, and the message. */
export function firstIssue({ issues: [issue] }: { readonly issues: readonly SchemaIssue[] }): string {
  const { path = [], message = "" } = issue ?? {};
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
