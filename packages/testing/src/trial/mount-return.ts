/** The value that a `mount` returned without a promise. */
export class Synchronous {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** Whether a value has a `then`. */
export function isThenable(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

/** The tools that a `mount` returned, alone, as a list or under `tools`. */
export function toolsOf(returned: unknown): readonly unknown[] {
  if (Array.isArray(returned)) return returned;
  if (typeof returned !== "object" || returned === null) return [];
  if ("execute" in returned || "ExecuteAsync" in returned) return [returned];
  const { tools } = returned as { tools?: unknown };
  return Array.isArray(tools) ? tools : [];
}

/** The cleanup that a `mount` returned, alone or under `cleanup`. */
export function cleanupOf(returned: unknown): (() => unknown) | null {
  if (typeof returned === "function" && !("ToolName" in returned)) return returned as () => unknown;
  const { cleanup } = (typeof returned === "object" && returned !== null ? returned : {}) as {
    cleanup?: unknown;
  };
  return typeof cleanup === "function" ? (cleanup as () => unknown) : null;
}
