import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { Missing, useLoaded } from "./load.tsx";
import { linkTo, route } from "./route.ts";
import { SessionView, tokensText } from "./session.tsx";
import { calls, served } from "./state.ts";
import { Prompt } from "./prompt.tsx";
import type { SessionSummary } from "./shapes.ts";
import { countText, Time } from "./value.tsx";

/** Milliseconds after a call's change in which sessions are read again: calls come in groups. */
const settleMs = 300;

/** The sessions of models, as a tree, and one of them with its conversation. */
export function SessionsView() {
  if (served.value?.turns === false)
    return <p>This host has no model: its plan has no session.orchestrator, and no --model was given.</p>;
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
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  const { sessions } = loaded.value.value;
  const { open } = route.value;
  return (
    <div class={open === null ? "" : "split"}>
      <div>
        <Prompt sessionId={null} onChange={() => (again.value += 1)} />
        {sessions.length === 0 && <p>No session yet.</p>}
        <Tree sessions={sessions} parentId={null} />
      </div>
      {open !== null && (
        <SessionView key={open} id={open} again={again} onChange={() => (again.value += 1)} />
      )}
    </div>
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
    <ul class={parentId === null ? "list tree" : "tree"}>
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
    <>
      <a href={linkTo("sessions", id)} aria-current={route.value.open === id ? "true" : undefined}>
        {title === "" ? id : title}
      </a>{" "}
      <span class={`status ${status}`}>{waits > 0 ? `waits (${waits})` : status}</span>{" "}
      <small>
        {agent !== null && `agent ${agent} · `}
        {countText(turns, "turn")} · {tokensText(session)} · <Time at={updatedAt} />
      </small>
    </>
  );
}
