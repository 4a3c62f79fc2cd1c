import { useComputed, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { StatusChip } from "./calls/status.tsx";
import { Missing, useLoaded } from "./load.tsx";
import { Empty, Top } from "./parts/frame.tsx";
import { linkTo, route } from "./route.ts";
import { SessionView } from "./session.tsx";
import { calls, served } from "./state.ts";
import { Prompt } from "./prompt.tsx";
import { Stories } from "./story.tsx";
import type { SessionSummary } from "./shapes.ts";
import { Age, countText, tokensText } from "./value.tsx";

/** Milliseconds after a change of calls before the sessions are loaded, because calls often come in groups. */
const settleMs = 300;

/** Shows the sessions of models as a tree, the sessions of other clients, and one session. */
export function SessionsView() {
  const again = useSignal(0);
  const newest = useComputed(() => Math.max(0, ...calls.value.slice(0, 50).map(({ change }) => change)));
  useSignalEffect(() => {
    void newest.value;
    const timer = setTimeout(() => (again.value += 1), settleMs);
    return () => clearTimeout(timer);
  });
  const { open } = route.value;
  const onChange = () => (again.value += 1);
  const hasModel = served.value?.turns !== false;
  return (
    <>
      <Top title="Sessions" />
      <div class={open === null ? "two" : "two opened"}>
        <div class="list">
          {hasModel ? (
            <OfModels again={again} onChange={onChange} />
          ) : (
            <Stories again={again} without={none} />
          )}
        </div>
        <div class="pane">
          {open === null ? (
            <NoneOpen hasModel={hasModel} />
          ) : (
            <SessionView key={open} id={open} again={again} onChange={onChange} />
          )}
        </div>
      </div>
    </>
  );
}

const none: ReadonlySet<string> = new Set();

interface OfModelsProps {
  readonly again: Signal<number>;
  readonly onChange: () => void;
}

function OfModels({ again, onChange }: OfModelsProps) {
  const loaded = useLoaded<{ sessions: readonly SessionSummary[] }>("/sessions", again);
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  const { sessions } = loaded.value.value;
  return (
    <>
      <Prompt sessionId={null} onChange={onChange} />
      <Tree sessions={sessions} parentId={null} />
      <Stories again={again} without={new Set(sessions.map(({ id }) => id))} />
    </>
  );
}

function NoneOpen({ hasModel }: { readonly hasModel: boolean }) {
  return (
    <Empty icon="sessions" title="Choose a session">
      {hasModel ? (
        <p>Or ask the model: a new session begins with your words. Its questions come to the inbox.</p>
      ) : (
        <>
          <p>
            Clients name the sessions of their calls. For turns of a model, name one in the plan and reload
            it:
          </p>
          <pre>{"agent:\n  model: NAME"}</pre>
        </>
      )}
    </Empty>
  );
}

interface TreeProps {
  readonly sessions: readonly SessionSummary[];
  readonly parentId: string | null;
}

/** Shows sessions as a tree: below each session, those of the sub-agents that it started. */
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
