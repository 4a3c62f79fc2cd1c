import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { ask } from "./api.ts";
import { Card } from "./approval-card.tsx";
import type { Approval } from "./shapes.ts";
import {
  answered,
  approvals,
  cards,
  dropEnded,
  hostPath,
  mayApprove,
  me,
  notify,
  readApprovals,
  remembered,
  textOf,
} from "./state.ts";
import { watchPlaces } from "./steady.ts";
import { Time } from "./value.tsx";

/** What waits for a person, what was answered lately, and what is approved from now on. */
export function ApprovalsView() {
  if (me.value !== null && !mayApprove.value)
    return <p>This token may not see approvals. Open the page with a token that has the role approve.</p>;
  return (
    <>
      <Notifications />
      <Waiting />
      <Answered />
      <RememberedList />
    </>
  );
}

/**
 * "Nothing waits" is said only when the list was read on the connection that is open now. A question that ends stays in its
 * place until the person scrolls or acts elsewhere: nothing moves under the pointer.
 */
function Waiting() {
  useLayoutEffect(() => {
    dropEnded();
    const act = ({ target }: Event) => {
      if (!(target instanceof Element && target.closest("article") !== null)) dropEnded();
    };
    const stopWatching = watchPlaces();
    addEventListener("scroll", dropEnded);
    addEventListener("click", act);
    return () => {
      stopWatching();
      removeEventListener("scroll", dropEnded);
      removeEventListener("click", act);
    };
  }, []);
  const waiting = approvals.value;
  if (waiting === null) return <p>The server does not answer now, so it is not known what waits.</p>;
  const ids = new Set(waiting.map(({ id }) => id));
  return (
    <>
      {cards.value.map((approval) => (
        <Card key={approval.id} approval={approval} isWaiting={ids.has(approval.id)} />
      ))}
      {waiting.length === 0 && <p>Nothing waits for an answer.</p>}
    </>
  );
}

function Notifications() {
  const isNew = useSignal("Notification" in window && Notification.permission === "default");
  if (!isNew.value) return null;
  const allow = async () => {
    await Notification.requestPermission();
    isNew.value = false;
  };
  return (
    <p>
      <button type="button" onClick={() => void allow()}>
        Notify me when something waits
      </button>
    </p>
  );
}

function Answered() {
  if (answered.value.length === 0) return null;
  return (
    <section>
      <h2>Answered</h2>
      <ul class="list">
        {answered.value.slice(0, 50).map((approval) => (
          <AnsweredLine key={approval.id} approval={approval} />
        ))}
      </ul>
    </section>
  );
}

function AnsweredLine({ approval: { tool, decision, end } }: { readonly approval: Approval }) {
  if (decision === null) return <li>{tool} ended without an answer</li>;
  return (
    <li>
      {decision.by}: {decision.decision} {tool}
      {decision.reason !== undefined && `, ${decision.reason}`} <Time at={decision.at} />
      {end !== undefined && <span class={`status ${end.status}`}> {end.status}</span>}
    </li>
  );
}

function RememberedList() {
  if (remembered.value.length === 0) return null;
  const revoke = async (id: string) => {
    try {
      await ask("DELETE", `${hostPath.value}/approvals/${id}`);
    } catch (error) {
      notify(textOf(error));
    }
    await readApprovals().catch((error: unknown) => notify(textOf(error)));
  };
  return (
    <section>
      <h2>Approved from now on</h2>
      <ul class="list">
        {remembered.value.map(({ id, tool, scope, sessionId, by, at }) => (
          <li key={id}>
            {tool}, {scope === "session" ? `in session ${sessionId ?? ""}` : `scope ${scope}`}, by {by}{" "}
            <Time at={at} />{" "}
            <button type="button" aria-label={`Revoke ${tool}`} onClick={() => void revoke(id)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
