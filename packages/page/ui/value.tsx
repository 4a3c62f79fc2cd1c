import { signal } from "@preact/signals";
import { countHidden, piecesOf } from "./hidden.ts";
import { drawPiece } from "./mark-hidden.ts";
import type { SessionSummary } from "./shapes.ts";

/** A value of a tool or a model, as text only: it can become neither markup nor code. */
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

/** Says that a text has characters that do not show; each is marked in it. */
export function HiddenNote({ hidden }: { readonly hidden: number }) {
  if (hidden === 0) return null;
  return (
    <p class="note">
      It has {countText(hidden, "character")} that {hidden === 1 ? "does" : "do"} not show. They are marked.
    </p>
  );
}

const dayMs = 86_400_000;

/** A time of day, with the date when it is not today; the whole date is its title. */
export function Time({ at }: { readonly at: number }) {
  const date = new Date(at);
  const isOld = Math.abs(Date.now() - at) > dayMs / 2 && date.toDateString() !== new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {isOld ? date.toLocaleString() : date.toLocaleTimeString()}
    </time>
  );
}

/** The time, for texts that grow old. */
export const now = signal(Date.now());
/** Milliseconds between two changes of such texts. */
const ageMs = 15_000;
setInterval(() => (now.value = Date.now()), ageMs);

/** How long ago something was. */
export function Age({ at }: { readonly at: number }) {
  const date = new Date(at).toISOString();
  const ago = now.value - at;
  return (
    <time dateTime={date} title={date}>
      {ago < 60_000 ? "moments" : durationText(ago)}
    </time>
  );
}

/** Milliseconds as people read them. */
export function durationText(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 90_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / dayMs)} days`;
}

/** Things with a number before them. */
export function countText(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** Tokens, and their cost where the plan has prices. */
export function tokensText({ usage, cost }: Pick<SessionSummary, "usage" | "cost">): string {
  const tokens = countText(usage.inputTokens + usage.outputTokens, "token");
  return cost === null ? tokens : `${tokens}, ${Number(cost.amount.toPrecision(3))} ${cost.currency}`;
}
