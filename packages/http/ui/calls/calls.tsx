import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Empty, Top } from "../parts/frame.tsx";
import { filterBy, go, route } from "../route.ts";
import type { CallSummary } from "../shapes.ts";
import { calls, tools } from "../state.ts";
import { countText, durationText, Time } from "../value.tsx";
import { CallDetails } from "./call.tsx";
import { Histogram } from "./histogram.tsx";
import { durationsOf, percentileOf } from "./percentile.ts";
import { kindOf, StatusChip } from "./status.tsx";

/** Height of a row in pixels, as the style has it. */
const rowPx = 36;
/** Rows that are in the document together; the rest is room. */
const rowsShown = 40;

/** The newest calls, live, and one of them with all its steps. */
export function CallsView() {
  const chosen = useComputed(() => chosenCalls(calls.value, route.value.filter));
  const shown = useComputed(() => inTime(chosen.value, route.value.filter));
  const { open } = route.value;
  return (
    <>
      <Top title="Calls" about={aboutText(shown.value)} />
      <Filters calls={chosen.value} />
      <Histogram calls={chosen.value} />
      <div class={open === null ? "split" : "split opened"}>
        {shown.value.length === 0 ? <NoCalls /> : <Rows calls={shown.value} open={open} />}
        {open !== null && <CallDetails key={open} runId={open} />}
      </div>
    </>
  );
}

function chosenCalls(
  all: readonly CallSummary[],
  { tool = "", status = "", session = "", user = "" }: Readonly<Record<string, string>>,
): readonly CallSummary[] {
  return all.filter(
    (call) =>
      call.tool.includes(tool) &&
      (call.status.includes(status) || (call.code ?? "").toLowerCase().includes(status.toLowerCase())) &&
      (call.sessionId ?? "").includes(session) &&
      (call.userId ?? "").includes(user),
  );
}

function inTime(
  all: readonly CallSummary[],
  { from, to }: Readonly<Record<string, string>>,
): readonly CallSummary[] {
  if (from === undefined || to === undefined) return all;
  return all.filter(({ startedAt }) => startedAt >= Number(from) && startedAt < Number(to));
}

/** The errors and durations of the shown calls. */
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

/** Statuses as chips with their counts, and the other filters as fields. */
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
      <Statuses calls={all} chosen={filter["status"] ?? ""} choose={(status) => set("status", status)} />
      {isFiltered && (
        <button type="button" class="plain" onClick={() => filterBy({})}>
          Clear filters
        </button>
      )}
    </div>
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
  if (calls.value.length > 0)
    return (
      <Empty icon="calls" title="No call has these filters">
        <p>{countText(calls.value.length, "call")} of this host are known.</p>
        <button type="button" onClick={() => filterBy({})}>
          Clear filters
        </button>
      </Empty>
    );
  return (
    <Empty icon="calls" title="No call yet">
      <p>Calls appear here as they happen. Make one:</p>
      <pre>{`curl -H "Authorization: Bearer $TOKEN" \\\n  -H "Content-Type: application/json" \\\n  -d '{"tool":"${tools.value[0]?.name ?? "NAME"}"}' \\\n  ${location.origin}/api/hosts/default/calls`}</pre>
      <p>
        Or <a href="#/try">try a tool on this page</a>.
      </p>
    </Empty>
  );
}

interface RowsProps {
  readonly calls: readonly CallSummary[];
  readonly open: string | null;
}

/** One stop of the Tab key; the arrow keys go from row to row. */
function Rows({ calls: all, open: openId }: RowsProps) {
  const first = useSignal(0);
  const at = useSignal(0);
  const place = useRef<HTMLDivElement>(null);
  const from = Math.max(0, Math.min(first.value, all.length - rowsShown));
  const stop = Math.max(0, Math.min(at.value, all.length - 1));
  const move = (event: KeyboardEvent) => {
    const target = targetOf(event.key, stop, all.length);
    if (target === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    at.value = target;
    reveal(place.current!, target);
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>('[tabindex="0"].row')?.focus());
  };
  useLayoutEffect(() => {
    const index = all.findIndex(({ runId }) => runId === openId);
    if (index !== -1) at.value = index;
  }, [openId]);
  return (
    <div
      class="rows"
      ref={place}
      role="region"
      aria-label="Calls, newest first"
      onKeyDown={move}
      onScroll={(event) =>
        (first.value = Math.max(0, Math.floor(event.currentTarget.scrollTop / rowPx) - 10))
      }
    >
      <div class="row titles" aria-hidden="true">
        <span>started</span>
        <span>tool</span>
        <span class="wide">session</span>
        <span class="wide">person</span>
        <span>result</span>
        <span class="number">time</span>
      </div>
      <div class="room" style={{ height: `${all.length * rowPx}px` }}>
        <ul style={{ transform: `translateY(${from * rowPx}px)` }}>
          {all.slice(from, from + rowsShown).map((call, index) => (
            <Row key={call.runId} call={call} isOpen={call.runId === openId} isStop={from + index === stop} />
          ))}
        </ul>
      </div>
    </div>
  );
}

/** The row that a key leads to; null for other keys. */
function targetOf(key: string, at: number, length: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    j: 1,
    ArrowUp: -1,
    k: -1,
    PageDown: 15,
    PageUp: -15,
  };
  if (key === "Home") return 0;
  if (key === "End") return length - 1;
  const step = steps[key];
  return step === undefined ? null : Math.max(0, Math.min(length - 1, at + step));
}

function reveal(rows: HTMLElement, at: number): void {
  const top = at * rowPx;
  const height = rows.clientHeight - 2 * rowPx;
  if (top < rows.scrollTop) rows.scrollTop = top;
  else if (top > rows.scrollTop + height) rows.scrollTop = top - height;
}

interface RowProps {
  readonly call: CallSummary;
  readonly isOpen: boolean;
  readonly isStop: boolean;
}

function Row({ call, isOpen, isStop }: RowProps) {
  const { filter } = route.value;
  return (
    <li>
      <button
        type="button"
        class="row"
        tabIndex={isStop ? 0 : -1}
        aria-pressed={isOpen}
        onClick={() => go("calls", isOpen ? null : call.runId, filter)}
      >
        <span class="dim">
          <Time at={call.startedAt} />
        </span>
        <span>{call.tool}</span>
        <span class="wide dim">{call.sessionId ?? ""}</span>
        <span class="wide dim">{call.userId ?? ""}</span>
        <span>
          <StatusChip status={call.status} code={call.code} />
        </span>
        <span class="number">{call.durationMs === null ? "…" : durationText(call.durationMs)}</span>
      </button>
    </li>
  );
}
