const good: ReadonlySet<string> = new Set(["ok", "done", "mounted", "sleeping", "allow", "connected"]);
const open: ReadonlySet<string> = new Set([
  "running",
  "waiting",
  "decided",
  "pending",
  "open",
  "degraded",
  "ask",
  "may ask",
  "changed",
  "added",
  "connecting",
  "needs_auth",
  "unknown",
]);
const none: ReadonlySet<string> = new Set(["cancelled", "idle", "asleep"]);

/** The colour of a state. */
export function kindOf(status: string): "good" | "warn" | "bad" | "" {
  if (good.has(status)) return "good";
  if (none.has(status)) return "";
  return open.has(status) ? "warn" : "bad";
}

/** States that another word says better. */
const words: Readonly<Record<string, string>> = { decided: "answered, not run yet" };

/** A state as a word with its colour; the code of an error says more than its status. */
export function StatusChip({
  status,
  code = null,
}: {
  readonly status: string;
  readonly code?: string | null;
}) {
  return (
    <span class={`chip ${kindOf(status)} status ${status}`}>
      {code ?? words[status] ?? status.replaceAll("_", " ")}
    </span>
  );
}
