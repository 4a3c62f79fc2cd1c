import { useSignal } from "@preact/signals";
import { ApiError, ask } from "./api.ts";
import { Difference, editsOf } from "./difference.tsx";
import { linkTo } from "./route.ts";
import type { Approval } from "./shapes.ts";
import { hostPath, notify, readApprovals, textOf, tools } from "./state.ts";
import { durationText, Time, Value } from "./value.tsx";

type Scope = "session" | "arguments";

/** A question that waits: everything that the answer covers, and the answers. */
export function Card({ approval }: { readonly approval: Approval }) {
  const { id, tool } = approval;
  return (
    <article class="card" aria-labelledby={`title-${id}`}>
      <h2>
        <span id={`title-${id}`}>{tool}</span> <small>wants to run</small>
      </h2>
      <Facts approval={approval} />
      {editsOf(approval.arguments).map(({ before, after }) => (
        <Difference before={before} after={after} />
      ))}
      <Value value={approval.arguments} label="Arguments" />
      <Answers approval={approval} />
    </article>
  );
}

function Facts({ approval }: { readonly approval: Approval }) {
  const { tool, prompt, reasons, info, digest, createdAt, expiresAt, default: fallback } = approval;
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

function Answers({ approval: { id, rememberable, info } }: { readonly approval: Approval }) {
  const reason = useSignal("");
  const busy = useSignal(false);
  const decide = async (decision: "approve" | "deny", scope?: Scope) => {
    busy.value = true;
    const why = decision === "deny" && reason.value.trim() !== "" ? { reason: reason.value.trim() } : {};
    try {
      const remember = scope === undefined ? {} : { remember: { scope } };
      await ask("POST", `${hostPath.value}/approvals/${id}/decision`, { decision, ...why, ...remember });
    } catch (error) {
      // The list that is read next names the person who was first.
      if (!(error instanceof ApiError && error.code === "APPROVAL_DECIDED")) notify(textOf(error));
    }
    busy.value = false;
    await readApprovals().catch((error: unknown) => notify(textOf(error)));
  };
  return (
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
      <form
        class="reason"
        onSubmit={(event) => {
          event.preventDefault();
          void decide("deny");
        }}
      >
        <label>
          Reason{" "}
          <input
            value={reason}
            placeholder="the model reads it"
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="bad" disabled={busy}>
          Deny
        </button>
      </form>
    </div>
  );
}
