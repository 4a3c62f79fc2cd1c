import { useComputed, useSignal } from "@preact/signals";
import { ask } from "./api.ts";
import { Plot } from "./plot.tsx";
import type { CallRecord, CallSummary } from "./shapes.ts";
import { calls, hostPath, notify, textOf } from "./state.ts";
import { durationText, Time, Value } from "./value.tsx";

/** Height of a row in pixels, as the style has it. */
const rowPx = 36;
/** Rows that are in the document together; the rest is room. */
const rowsShown = 40;

/** The newest calls, live, and one of them with all its steps. */
export function CallsView() {
  const filter = useSignal({ tool: "", status: "", session: "" });
  const open = useSignal<CallRecord | null>(null);
  const shown = useComputed(() => {
    const { tool, status, session } = filter.value;
    return calls.value.filter(
      (call) =>
        call.tool.includes(tool) && call.status.includes(status) && (call.sessionId ?? "").includes(session),
    );
  });
  const show = async ({ runId }: CallSummary) => {
    try {
      open.value = await ask<CallRecord>("GET", `${hostPath.value}/calls/${encodeURIComponent(runId)}`);
    } catch (error) {
      notify(textOf(error));
    }
  };
  return (
    <>
      <Plot calls={shown.value} />
      <div class="filters">
        {(["tool", "status", "session"] as const).map((name) => (
          <label>
            {name}
            <input
              value={filter.value[name]}
              onInput={(event) => (filter.value = { ...filter.value, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
        <span role="status">{shown.value.length} calls</span>
      </div>
      <Rows calls={shown.value} onOpen={(call) => void show(call)} />
      {open.value !== null && <Details call={open.value} onClose={() => (open.value = null)} />}
    </>
  );
}

function Rows({
  calls: all,
  onOpen,
}: {
  readonly calls: readonly CallSummary[];
  readonly onOpen: (call: CallSummary) => void;
}) {
  const first = useSignal(0);
  const from = Math.max(0, Math.min(first.value, all.length - rowsShown));
  return (
    <div
      class="rows"
      tabIndex={0}
      role="region"
      aria-label="Calls, newest first"
      onScroll={(event) =>
        (first.value = Math.max(0, Math.floor(event.currentTarget.scrollTop / rowPx) - 10))
      }
    >
      <div class="room" style={{ height: `${all.length * rowPx}px` }}>
        <ul style={{ transform: `translateY(${from * rowPx}px)` }}>
          {all.slice(from, from + rowsShown).map((call) => (
            <li key={call.runId}>
              <button type="button" class="row" onClick={() => onOpen(call)}>
                <Time at={call.startedAt} />
                <span class="tool">{call.tool}</span>
                <span class={`status ${call.status}`}>{call.code ?? call.status}</span>
                <span>{call.durationMs === null ? "…" : durationText(call.durationMs)}</span>
                <span class="session">{call.sessionId ?? ""}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function Details({ call, onClose }: { readonly call: CallRecord; readonly onClose: () => void }) {
  const begin = call.steps[0]?.at ?? call.startedAt;
  const whole = Math.max(1, (call.steps.at(-1)?.at ?? begin) - begin);
  return (
    <section class="card" aria-label={`Call of ${call.tool}`}>
      <h2>
        {call.tool} <span class={`status ${call.status}`}>{call.status}</span>
      </h2>
      <p class="facts">
        run {call.runId} · call {call.callId}
        {call.sessionId !== null && ` · session ${call.sessionId}`}
        {call.userId !== null && ` · for ${call.userId}`}
        {call.phase !== null && ` · stopped at ${call.phase}`}
        {call.traceparent !== null && ` · trace ${call.traceparent}`}
      </p>
      <ol class="steps">
        {call.steps.map(({ at, name, note }) => (
          <li>
            <meter min={0} max={whole} value={at - begin} aria-label={`${name} after`} />
            <span>+{durationText(at - begin)}</span> {name}
            {note !== undefined && `: ${note}`}
          </li>
        ))}
      </ol>
      <h3>Arguments</h3>
      <Kept shown={call.arguments} />
      <h3>Result</h3>
      <Kept shown={call.result} />
      <button type="button" onClick={onClose}>
        Close
      </button>
    </section>
  );
}

function Kept({ shown }: { readonly shown: CallRecord["result"] }) {
  if (shown === null) return <p>Not kept.</p>;
  if ("value" in shown) return <Value value={shown.value} />;
  return (
    <>
      <p>The first part of {shown.characters} characters:</p>
      <Value value={shown.text} />
    </>
  );
}
