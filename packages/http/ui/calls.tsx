import { useComputed, useSignal } from "@preact/signals";
import { CallDetails } from "./call.tsx";
import { durationsOf, percentileOf } from "./percentile.ts";
import { Plot } from "./plot.tsx";
import { go, route } from "./route.ts";
import type { CallSummary } from "./shapes.ts";
import { calls, tools } from "./state.ts";
import { countText, durationText, Time } from "./value.tsx";

/** Height of a row in pixels, as the style has it. */
const rowPx = 36;
/** Rows that are in the document together; the rest is room. */
const rowsShown = 40;

const statuses = ["running", "waiting", "ok", "failed", "invalid", "not_found", "denied", "cancelled"];

const filter = {
  tool: "",
  status: "",
  session: "",
};

/** The newest calls, live, and one of them with all its steps. */
export function CallsView() {
  const given = useSignal(filter);
  const shown = useComputed(() => {
    const { tool, status, session } = given.value;
    return calls.value.filter(
      (call) =>
        call.tool.includes(tool) && call.status.includes(status) && (call.sessionId ?? "").includes(session),
    );
  });
  const { open } = route.value;
  const choices = { tool: tools.value.map(({ name }) => name), status: statuses, session: [] };
  return (
    <>
      <Plot calls={shown.value} />
      <div class="filters">
        {(["tool", "status", "session"] as const).map((name) => (
          <label>
            {name}
            <input
              list={`known-${name}`}
              value={given.value[name]}
              onInput={(event) => (given.value = { ...given.value, [name]: event.currentTarget.value })}
            />
            <datalist id={`known-${name}`}>
              {choices[name].map((choice) => (
                <option value={choice} />
              ))}
            </datalist>
          </label>
        ))}
        <span role="status">{countText(shown.value.length, "call")}</span>
        <Figures calls={shown.value} />
      </div>
      <div class={open === null ? "" : "split"}>
        <Rows calls={shown.value} open={open} />
        {open !== null && <CallDetails key={open} runId={open} />}
      </div>
    </>
  );
}

/** The errors and durations of the shown calls, for people who do not see the plot, too. */
function Figures({ calls: all }: { readonly calls: readonly CallSummary[] }) {
  const durations = durationsOf(all);
  if (durations.length === 0) return null;
  const texts = [50, 95, 99].map(
    (part) => `p${part} ${durationText(percentileOf(durations, part / 100) ?? 0)}`,
  );
  const errors = all.filter(({ code }) => code !== null).length;
  return <span class="figures">{[countText(errors, "error"), ...texts].join(" · ")}</span>;
}

function Rows({
  calls: all,
  open,
}: {
  readonly calls: readonly CallSummary[];
  readonly open: string | null;
}) {
  const first = useSignal(0);
  const from = Math.max(0, Math.min(first.value, all.length - rowsShown));
  return (
    <div class="table">
      <div
        class="rows"
        tabIndex={0}
        role="region"
        aria-label="Calls, newest first"
        onScroll={(event) =>
          (first.value = Math.max(0, Math.floor(event.currentTarget.scrollTop / rowPx) - 10))
        }
      >
        <div class="row titles" aria-hidden="true">
          <span class="at">started</span>
          <span class="tool">tool</span>
          <span>status</span>
          <span class="number">duration</span>
          <span class="session">session</span>
        </div>
        <div class="room" style={{ height: `${all.length * rowPx}px` }}>
          <ul style={{ transform: `translateY(${from * rowPx}px)` }}>
            {all.slice(from, from + rowsShown).map((call) => (
              <Row key={call.runId} call={call} isOpen={call.runId === open} />
            ))}
          </ul>
        </div>
      </div>
    </div>
  );
}

function Row({ call, isOpen }: { readonly call: CallSummary; readonly isOpen: boolean }) {
  return (
    <li>
      <button
        type="button"
        class="row"
        aria-pressed={isOpen}
        onClick={() => (isOpen ? go("calls") : go("calls", call.runId))}
      >
        <span class="at">
          <Time at={call.startedAt} />
        </span>
        <span class="tool">{call.tool}</span>
        <span class={`status ${call.status}`}>{call.code ?? call.status}</span>
        <span class="number">{call.durationMs === null ? "…" : durationText(call.durationMs)}</span>
        <span class="session">{call.sessionId ?? ""}</span>
      </button>
    </li>
  );
}
