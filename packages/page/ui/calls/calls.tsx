import { useComputed, useSignalEffect } from "@preact/signals";
import { fetchFile } from "../api.ts";
import { Empty, Top } from "../parts/frame.tsx";
import { filterBy, route } from "../route.ts";
import type { CallSummary } from "../shapes.ts";
import { calls, maySeeAll, notify, textOf, tools } from "../state.ts";
import { countText, durationText } from "../value.tsx";
import { CallDetails } from "./call.tsx";
import { exportPath, lookUp, past, queryOf } from "./history.ts";
import { Histogram } from "./histogram.tsx";
import { Rows } from "./rows.tsx";
import { kindOf } from "./status.tsx";

/** Shows the newest calls and follows their changes. Next to them, shows the open call with all its steps. */
export function CallsView() {
  const chosen = useComputed(() => chosenCalls(calls.value, past.value.calls, route.value.filter));
  const shown = useComputed(() => inTime(chosen.value, route.value.filter));
  useSignalEffect(() => lookUp(queryOf(route.value.filter)));
  const { open } = route.value;
  return (
    <>
      <Top title="Calls" about={aboutText(shown.value)}>
        {maySeeAll.value && <Exports />}
      </Top>
      <Filters calls={chosen.value} />
      <Histogram calls={chosen.value} />
      <div class={open === null ? "split" : "split opened"}>
        {shown.value.length === 0 ? <NoCalls /> : <Rows calls={shown.value} open={open} />}
        {open !== null && <CallDetails key={open} runId={open} />}
      </div>
    </>
  );
}

/**
 * Returns the newest calls that match the filter, followed by those from the history. With a text, returns only the server's
 * results, because only the server can search for it.
 */
function chosenCalls(
  newest: readonly CallSummary[],
  older: readonly CallSummary[],
  { tool = "", status = "", session = "", user = "", text = "" }: Readonly<Record<string, string>>,
): readonly CallSummary[] {
  if (text !== "") {
    const now = new Map(newest.map((call) => [call.runId, call]));
    return older.map((call) => now.get(call.runId) ?? call);
  }
  const here = newest.filter(
    (call) =>
      call.tool.includes(tool) &&
      (call.status.includes(status) || (call.code ?? "").toLowerCase().includes(status.toLowerCase())) &&
      (call.sessionId ?? "").includes(session) &&
      (call.userId ?? "").includes(user),
  );
  if (older.length === 0) return here;
  const known = new Set(here.map(({ runId }) => runId));
  return [...here, ...older.filter(({ runId }) => !known.has(runId))];
}

function inTime(
  all: readonly CallSummary[],
  { from, to }: Readonly<Record<string, string>>,
): readonly CallSummary[] {
  if (from === undefined || to === undefined) return all;
  return all.filter(({ startedAt }) => startedAt >= Number(from) && startedAt < Number(to));
}

/** Returns a summary of the shown calls: their number, errors and durations. */
function aboutText(all: readonly CallSummary[]): string {
  const durations = durationsOf(all);
  const parts = [50, 95, 99].map(
    (part) => `p${part} ${durationText(percentileOf(durations, part / 100) ?? 0)}`,
  );
  const errors = all.filter(({ code }) => code !== null).length;
  return [
    countText(all.length, "call"),
    ...(durations.length > 0 ? [countText(errors, "error"), ...parts] : []),
  ].join(" · ");
}

const names = ["tool", "status", "session", "user"] as const;

/** Shows the filters as fields, and the statuses also as chips with their counts. */
function Filters({ calls: all }: { readonly calls: readonly CallSummary[] }) {
  const { filter } = route.value;
  const set = (name: string, value: string) => filterBy({ ...filter, [name]: value });
  const isFiltered = Object.values(filter).some((value) => value !== "");
  return (
    <div class="filters" role="search" aria-label="Calls">
      {names.map((name) => (
        <label key={name}>
          <span class="quiet">{name}</span>
          <input
            list={name === "tool" ? "known-tools" : undefined}
            value={filter[name] ?? ""}
            placeholder={name === "status" ? "status or code" : name}
            onInput={(event) => set(name, event.currentTarget.value)}
          />
        </label>
      ))}
      <datalist id="known-tools">
        {tools.value.map(({ name }) => (
          <option value={name} />
        ))}
      </datalist>
      <label>
        <span class="quiet">text</span>
        <input
          type="search"
          value={filter["text"] ?? ""}
          placeholder="words, or a folder/"
          onInput={(event) => set("text", event.currentTarget.value)}
        />
      </label>
      <Statuses calls={all} chosen={filter["status"] ?? ""} choose={(status) => set("status", status)} />
      {isFiltered && (
        <button type="button" class="plain" onClick={() => filterBy({})}>
          Clear filters
        </button>
      )}
    </div>
  );
}

/** Shows buttons that download all calls that match the filters as a file. */
function Exports() {
  const save = async (format: string) => {
    const body = await fetchFile(exportPath(queryOf(route.value.filter), format));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(body);
    link.download = `calls.${format}`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <span class="exports">
      {["csv", "jsonl"].map((format) => (
        <button
          type="button"
          class="plain"
          onClick={() => void save(format).catch((error: unknown) => notify(textOf(error)))}
        >
          Save as {format === "csv" ? "CSV" : "JSON lines"}
        </button>
      ))}
    </span>
  );
}

interface StatusesProps {
  readonly calls: readonly CallSummary[];
  readonly chosen: string;
  readonly choose: (status: string) => void;
}

function Statuses({ calls: all, chosen, choose }: StatusesProps) {
  const counts = new Map<string, number>();
  for (const { status } of all) counts.set(status, (counts.get(status) ?? 0) + 1);
  return (
    <>
      {[...counts].map(([status, count]) => (
        <button
          type="button"
          class={`chip ${kindOf(status)}`}
          aria-pressed={status === chosen}
          onClick={() => choose(status === chosen ? "" : status)}
        >
          {status.replaceAll("_", " ")} {count}
        </button>
      ))}
    </>
  );
}

function NoCalls() {
  if (past.value.query !== "" && past.value.next === undefined) return <p class="nothing">Searching…</p>;
  if (calls.value.length > 0 || past.value.query !== "")
    return (
      <Empty icon="calls" title="No call has these filters">
        <p>
          A text is searched by whole words; order* also finds orders, invoices/ what touched that folder.
        </p>
        <button type="button" onClick={() => filterBy({})}>
          Clear filters
        </button>
      </Empty>
    );
  return (
    <Empty icon="calls" title="No call yet">
      <p>Calls appear here as they happen. Make one:</p>
      <pre>{`curl -H "Authorization: Bearer $TOKEN" \\\n  -H "Content-Type: application/json" \\\n  -d '{"tool":"${tools.value[0]?.name ?? "NAME"}"}' \\\n  ${location.origin}/api/v1/hosts/default/calls`}</pre>
      <p>
        Or <a href="#/try">try a tool on this page</a>.
      </p>
    </Empty>
  );
}

/** Returns the durations of the ended calls in milliseconds, shortest first. */
function durationsOf(shown: readonly CallSummary[]): Float64Array {
  return Float64Array.from(shown.flatMap(({ durationMs }) => durationMs ?? [])).toSorted();
}

/**
 * Returns the duration that the given part of the calls, such as 0.95, did not exceed; null without calls. `sorted` begins with
 * the shortest duration.
 */
function percentileOf(sorted: Float64Array, part: number): number | null {
  return sorted[Math.ceil(sorted.length * part) - 1] ?? null;
}
