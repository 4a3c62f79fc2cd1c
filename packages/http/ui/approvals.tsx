import { useSignal } from "@preact/signals";
import { ApiError, ask } from "./api.ts";
import type { Approval } from "./shapes.ts";
import {
  answered,
  approvals,
  hostPath,
  mayApprove,
  notify,
  readApprovals,
  remembered,
  textOf,
} from "./state.ts";
import { durationText, Time, Value } from "./value.tsx";

/** What waits for a person, what was answered lately, and what is approved from now on. */
export function ApprovalsView() {
  if (!mayApprove.value)
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

/** "Nothing waits" is said only when the list was read on the connection that is open now. */
function Waiting() {
  const waiting = approvals.value;
  if (waiting === null) return <p>The server does not answer now, so it is not known what waits.</p>;
  if (waiting.length === 0) return <p>Nothing waits for an answer.</p>;
  return (
    <>
      {waiting.map((approval) => (
        <Card key={approval.id} approval={approval} />
      ))}
    </>
  );
}

type Scope = "session" | "arguments";

function Card({ approval }: { readonly approval: Approval }) {
  const { id, tool, prompt, reasons, info, rememberable, createdAt, expiresAt } = approval;
  const reason = useSignal("");
  const busy = useSignal(false);
  const decide = async (decision: "approve" | "deny", scope?: Scope) => {
    busy.value = true;
    const why = decision === "deny" && reason.value.trim() !== "" ? { reason: reason.value.trim() } : {};
    try {
      const remember = scope === undefined ? {} : { remember: { scope } };
      await ask("POST", `${hostPath.value}/approvals/${id}/decision`, { decision, ...why, ...remember });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "APPROVAL_DECIDED")) notify(textOf(error));
    }
    busy.value = false;
    await readApprovals().catch((error: unknown) => notify(textOf(error)));
  };
  return (
    <article class="card" aria-labelledby={`title-${id}`}>
      <h2 id={`title-${id}`}>{tool}</h2>
      <p>{prompt}</p>
      <ul class="reasons">
        {reasons.map(({ reason: because, rule }) => (
          <li>
            {because}
            {rule !== undefined && <code> {rule}</code>}
          </li>
        ))}
      </ul>
      <p class="facts">
        {info.userId !== undefined && `for ${info.userId} · `}
        {info.sessionId !== undefined && `session ${info.sessionId} · `}
        asked <Time at={createdAt} />, to be answered within{" "}
        {durationText(Math.max(0, expiresAt - Date.now()))}
      </p>
      <Arguments given={approval.arguments} />
      <div class="actions">
        <button type="button" class="good" disabled={busy} onClick={() => void decide("approve")}>
          Approve once
        </button>
        {rememberable && info.sessionId !== undefined && (
          <button type="button" disabled={busy} onClick={() => void decide("approve", "session")}>
            For this session
          </button>
        )}
        {rememberable && (
          <button type="button" disabled={busy} onClick={() => void decide("approve", "arguments")}>
            Always, with these arguments
          </button>
        )}
        <label class="reason">
          Reason
          <input value={reason} onInput={(event) => (reason.value = event.currentTarget.value)} />
        </label>
        <button type="button" class="bad" disabled={busy} onClick={() => void decide("deny")}>
          Deny
        </button>
      </div>
    </article>
  );
}

/** The arguments; an edit also as lines that go and lines that come. */
function Arguments({ given }: { readonly given: Approval["arguments"] }) {
  const { old_string: before, new_string: after } = given;
  const isEdit = typeof before === "string" && typeof after === "string";
  return (
    <>
      {isEdit && (
        <pre class="value" tabIndex={0} role="group" aria-label="Difference">
          {before.split("\n").map((line) => (
            <del>{`- ${line}\n`}</del>
          ))}
          {after.split("\n").map((line) => (
            <ins>{`+ ${line}\n`}</ins>
          ))}
        </pre>
      )}
      <Value value={given} />
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
      <ul>
        {answered.value.slice(0, 50).map(({ id, tool, decision }) => (
          <li key={id}>
            {decision === null
              ? `${tool} ended without an answer`
              : `${decision.by}: ${decision.decision} ${tool}`}
            {decision?.reason !== undefined && `, ${decision.reason}`}
            {decision !== null && (
              <>
                {" "}
                <Time at={decision.at} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
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
    await readApprovals();
  };
  return (
    <section>
      <h2>Approved from now on</h2>
      <ul>
        {remembered.value.map(({ id, tool, scope, by }) => (
          <li key={id}>
            {tool}, scope {scope}, by {by}{" "}
            <button type="button" onClick={() => void revoke(id)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
