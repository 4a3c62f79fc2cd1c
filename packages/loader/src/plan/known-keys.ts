/** The keys of a plan, for readers that must not load the schema's library. A test compares them with the schema. */
export const planKeys: readonly string[] = [
  "$schema",
  "version",
  "name",
  "description",
  "tools",
  "hooks",
  "wake",
  "skills",
  "modes",
  "evals",
  "offer",
  "tests",
];

export const entryKeys: readonly string[] = [
  "module",
  "id",
  "instance_id",
  "source",
  "required",
  "config",
  "export",
  "prefix",
  "tools",
  "override",
  "hiddenText",
  "limits",
  "run",
  "uses",
  "wake",
  "remove",
];
