import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { Copy, CopyLink } from "../parts/copy.tsx";
import { ProgramOf } from "../parts/program.tsx";
import { StatusChip } from "./status.tsx";
import { ask } from "../api.ts";
import { go, linkTo, route } from "../route.ts";
import type { AuditRecord, CallRecord } from "../shapes.ts";
import { calls, hostPath, maySeeAll, textOf } from "../state.ts";
import { durationText, now, Time, Value } from "../value.tsx";

/** Shows one call and follows its changes: its steps over time, its arguments, its result and its audit. */
export function CallDetails({ runId }: { readonly runId: string }) {
  const call = useSignal<CallRecord | null>(null);
  const problem = useSignal("");
  const change = useComputed(() => calls.value.find((one) => one.runId === runId)?.change);
  const title = useRef<HTMLHeadingElement>(null);
  useSignalEffect(() => {
    void change.value;
    void ask<CallRecord>("GET", `${hostPath.value}/calls/${encodeURIComponent(runId)}`).then(
      (found) => (call.value = found),
      (error: unknown) => (problem.value = textOf(error)),
    );
  });
  useEffect(() => {
    // On narrow screens the drawer replaces the list, and with it the focused row.
    if (document.activeElement?.checkVisibility() !== true) title.current?.focus();
  }, []);
  return (
    <aside class="drawer" role="region" aria-label="Call">
      <button type="button" class="close" onClick={() => go("calls", null, route.value.filter)}>
        <Icon name="cross" />
        Close
      </button>
      <h2 tabIndex={-1} ref={title}>
        {call.value?.tool ?? "Call"}
      </h2>
      {call.value === null ? <p>{problem.value || "Reading…"}</p> : <Details call={call.value} />}
    </aside>
  );
}

function Details({ call }: { readonly call: CallRecord }) {
  return (
    <>
      <p class="meta">
        <StatusChip status={call.status} code={call.code} />
        <span>
          <Time at={call.startedAt} />
          {call.durationMs !== null && ` · ${durationText(call.durationMs)}`}
        </span>
        <CopyLink to={linkTo("calls", call.runId)} what="to this call" />
      </p>
      <dl class="facts">
        <Fact name="run" value={call.runId} />
        <Fact name="call" value={call.callId} />
        {call.sessionId !== null && <dt>session</dt>}
        {call.sessionId !== null && (
          <dd>
            <a href={linkTo("sessions", call.sessionId)}>{call.sessionId}</a>
          </dd>
        )}
        <Fact name="turn" value={call.turnId} />
        <Fact name="user" value={call.userId} />
        {call.parentRunId !== null && <dt>made by</dt>}
        {call.parentRunId !== null && (
          <dd>
            <a href={linkTo("calls", call.parentRunId)}>{call.parentRunId}</a>
            {call.place !== null && ` in line ${call.place.line}`}
          </dd>
        )}
        <Fact name="stopped at" value={call.phase} />
        <Fact name="trace" value={call.traceparent} />
      </dl>
      <Timeline call={call} />
      {hasSource(call) && <ProgramOf runId={call.runId} />}
      <Kept shown={call.arguments} label="Arguments" />
      <Kept shown={call.result} label="Result" />
      {maySeeAll.value && <Audit key={call.change} runId={call.runId} />}
    </>
  );
}

/** Tests whether the arguments contain a program, even if only the beginning of the arguments is known. */
function hasSource({ arguments: given }: CallRecord): boolean {
  if (given === null) return false;
  if ("text" in given) return given.text.startsWith('{"source":');
  const { source } = (given.value ?? {}) as { readonly source?: unknown };
  return typeof source === "string";
}

function Fact({ name, value }: { readonly name: string; readonly value: string | null }) {
  if (value === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** Shows each step as a bar that ends where the next step begins. */
function Timeline({ call: { status, steps, startedAt, durationMs } }: { readonly call: CallRecord }) {
  const begin = steps[0]?.at ?? startedAt;
  const isOpen = status === "waiting" || status === "running";
  const end = Math.max(steps.at(-1)?.at ?? begin, begin + (durationMs ?? 0), isOpen ? now.value : 0);
  const whole = Math.max(1, end - begin);
  return (
    <ol class="steps">
      {steps.map(({ at, name, note }, index) => {
        const until = steps[index + 1]?.at ?? end;
        const left = (100 * (at - begin)) / whole;
        const width = Math.max(1, (100 * (until - at)) / whole);
        return (
          <li>
            <span>
              {name}
              {note !== undefined && note !== "" && `: ${note}`}
            </span>
            <span class="bar-of">
              <i
                class={name.startsWith("approval:required") ? "waited" : ""}
                style={{ left: `${Math.min(left, 99)}%`, width: `${Math.min(width, 100 - left)}%` }}
              />
            </span>
            <span class="after">+{durationText(at - begin)}</span>
          </li>
        );
      })}
    </ol>
  );
}

interface KeptProps {
  readonly shown: CallRecord["result"];
  readonly label: string;
}

function Kept({ shown, label }: KeptProps) {
  const text =
    shown === null ? "" : "value" in shown ? (JSON.stringify(shown.value, null, 2) ?? "") : shown.text;
  return (
    <section class="box">
      <h3>
        <span>{label}</span>
        {shown !== null && <Copy text={text} what={label} />}
      </h3>
      {shown === null && <p class="in">Not kept.</p>}
      {shown !== null && "text" in shown && (
        <p class="note">The first part of {shown.characters} characters:</p>
      )}
      {shown !== null && <Value value={"value" in shown ? shown.value : shown.text} label={label} />}
    </section>
  );
}

/** Shows the audit records about a call, oldest first. They are loaded when a person opens them. */
function Audit({ runId }: { readonly runId: string }) {
  const records = useSignal<readonly AuditRecord[] | string>("Reading…");
  const read = (isOpen: boolean) => {
    if (!isOpen) return;
    const path = `${hostPath.value}/audit?run=${encodeURIComponent(runId)}`;
    void ask<{ records: readonly AuditRecord[] }>("GET", path).then(
      (found) => (records.value = found.records.toReversed()),
      (error: unknown) => (records.value = textOf(error)),
    );
  };
  const { value } = records;
  return (
    <details onToggle={(event) => read(event.currentTarget.open)}>
      <summary>Audit</summary>
      {typeof value === "string" && <p>{value}</p>}
      {value.length === 0 && <p>The audit has no record of this call.</p>}
      {typeof value !== "string" &&
        value.map(({ writer, sequence, hash, entry }) => (
          <>
            <p class="facts">
              {writer} {sequence} · sha256 {hash.slice(0, 16)}…
            </p>
            <Value value={entry} label={`Audit record ${sequence}`} />
          </>
        ))}
    </details>
  );
}
