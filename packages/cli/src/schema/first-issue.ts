interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Returns what a schema says against a value: the place, where the problem is in a part of it, and the message. */
export function firstIssue({ issues: [issue] }: { readonly issues: readonly SchemaIssue[] }): string {
  const { path = [], message = "" } = issue ?? {};
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
