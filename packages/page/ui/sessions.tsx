import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { Changes } from "./changes.tsx";
import { StatusChip } from "./calls/status.tsx";
import { Missing, useLoaded } from "./load.tsx";
import { Empty, Top } from "./parts/frame.tsx";
import { linkTo, route } from "./route.ts";
import { SessionView, tokensText } from "./session.tsx";
import { calls, served } from "./state.ts";
import { Prompt } from "./prompt.tsx";
import type { SessionSummary } from "./shapes.ts";
import { Age, countText } from "./value.tsx";

/** Milliseconds after a call's change in which sessions are read again: calls come in groups. */
const settleMs = 300;

/** The sessions of models, as a tree, and one of them with its conversation. */
export function SessionsView() {
  const again = useSignal(0);
  const { open } = route.value;
  if (served.value?.turns === false && open !== null)
    return (
      <>
        <Top title={`Session ${open}`} />
        <div class="body">
          <h2 class="quiet">What it changed</h2>
          <Changes key={open} sessionId={open} again={again} />
        </div>
      </>
    );
  if (served.value?.turns === false)
    return (
      <>
        <Top title="Sessions" />
        <Empty icon="sessions" title="This host has no model">
          <p>Name one in the plan, then reload it:</p>
          <pre>{"agent:\n  model: NAME"}</pre>
          <p>
            Calls of programs are under <a href="#/calls">Calls</a>.
          </p>
        </Empty>
      </>
    );
  return <Sessions />;
}

function Sessions() {
  const again = useSignal(0);
  const newest = useComputed(() => Math.max(0, ...calls.value.slice(0, 50).map(({ change }) => change)));
  useSignalEffect(() => {
    void newest.value;
    const timer = setTimeout(() => (again.value += 1), settleMs);
    return () => clearTimeout(timer);
  });
  const loaded = useLoaded<{ sessions: readonly SessionSummary[] }>("/sessions", again);
  const sessions = loaded.value !== null && "value" in loaded.value ? loaded.value.value.sessions : null;
  const { open } = route.value;
  const onChange = () => (again.value += 1);
  return (
    <>
      <Top title="Sessions" about={sessions === null ? "" : countText(sessions.length, "session")} />
      <div class={open === null ? "two" : "two opened"}>
        <div class="list">
          <Prompt sessionId={null} onChange={onChange} />
          {sessions === null ? (
            <Missing loaded={loaded.value} />
          ) : (
            <Tree sessions={sessions} parentId={null} />
          )}
        </div>
        <div class="pane">
          {open === null ? (
            <NoneOpen />
          ) : (
            <SessionView key={open} id={open} again={again} onChange={onChange} />
          )}
        </div>
      </div>
    </>
  );
}

function NoneOpen() {
  return (
    <Empty icon="sessions" title="Choose a session">
      <p>Or ask the model: a new session begins with your words. Its questions come to the inbox.</p>
    </Empty>
  );
}

interface TreeProps {
  readonly sessions: readonly SessionSummary[];
  readonly parentId: string | null;
}

/** Sessions of sub-agents are below the session that began them. */
function Tree({ sessions, parentId }: TreeProps) {
  const known = new Set(sessions.map(({ id }) => id));
  const here = sessions.filter((one) =>
    parentId === null ? !known.has(one.parentId ?? "") : one.parentId === parentId,
  );
  if (here.length === 0) return null;
  return (
    <ul class="tree">
      {here.map((session) => (
        <li key={session.id}>
          <Line session={session} />
          <Tree sessions={sessions} parentId={session.id} />
        </li>
      ))}
    </ul>
  );
}

function Line({ session }: { readonly session: SessionSummary }) {
  const { id, title, status, waits, turns, agent, updatedAt } = session;
  return (
    <a class="item" href={linkTo("sessions", id)} aria-current={route.value.open === id ? "true" : undefined}>
      <span class="t">
        <span>{title === "" ? id : title}</span>
        <Age at={updatedAt} />
      </span>
      <span class="s">
        {agent !== null && `agent ${agent} · `}
        {countText(turns, "turn")} · {tokensText(session)}
      </span>
      <span class="chips">
        {waits > 0 ? <span class="chip warn">waits ({waits})</span> : <StatusChip status={status} />}
      </span>
    </a>
  );
}
