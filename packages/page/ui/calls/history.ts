import { signal } from "@preact/signals";
import { ask } from "../api.ts";
import type { CallSummary } from "../shapes.ts";
import { calls, hostPath, notify, textOf } from "../state.ts";

/** The number of calls on one page of the history. */
const pageSize = 500;
/** Milliseconds after the last key before the typed text is looked up. */
const typingMs = 300;

interface Page {
  readonly calls: readonly CallSummary[];
  readonly next: string | null;
}

/** The older calls that were read for one filter. The newest calls are kept in another signal. */
interface Past {
  /** The filter, as a query for the server. */
  readonly query: string;
  readonly calls: readonly CallSummary[];
  /** The cursor of the next page; undefined before the first page, and null if the server has no more. */
  readonly next: string | null | undefined;
  readonly isReading: boolean;
}

const nothing: Past = { query: "", calls: [], next: undefined, isReading: false };

/** The older calls that were read for the chosen filter. */
export const past = signal<Past>(nothing);

/** Returns a filter as a query for the server. The status field also accepts an error code, such as TIMED_OUT. */
export function queryOf({ status = "", ...filter }: Readonly<Record<string, string>>): string {
  const isCode = /^[A-Z][A-Z_]+$/.test(status);
  const all = { ...filter, ...(status !== "" && { [isCode ? "code" : "status"]: status }) };
  return new URLSearchParams(Object.entries(all).filter(([, value]) => value !== "")).toString();
}

let typing = 0;

/** Looks a filter up in the whole history once the person has stopped typing. An empty filter only clears the results. */
export function lookUp(query: string): void {
  if (query === past.peek().query) return;
  clearTimeout(typing);
  past.value = { ...nothing, query };
  if (query !== "") typing = setTimeout(() => void readMore(), typingMs);
}

/** Reads the next page of the history. */
export async function readMore(): Promise<void> {
  const { query, next, isReading } = past.value;
  if (isReading || next === null) return;
  past.value = { ...past.value, isReading: true };
  const cursor = next ?? (query === "" ? endOf(calls.value) : undefined);
  const path = `${hostPath.value}/calls?${query}&limit=${pageSize}${cursor === undefined ? "" : `&after=${encodeURIComponent(cursor)}`}`;
  try {
    const page = await ask<Page>("GET", path);
    // The person may have chosen another filter in the meantime.
    if (past.value.query !== query) return;
    past.value = { query, calls: [...past.value.calls, ...page.calls], next: page.next, isReading: false };
  } catch (error) {
    if (past.value.query === query) past.value = { ...past.value, isReading: false };
    notify(textOf(error));
  }
}

/** Returns the cursor after the newest calls. Without a filter, the history continues there; undefined if there are no calls. */
function endOf(newest: readonly CallSummary[]): string | undefined {
  const last = newest.at(-1);
  return last === undefined ? undefined : `${last.startedAt}.${last.runId}`;
}

/** Returns the address of a file with all calls that match a filter. */
export function exportPath(query: string, format: string): string {
  return `${hostPath.value}/calls/export?${query}&format=${format}`;
}
