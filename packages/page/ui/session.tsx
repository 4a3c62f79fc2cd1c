import { useSignal, type Signal } from "@preact/signals";
import { ask } from "./api.ts";
import { Changes } from "./changes.tsx";
import { StatusChip } from "./calls/status.tsx";
import { Icon } from "./icons.tsx";
import { Missing, useLoaded } from "./load.tsx";
import { Prompt } from "./prompt.tsx";
import { go, linkTo } from "./route.ts";
import type { SessionDetails } from "./shapes.ts";
import { approvals, hostPath, notify, served, textOf, me } from "./state.ts";
import { StoryView } from "./story.tsx";
import { Turn, turnsOf } from "./turn.tsx";
import { countText, tokensText } from "./value.tsx";
import { Waits } from "./layer/waits.tsx";
import { TextForm } from "./parts/text-form.tsx";

interface SessionProps {
  readonly id: string;
  readonly again: Signal<number>;
  readonly onChange: () => void;
}

/**
 * Shows a session. For a model: its turns with their calls, and actions such as cancel. For another client: what its calls did.
 */
export function SessionView({ id, again, onChange }: SessionProps) {
  return (
    <section class="question" aria-label="Session">
      <a class="back" href={linkTo("sessions")}>
        <Icon name="back" />
        All sessions
      </a>
      {served.value?.turns === false ? (
        <OfClient id={id} again={again} />
      ) : (
        <OfModel id={id} again={again} onChange={onChange} />
      )}
      <Waits sessionId={id} again={again} />
      <Changes sessionId={id} again={again} />
    </section>
  );
}

function OfModel({ id, again, onChange }: SessionProps) {
  const loaded = useLoaded<SessionDetails>(`/sessions/${encodeURIComponent(id)}`, again);
  const isOpen = useSignal(false);
  if (loaded.value === null) return <Missing loaded={loaded.value} />;
  // The host's model has no session with this id, but another client may have one.
  if ("problem" in loaded.value) return <OfClient id={id} again={again} />;
  return (
    <>
      <Conversation session={loaded.value.value} onChange={onChange} />
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>What its calls did, and who allowed them</summary>
        {isOpen.value && <StoryView id={id} again={again} />}
      </details>
    </>
  );
}

function OfClient({ id, again }: Omit<SessionProps, "onChange">) {
  return (
    <>
      <h2>{id}</h2>
      <StoryView id={id} again={again} />
    </>
  );
}

interface ConversationProps {
  readonly session: SessionDetails;
  readonly onChange: () => void;
}

function Conversation({ session, onChange }: ConversationProps) {
  const { id, items, waiting, usage, status, children, agent, parentId, forkedFrom } = session;
  const turns = turnsOf(items);
  return (
    <>
      <h2>
        {session.title === "" ? id : session.title} <StatusChip status={status} />
      </h2>
      <p class="facts">
        session {id}
        {agent !== null && ` · agent ${agent}`} · {countText(usage.requests, "request")} ·{" "}
        {tokensText(session)}
        {forkedFrom !== null && ` · a copy of ${forkedFrom}`}
      </p>
      {parentId !== null && (
        <p>
          begun by <a href={linkTo("sessions", parentId)}>{parentId}</a>
        </p>
      )}
      <Actions session={session} onChange={onChange} />
      {waiting.map(({ tool, waitsFor, callId }) => (
        <p class="waits">
          {tool} waits for{" "}
          {waitsFor === "approval" ? (
            <a href={linkTo("inbox", questionOf(callId, id))}>approval</a>
          ) : (
            waitsFor
          )}{" "}
          <small>({callId})</small>
        </p>
      ))}
      {turns.map((turn, index) => (
        <Turn key={index} turn={turn} number={index + 1} sessionId={id} isLast={index === turns.length - 1} />
      ))}
      {children.length > 0 && (
        <p>
          Sub-agents:{" "}
          {children.map((child) => (
            <a href={linkTo("sessions", child)}>{child} </a>
          ))}
        </p>
      )}
      {status === "open" ? (
        <Message sessionId={id} onChange={onChange} />
      ) : (
        <Prompt sessionId={id} onChange={onChange} />
      )}
    </>
  );
}

/** Returns the id of the question about a waiting call; undefined if this token may not see the question. */
function questionOf(callId: string, sessionId: string): string | undefined {
  return approvals.value?.find(({ info }) => info.callId === callId && info.sessionId === sessionId)?.id;
}

type Action = "resume" | "cancel" | "fork";

function Actions({ session: { id, status }, onChange }: ConversationProps) {
  const busy = useSignal(false);
  const act = async (what: Action, body?: object) => {
    busy.value = true;
    try {
      const path = `${hostPath.value}/sessions/${encodeURIComponent(id)}/${what}`;
      const answer = await ask<{ id?: string; status?: string }>("POST", path, body);
      notify(sentenceOf(what, answer));
      if (what === "fork" && answer.id !== undefined) go("sessions", answer.id);
    } catch (error) {
      notify(textOf(error));
    }
    busy.value = false;
    onChange();
  };
  return (
    <div class="actions">
      {status === "open" && (
        <button type="button" disabled={busy} onClick={() => void act("resume", {})}>
          Resume
        </button>
      )}
      {status === "open" && (
        <button type="button" class="no" onClick={() => void act("cancel")}>
          Cancel the turn
        </button>
      )}
      <button type="button" disabled={busy} onClick={() => void act("fork")}>
        Fork
      </button>
    </div>
  );
}

function sentenceOf(
  what: Action,
  { id, status }: { readonly id?: string; readonly status?: string },
): string {
  if (what === "cancel") return "The turn is cancelled.";
  return what === "fork" ? `The copy is session ${id ?? ""}.` : `The turn is ${status ?? "over"}.`;
}

interface MessageProps {
  readonly sessionId: string;
  readonly onChange: () => void;
}

/** Offers to add a message to the open turn of a session. The model reads the message with its next request. */
function Message({ sessionId, onChange }: MessageProps) {
  const text = useSignal("");
  const busy = useSignal(false);
  if (me.value?.roles.includes("call") !== true) return null;
  const send = async () => {
    busy.value = true;
    try {
      await addMessage(sessionId, text.value);
      text.value = "";
      notify("The model reads it with its next request.");
    } catch (error) {
      notify(textOf(error));
    }
    busy.value = false;
    onChange();
  };
  return <TextForm label="Add to the turn that is open" button="Add" text={text} busy={busy} send={send} />;
}

/**
 * Adds a message to the newest turn of a session, which is the open one. Rejects with `SESSION_CONFLICT` if this turn has ended,
 * and with another error if this server ran no turn of the session.
 */
async function addMessage(sessionId: string, text: string): Promise<void> {
  const path = `${hostPath.value}/turns`;
  const query = `session=${encodeURIComponent(sessionId)}&limit=1`;
  const { turns } = await ask<{ turns: readonly { readonly id: string }[] }>("GET", `${path}?${query}`);
  const [turn] = turns;
  if (turn === undefined) throw new Error("Another program runs this turn. Resume it here first.");
  await ask("POST", `${path}/${turn.id}/messages`, { text });
}
