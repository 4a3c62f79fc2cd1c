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

/** Returns the colour of a status; `bad` for an unknown one. */
export function kindOf(status: string): "good" | "warn" | "bad" | "" {
  if (good.has(status)) return "good";
  if (none.has(status)) return "";
  return open.has(status) ? "warn" : "bad";
}

/** Clearer words for some statuses. */
const words: Readonly<Record<string, string>> = { decided: "answered, not run yet" };

/** Shows a status as a coloured word. For an error, shows its code instead, which says more than the status. */
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
