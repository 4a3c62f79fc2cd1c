import { signal } from "@preact/signals";
import { ask } from "../api.ts";
import type { CallSummary } from "../shapes.ts";
import { calls, hostPath, notify, textOf } from "../state.ts";

/** Calls of one page of the history. */
const pageSize = 500;
/** How long a person pauses before what they typed is looked up, in milliseconds. */
const typingMs = 300;

interface Page {
  readonly calls: readonly CallSummary[];
  readonly next: string | null;
}

/** What was read of the history for one filter, beside the newest calls, which the page always has. */
interface Past {
  /** The filter, as the server reads it. */
  readonly query: string;
  readonly calls: readonly CallSummary[];
  /** Reads more; undefined before the first page, and null when the server has no more. */
  readonly next: string | null | undefined;
  readonly isReading: boolean;
}

const nothing: Past = { query: "", calls: [], next: undefined, isReading: false };

/** What was read for the filter that is chosen. */
export const past = signal<Past>(nothing);

/** A filter as the server reads it. The field for a status also takes a code, such as TIMED_OUT. */
export function queryOf({ status = "", ...filter }: Readonly<Record<string, string>>): string {
  const isCode = /^[A-Z][A-Z_]+$/.test(status);
  const all = { ...filter, ...(status !== "" && { [isCode ? "code" : "status"]: status }) };
  return new URLSearchParams(Object.entries(all).filter(([, value]) => value !== "")).toString();
}

let typing = 0;

/** Looks a filter up in the whole history, when the person has paused. */
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
    // The person may have chosen another filter meanwhile.
    if (past.value.query !== query) return;
    past.value = { query, calls: [...past.value.calls, ...page.calls], next: page.next, isReading: false };
  } catch (error) {
    if (past.value.query === query) past.value = { ...past.value, isReading: false };
    notify(textOf(error));
  }
}

/** Without a filter the history continues where the newest calls end. */
function endOf(newest: readonly CallSummary[]): string | undefined {
  const last = newest.at(-1);
  return last === undefined ? undefined : `${last.startedAt}.${last.runId}`;
}

/** The address of all calls that a filter chooses, as a file for another program. */
export function exportPath(query: string, format: string): string {
  return `${hostPath.value}/calls/export?${query}&format=${format}`;
}
