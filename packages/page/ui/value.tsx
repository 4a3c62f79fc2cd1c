import { signal } from "@preact/signals";
import { countHidden, piecesOf } from "./hidden.ts";
import { drawPiece } from "./mark-hidden.ts";
import type { SessionSummary } from "./shapes.ts";

/** Shows a value of a tool or a model as text only, so that it cannot become markup or code. */
export function Value({ value, label = "Value" }: { readonly value: unknown; readonly label?: string }) {
  const isJson = typeof value !== "string";
  const text = isJson ? (JSON.stringify(value, null, 2) ?? "") : value;
  return (
    <>
      <HiddenNote hidden={countHidden(text, isJson)} />
      <pre class="value" tabIndex={0} role="group" aria-label={label} data-marked>
        {piecesOf(text, isJson).map(drawPiece)}
      </pre>
    </>
  );
}

/** Shows how many hidden characters a text has. In the text, each of them is marked. */
export function HiddenNote({ hidden }: { readonly hidden: number }) {
  if (hidden === 0) return null;
  return (
    <p class="note">
      It has {countText(hidden, "character")} that {hidden === 1 ? "does" : "do"} not show. They are marked.
    </p>
  );
}

const dayMs = 86_400_000;

/** Shows a time of day, with the date if it is on another day and over 12 hours away. The title is the full date. */
export function Time({ at }: { readonly at: number }) {
  const date = new Date(at);
  const isOld = Math.abs(Date.now() - at) > dayMs / 2 && date.toDateString() !== new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {isOld ? date.toLocaleString() : date.toLocaleTimeString()}
    </time>
  );
}

/** The current time, for texts that show an age. */
export const now = signal(Date.now());
/** Milliseconds between two updates of {@link now}. */
const ageMs = 15_000;
setInterval(() => (now.value = Date.now()), ageMs);

/** Shows how long ago something was. */
export function Age({ at }: { readonly at: number }) {
  const date = new Date(at).toISOString();
  const ago = now.value - at;
  return (
    <time dateTime={date} title={date}>
      {ago < 60_000 ? "moments" : durationText(ago)}
    </time>
  );
}

/** Returns a duration in a readable unit. */
export function durationText(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 90_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / dayMs)} days`;
}

/** Returns a number and its noun, in the plural if needed. */
export function countText(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** Returns the number of tokens, and their cost if the plan has prices. */
export function tokensText({ usage, cost }: Pick<SessionSummary, "usage" | "cost">): string {
  const tokens = countText(usage.inputTokens + usage.outputTokens, "token");
  return cost === null ? tokens : `${tokens}, ${Number(cost.amount.toPrecision(3))} ${cost.currency}`;
}
