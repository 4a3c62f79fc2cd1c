/** A value of a tool or a model, as text only: it can become neither markup nor code. */
export function Value({ value }: { readonly value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <pre class="value" tabIndex={0} role="group" aria-label="Value">
      {text}
    </pre>
  );
}

/** A time of day, with the whole date as its title. */
export function Time({ at }: { readonly at: number }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {date.toLocaleTimeString()}
    </time>
  );
}

/** Milliseconds as people read them. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 90_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}
