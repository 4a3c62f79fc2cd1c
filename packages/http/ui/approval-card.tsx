import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ApiError, ask } from "./api.ts";
import { Difference, editsOf } from "./difference.tsx";
import { linkTo } from "./route.ts";
import type { Approval } from "./shapes.ts";
import { approvals, cards, hostPath, notify, readApprovals, textOf, tools } from "./state.ts";
import { isSteady } from "./steady.ts";
import { durationText, Time, Value } from "./value.tsx";

type Scope = "session" | "arguments";

interface CardProps {
  readonly approval: Approval;
  readonly isWaiting: boolean;
}

/** A question: everything that the answer covers, and the answers; once it has ended, how. */
export function Card({ approval, isWaiting }: CardProps) {
  const { id, tool } = approval;
  const wasWaiting = useRef(isWaiting);
  useLayoutEffect(() => {
    if (wasWaiting.current && !isWaiting) focusNext(id);
    wasWaiting.current = isWaiting;
  }, [isWaiting]);
  return (
    <article class="card" aria-labelledby={`title-${id}`}>
      <h2 id={`card-${id}`} tabIndex={-1}>
        <span id={`title-${id}`}>{tool}</span> <small>wants to run</small>
      </h2>
      <Facts approval={approval} />
      {editsOf(approval.arguments).map(({ before, after }) => (
        <Difference before={before} after={after} />
      ))}
      <Value value={approval.arguments} label="Arguments" />
      <div class="answers">
        <Answers approval={approval} isWaiting={isWaiting} />
        {!isWaiting && <p role="status">{endOf(approval)}</p>}
      </div>
    </article>
  );
}

function Facts({ approval }: { readonly approval: Approval }) {
  const { tool, prompt, place, reasons, info, digest, createdAt, expiresAt, default: fallback } = approval;
  const facts = tools.value.find(({ name }) => name === tool);
  const isOwnPrompt = !reasons.some(({ reason }) => prompt.includes(reason));
  return (
    <dl class="facts">
      {isOwnPrompt && <dt>question</dt>}
      {isOwnPrompt && <dd>{prompt}</dd>}
      <dt>because</dt>
      {reasons.map(({ reason, rule, source }) => (
        <dd class="because">
          {reason} <code>{rule ?? source}</code>
        </dd>
      ))}
      {place !== undefined && <dt>program</dt>}
      {place !== undefined && (
        <dd>
          line {place.line} of {place.tool}, after {place.after} {place.after === 1 ? "call" : "calls"}:{" "}
          <code>{place.code}</code>
        </dd>
      )}
      {facts !== undefined && <dt>tool</dt>}
      {facts !== undefined && (
        <dd>
          {facts.owner} · {facts.category ?? "unclassified"} · consequence{" "}
          {facts.consequenceLevel ?? "unknown"}
        </dd>
      )}
      {info.userId !== undefined && <dt>user</dt>}
      {info.userId !== undefined && <dd>{info.userId}</dd>}
      {info.sessionId !== undefined && <dt>session</dt>}
      {info.sessionId !== undefined && (
        <dd>
          <a href={linkTo("sessions", info.sessionId)}>{info.sessionId}</a>
        </dd>
      )}
      <dt>asked</dt>
      <dd>
        <Time at={createdAt} />; without an answer within {durationText(Math.max(0, expiresAt - Date.now()))}{" "}
        it is {fallback === "approve" ? "approved" : "denied"}
      </dd>
      <dt>digest</dt>
      <dd>
        <code>{digest.slice(0, 12)}…</code>
      </dd>
    </dl>
  );
}

/** Questions that were answered on this page, and whether with a key. */
const answeredHere = new Map<string, { readonly isKeyboard: boolean }>();

function endOf({ id, decision }: Approval): string {
  if (decision === null) return "ended without an answer";
  const by = answeredHere.has(id) ? "you" : decision.by;
  return `${decision.decision === "approve" ? "approved" : "denied"} by ${by}`;
}

/** Moves the focus to the next question that waits, when it was in the card. A person at the keyboard also sees it. */
function focusNext(id: string): void {
  const card = document.getElementById(`card-${id}`)?.closest("article");
  const focused = document.activeElement;
  if (focused !== document.body && card?.contains(focused) !== true) return;
  const ids = cards.value.map((one) => one.id);
  const at = ids.indexOf(id);
  const waiting = new Set(approvals.value?.map((one) => one.id));
  const next = [...ids.slice(at + 1), ...ids.slice(0, Math.max(0, at))].find((one) => waiting.has(one));
  const target = document.getElementById(next === undefined ? "content" : `card-${next}`);
  target?.focus({ preventScroll: answeredHere.get(id)?.isKeyboard !== true });
}

/** They keep their room when the question has ended, so that nothing moves. */
function Answers({ approval: { id, rememberable, info }, isWaiting }: CardProps) {
  const reason = useSignal("");
  const busy = useSignal(false);
  const decide = async (event: Event, decision: "approve" | "deny", scope?: Scope) => {
    const isKeyboard = (event as Partial<UIEvent>).detail === 0;
    const place = (event.currentTarget as Element).closest("[data-decides]");
    if (!isKeyboard && place !== null && !isSteady(place))
      return notify("The button has only just come there. Press it again.");
    busy.value = true;
    const why = decision === "deny" && reason.value.trim() !== "" ? { reason: reason.value.trim() } : {};
    try {
      const remember = scope === undefined ? {} : { remember: { scope } };
      await ask("POST", `${hostPath.value}/approvals/${id}/decision`, { decision, ...why, ...remember });
      answeredHere.set(id, { isKeyboard });
    } catch (error) {
      // The list that is read next names the person who was first.
      if (!(error instanceof ApiError && error.code === "APPROVAL_DECIDED")) notify(textOf(error));
    }
    await readApprovals().catch((error: unknown) => notify(textOf(error)));
    busy.value = false;
  };
  return (
    <div class={isWaiting ? "actions" : "actions ended"} inert={!isWaiting} data-decides>
      <button type="button" class="good" disabled={busy} onClick={(event) => void decide(event, "approve")}>
        Approve once
      </button>
      {rememberable && info.sessionId !== undefined && (
        <button type="button" disabled={busy} onClick={(event) => void decide(event, "approve", "session")}>
          For this session
        </button>
      )}
      {rememberable && (
        <button type="button" disabled={busy} onClick={(event) => void decide(event, "approve", "arguments")}>
          Always, with these arguments
        </button>
      )}
      <form class="reason" onSubmit={(event) => event.preventDefault()}>
        <label>
          Reason{" "}
          <input
            value={reason}
            placeholder="the model reads it"
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="bad" disabled={busy} onClick={(event) => void decide(event, "deny")}>
          Deny
        </button>
      </form>
    </div>
  );
}
