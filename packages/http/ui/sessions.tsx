import { useSignal } from "@preact/signals";
import { ask } from "./api.ts";
import { Missing, useLoaded } from "./load.tsx";
import { calls, hostPath, notify, textOf } from "./state.ts";
import { Time, Value } from "./value.tsx";

interface Summary {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly turns: number;
  readonly waits: number;
  readonly agent: string | null;
  readonly parentId: string | null;
  readonly updatedAt: number;
  readonly usage: Readonly<Record<string, unknown>>;
}

interface Details extends Summary {
  readonly items: readonly {
    readonly type: string;
    readonly role?: string;
    readonly [field: string]: unknown;
  }[];
  readonly children: readonly string[];
  readonly waiting: readonly { readonly tool: string; readonly waitsFor: string; readonly callId: string }[];
}

/** The sessions of models, as a tree, and one of them with its conversation. */
export function SessionsView() {
  const again = useSignal(0);
  const loaded = useLoaded<{ sessions: readonly Summary[] }>("/sessions", again);
  const open = useSignal<Details | null>(null);
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  const { sessions } = loaded.value.value;
  const show = async (id: string) => {
    try {
      open.value = await ask<Details>("GET", `${hostPath.value}/sessions/${encodeURIComponent(id)}`);
    } catch (error) {
      notify(textOf(error));
    }
  };
  const act = async (id: string, what: "resume" | "fork" | "cancel", body?: object) => {
    try {
      await ask("POST", `${hostPath.value}/sessions/${encodeURIComponent(id)}/${what}`, body);
      notify(`${what}: done.`);
    } catch (error) {
      notify(textOf(error));
    }
    again.value += 1;
  };
  return (
    <>
      {sessions.length === 0 && <p>No session yet.</p>}
      <Tree sessions={sessions} parentId={null} onOpen={(id) => void show(id)} />
      {open.value !== null && (
        <Conversation session={open.value} onAct={(what, body) => void act(open.value!.id, what, body)} />
      )}
    </>
  );
}

interface TreeProps {
  readonly sessions: readonly Summary[];
  readonly parentId: string | null;
  readonly onOpen: (id: string) => void;
}

function Tree({ sessions, parentId, onOpen }: TreeProps) {
  const known = new Set(sessions.map(({ id }) => id));
  const here = sessions.filter((one) =>
    parentId === null ? !known.has(one.parentId ?? "") : one.parentId === parentId,
  );
  if (here.length === 0) return null;
  return (
    <ul class="tree">
      {here.map(({ id, title, status, waits, turns, agent, updatedAt, usage }) => (
        <li key={id}>
          <button type="button" class="link" onClick={() => onOpen(id)}>
            {title === "" ? id : title}
          </button>{" "}
          <span class={`status ${status}`}>{waits > 0 ? `waits (${waits})` : status}</span> {turns} turns
          {agent !== null && `, agent ${agent}`}, {tokensOf(usage)} tokens, <Time at={updatedAt} />
          <Tree sessions={sessions} parentId={id} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  );
}

function tokensOf(usage: Summary["usage"]): number {
  return Number(usage["inputTokens"] ?? 0) + Number(usage["outputTokens"] ?? 0);
}

interface ConversationProps {
  readonly session: Details;
  readonly onAct: (what: "resume" | "fork" | "cancel", body?: object) => void;
}

function Conversation({ session, onAct }: ConversationProps) {
  const { id, items, waiting, usage } = session;
  const own = calls.value.filter(({ sessionId }) => sessionId === id).length;
  return (
    <section class="card" aria-label={`Session ${id}`}>
      <h2>{session.title === "" ? id : session.title}</h2>
      <p class="facts">
        session {id} · {tokensOf(usage)} tokens · {own} calls in this server
      </p>
      <div class="actions">
        <button type="button" onClick={() => onAct("resume", {})}>
          Resume
        </button>
        <button type="button" onClick={() => onAct("resume", { cancel: true })}>
          End the open turn
        </button>
        <button type="button" onClick={() => onAct("cancel")}>
          Stop its calls
        </button>
        <button type="button" onClick={() => onAct("fork")}>
          Fork
        </button>
      </div>
      {waiting.map(({ tool, waitsFor, callId }) => (
        <p>
          {tool} waits for: {waitsFor} ({callId})
        </p>
      ))}
      <ol class="items">
        {items.map((item) => (
          <li>
            <strong>{item.role ?? item.type.replaceAll("_", " ")}</strong>
            <Value
              value={
                item["content"] ?? item["output"] ?? { name: item["name"], arguments: item["arguments"] }
              }
            />
          </li>
        ))}
      </ol>
    </section>
  );
}
