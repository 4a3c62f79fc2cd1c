import { useComputed, useSignal } from "@preact/signals";
import { drawn } from "../drawn.ts";
import { Icon } from "../icons.tsx";
import { Missing, useLoaded } from "../load.tsx";
import { Copy, CopyLink } from "../parts/copy.tsx";
import { Difference } from "../parts/difference.tsx";
import { ProgramOf } from "../parts/program.tsx";
import { linkTo } from "../route.ts";
import type { Approval, QuestionPreview } from "../shapes.ts";
import { answered, hostFilter, me, sentence } from "../state.ts";
import { StoryView } from "../story.tsx";
import { Age, countText, durationText, now, Value } from "../value.tsx";
import { Answers } from "./answers.tsx";
import { Arguments } from "./arguments.tsx";
import { Before } from "./before.tsx";
import { EffectOf, ListedCalls } from "./listed.tsx";
import { coveredCalls, listOf } from "./listed-calls.ts";
import { Alike } from "./marked.tsx";
import { Risk } from "./risk.tsx";
import { isWaiting, toolOf } from "./shown.ts";

/** Shows a question: what is asked, everything that an answer covers, and below that the answers. */
export function Question({ approval }: { readonly approval: Approval }) {
  const { info, place } = approval;
  return (
    <>
      <article class="question" aria-labelledby="question">
        {!drawn.isEmbedded && (
          <a class="back" href={linkTo("inbox")}>
            <Icon name="back" />
            All questions
          </a>
        )}
        <h2 id="question" tabIndex={-1}>
          {sentence(approval)}
        </h2>
        <Facts approval={approval} />
        <Why approval={approval} />
        <Alike approval={approval} />
        {listOf(approval) === null ? <Arguments approval={approval} /> : <ListedCalls approval={approval} />}
        <Edited approval={approval} />
        {isWaiting(approval.id) && toolOf(approval)?.previews === true && <WouldChange approval={approval} />}
        {place !== undefined && info.parentRunId !== undefined && (
          <ProgramOf runId={info.parentRunId} asked={info.runId} />
        )}
        <Before approval={approval} />
        {isWaiting(approval.id) && <Earlier approval={approval} />}
        <SoFar approval={approval} />
        {isWaiting(approval.id) && <IfApproved approval={approval} />}
        <Rest approval={approval} />
      </article>
      <Answers approval={approval} />
    </>
  );
}

function Facts({ approval }: { readonly approval: Approval }) {
  const { tool, info, createdAt, expiresAt, default: fallback } = approval;
  const left = durationText(Math.max(0, expiresAt - now.value));
  return (
    <p class="meta">
      <Risk approval={approval} />
      <span>{tool}</span>
      {info.userId !== undefined && <span>· for {info.userId}</span>}
      {info.sessionId !== undefined && (
        <span>
          · session <a href={linkTo("sessions", info.sessionId)}>{info.sessionId}</a>
        </span>
      )}
      <span>
        · asked <Age at={createdAt} /> ago
        {isWaiting(approval.id) && `, ${fallback === "approve" ? "approved" : "denied"} in ${left}`}
      </span>
      <CopyLink to={linkTo("inbox", approval.id, hostFilter.value)} what="to this question" />
    </p>
  );
}

/** Shows the first reason of the question. A click shows the others. */
function Why({ approval }: { readonly approval: Approval }) {
  const { reasons, prompt, place } = approval;
  const isList = listOf(approval) !== null;
  const [first, ...others] = isList ? reasons.filter(({ source }) => source !== "list") : reasons;
  const isOwnPrompt = !reasons.some(({ reason }) => prompt.includes(reason));
  return (
    <div class="why">
      {isOwnPrompt && <p>{prompt}</p>}
      {first !== undefined && <Reason reason={first} />}
      {place !== undefined && (
        <p class="facts">
          line {place.line} of {place.tool}, after {countText(place.after, "call")}: <code>{place.code}</code>
        </p>
      )}
      {others.length > 0 && (
        <details>
          <summary>{countText(others.length, "more reason")}</summary>
          {others.map((reason) => (
            <Reason reason={reason} />
          ))}
        </details>
      )}
    </div>
  );
}

function Reason({ reason: { reason, rule } }: { readonly reason: Approval["reasons"][number] }) {
  return (
    <p>
      Asks because {reason} {rule !== undefined && <code>{rule}</code>}
    </p>
  );
}

/** Shows what the approver changed in the call. */
function Edited({ approval }: { readonly approval: Approval }) {
  const { arguments: before, decision } = approval;
  if (decision?.arguments === undefined) return null;
  const [whole, cut] = [listOf(approval), listOf({ ...approval, arguments: decision.arguments })];
  if (whole !== null && cut !== null)
    return (
      <p class="why">
        Cut by {decision.by}: the first {cut.first} of {countText(whole.calls.length, "call")}.
      </p>
    );
  return (
    <section class="box" aria-label="Changed by the approver">
      <h3>Changed by {decision.by}</h3>
      <Difference
        before={JSON.stringify(before, null, 2)}
        after={JSON.stringify(decision.arguments, null, 2)}
      />
    </section>
  );
}

/** Shows what the call would change now, as its tool previews it. */
function WouldChange({ approval: { id } }: { readonly approval: Approval }) {
  const loaded = useLoaded<QuestionPreview>(`/approvals/${encodeURIComponent(id)}/preview`);
  const found = loaded.value !== null && "value" in loaded.value ? loaded.value.value : null;
  return (
    <section class="box" aria-label="What it would change">
      <h3>What it would change now</h3>
      <div class="in">
        {found === null && <Missing loaded={loaded.value} />}
        {found !== null && found.problem !== null && <p>{found.problem}</p>}
        {found?.effects.map((effect) => (
          <EffectOf effect={effect} isOpen />
        ))}
      </div>
    </section>
  );
}

function IfApproved({ approval }: { readonly approval: Approval }) {
  const { undoable, irreversible } = toolOf(approval) ?? {};
  const { sessionId } = approval.info;
  const list = listOf(approval);
  return (
    <section class="box" aria-label="If you approve">
      <h3>If you approve</h3>
      <p class="in">
        {list === null ? (
          <span>
            Calls <b>{approval.tool}</b> once, with exactly these arguments.{" "}
            {irreversible === true && "What it does cannot be undone."}
            {undoable === true && "It can be undone later"}
            {undoable === true && sessionId !== undefined && !drawn.isEmbedded && (
              <>
                , among the changes of <a href={linkTo("sessions", sessionId)}>its session</a>
              </>
            )}
            {undoable === true && "."}
          </span>
        ) : (
          <span>
            Makes {countText(coveredCalls(approval, list), "call")} of the list, each once, in this order, and
            no other. A call that fails ends it; any other change asks before it runs.
          </span>
        )}
      </p>
    </section>
  );
}

/** Shows how this person answered earlier questions about the same tool. It recommends nothing. */
function Earlier({ approval: { tool } }: { readonly approval: Approval }) {
  const own = answered.value.filter((one) => one.tool === tool && one.decision?.by === me.value?.name);
  const [last] = own;
  if (last === undefined) return null;
  const approved = own.filter(({ decision }) => decision?.decision === "approve").length;
  return (
    <p class="facts">
      You answered {countText(own.length, "question")} of {tool} before: {approved} approved,{" "}
      {own.length - approved} denied. The last one: <a href={linkTo("inbox", last.id)}>{sentence(last)}</a>,{" "}
      {last.decision?.decision === "approve" ? "approved" : "denied"}.
    </p>
  );
}

/** Shows what happened in the session so far. It is loaded when a person opens it. */
function SoFar({ approval: { id, info } }: { readonly approval: Approval }) {
  const isOpen = useSignal(false);
  const again = useComputed(() => isWaiting(id));
  if (info.sessionId === undefined || drawn.isEmbedded) return null;
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>The session so far</summary>
      {isOpen.value && <StoryView id={info.sessionId} again={again} />}
    </details>
  );
}

function Rest({ approval }: { readonly approval: Approval }) {
  const { arguments: given, digest, info, id } = approval;
  return (
    <details>
      <summary>Arguments as JSON, digest and ids</summary>
      <section class="box" aria-label="Arguments as JSON">
        <div class="head">
          <span>Arguments</span>
          <Copy text={JSON.stringify(given, null, 2)} what="arguments" />
        </div>
        <Value value={given} label="Arguments as JSON" />
      </section>
      <dl class="facts">
        <dt>digest</dt>
        <dd>
          <code>{digest}</code>
        </dd>
        <dt>question</dt>
        <dd>
          <code>{id}</code>
        </dd>
        <dt>call</dt>
        <dd>
          <code>{info.callId}</code>
        </dd>
      </dl>
    </details>
  );
}
