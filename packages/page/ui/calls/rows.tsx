import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { go, route } from "../route.ts";
import type { CallSummary } from "../shapes.ts";
import { durationText, Time } from "../value.tsx";
import { past, readMore } from "./history.ts";
import { StatusChip } from "./status.tsx";

/** Height of a row in pixels, as in the style sheet. */
const rowPx = 36;
/**
 * How many rows are in the document at a time. Empty space takes the place of the others, because a browser is slow with
 * thousands of rows.
 */
const rowsShown = 40;

interface RowsProps {
  readonly calls: readonly CallSummary[];
  readonly open: string | null;
}

/** Shows calls as rows. The Tab key reaches one of them, and the arrow keys move from row to row. */
export function Rows({ calls: all, open: openId }: RowsProps) {
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
        <span class="line">arguments</span>
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
      <Older />
    </div>
  );
}

/** Offers to load calls that are older than the shown ones. */
function Older() {
  const { next, isReading } = past.value;
  if (next === null) return <p class="nothing">These are all calls that are kept.</p>;
  return (
    <p class="nothing">
      <button type="button" class="plain" disabled={isReading} onClick={() => void readMore()}>
        {isReading ? "Reading…" : "Older calls"}
      </button>
    </p>
  );
}

/** Returns the row to which a key moves; null for other keys. */
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

/** Texts before calls that were only rehearsed, or that undid an earlier call. */
const marks = { call: "", rehearsal: "rehearsed: ", undo: "undo: " } as const;

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
        <span>{marks[call.kind] + call.tool}</span>
        <span class="line dim">{call.line}</span>
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
