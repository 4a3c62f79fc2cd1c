import type { Signal } from "@preact/signals";
import { StatusChip } from "./calls/status.tsx";
import { countHidden } from "./hidden.ts";
import { Missing, useLoaded } from "./load.tsx";
import { Markdown } from "./parts/markdown.tsx";
import { queryOf } from "./calls/history.ts";
import { filterBy, linkTo, route } from "./route.ts";
import { canRunNow } from "./inbox/shown.ts";
import type { Approval, RecentSession, Story, StoryCall, StoryStep } from "./shapes.ts";
import { answered, approvals, served } from "./state.ts";
import { Age, countText, durationText, HiddenNote, Time, tokensText } from "./value.tsx";

/** Shows what happened in one session of any client: texts and calls in order, who answered, and how each call ended. */
export function StoryView(props: { readonly id: string; readonly again: Signal<unknown> }) {
  return served.value?.stories === true ? (
    <Read {...props} />
  ) : (
    <p class="nothing">
      This host keeps no audit, so what happened in a session is not known. Its calls are under Calls.
    </p>
  );
}

function Read({ id, again }: { readonly id: string; readonly again: Signal<unknown> }) {
  const loaded = useLoaded<Story>(`/sessions/${encodeURIComponent(id)}/story`, again);
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  const { steps, stands, user, from, workedMs, spent, isPartial, omitsReads } = loaded.value.value;
  return (
    <>
      <p class="facts">
        {stands}
        {user !== null && ` · user ${user}`}
        {from !== null && " · from "}
        {from !== null && <Time at={from} />}
        {` · calls ran ${durationText(workedMs)}`}
        {spent !== null && ` · ${tokensText(spent)}`}
      </p>
      {isPartial && <p class="note">Earlier calls are under Calls.</p>}
      {omitsReads && <p class="note">The audit leaves out the calls of tools that only read.</p>}
      <ol class="story" aria-label="What happened">
        {steps.map((step, at) => (
          <Step key={step.kind === "call" ? step.call.runId : at} step={step} />
        ))}
      </ol>
    </>
  );
}

function Step({ step }: { readonly step: StoryStep }) {
  if (step.kind === "call")
    return (
      <li class={step.depth > 0 ? "made" : ""}>
        <CallLine call={step.call} />
      </li>
    );
  return (
    <li class="said">
      <h3>{step.by}</h3>
      <HiddenNote hidden={countHidden(step.text)} />
      <Markdown text={step.text} />
    </li>
  );
}

/** Shows a call as a line; below it its question, and what its result leaves out. */
function CallLine({ call }: { readonly call: StoryCall }) {
  const { tool, runId, line, startedAt, durationMs, status, code, says, question, omitted, place } = call;
  return (
    <>
      <span class="t">
        <span>
          <a href={linkTo("calls", runId)}>{tool}</a> <code>{line}</code>
          {place !== null && <small> line {place.line}</small>}
        </span>
        <StatusChip status={status} code={code} />
      </span>
      <small>
        <Time at={startedAt} />
        {durationMs !== null && ` · ${durationText(durationMs)}`} · {says}
      </small>
      {question !== null && <Asked call={call} question={question} />}
      {omitted.map(({ what, amount, why }) => (
        <small>
          left out: {what} ({amount}): {why}
        </small>
      ))}
    </>
  );
}

interface AskedProps {
  readonly call: StoryCall;
  readonly question: NonNullable<StoryCall["question"]>;
}

function Asked({ call: { runId }, question: { rules, by, answeredAt, reason } }: AskedProps) {
  const isOfCall = ({ info }: Approval) => info.runId === runId;
  const open = approvals.value?.find(isOfCall)?.id;
  const left = answered.value.find((one) => isOfCall(one) && canRunNow(one))?.id;
  return (
    <small>
      asked by {rules.join(", ")}
      {by !== null && `; answered by ${by}`}
      {answeredAt !== null && " at "}
      {answeredAt !== null && <Time at={answeredAt} />}
      {reason !== null && `: ${reason}`}
      {by === null && open !== undefined && " · "}
      {by === null && open !== undefined && <a href={linkTo("inbox", open)}>answer it</a>}
      {left !== undefined && " · "}
      {left !== undefined && <a href={linkTo("inbox", left)}>run it now</a>}
    </small>
  );
}

/** Lists the sessions of clients, the most recently used first. Leaves out the sessions of models, which have their own list. */
export function Stories(props: StoriesProps) {
  return served.value?.stories === true ? <Listed {...props} /> : null;
}

interface StoriesProps {
  readonly again: Signal<number>;
  readonly without: ReadonlySet<string>;
}

/** The fields that choose sessions by their calls. */
const fields = ["text", "tool", "user", "status"] as const;

function Listed({ again, without }: StoriesProps) {
  const query = queryOf(route.value.filter);
  return (
    <>
      <div class="filters" role="search" aria-label="Sessions">
        {fields.map((name) => (
          <label key={name}>
            <span class="quiet">{name} of its calls</span>
            <input
              value={route.value.filter[name] ?? ""}
              placeholder={name === "text" ? "words, or a folder/" : name}
              onChange={(event) =>
                filterBy({ ...route.value.filter, [name]: event.currentTarget.value.trim() })
              }
            />
          </label>
        ))}
        <TimeField name="from" label="began at or after" />
        <TimeField name="to" label="began before" />
      </div>
      <Found key={query} query={query} again={again} without={query === "" ? without : none} />
    </>
  );
}

/** Shows the field for one end of the period in which the calls began, in the browser's time zone. */
function TimeField({ name, label }: { readonly name: "from" | "to"; readonly label: string }) {
  const { filter } = route.value;
  const at = Number(filter[name] || Number.NaN);
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return (
    <label>
      <span class="quiet">{label}</span>
      <input
        type="datetime-local"
        value={Number.isNaN(local.getTime()) ? "" : local.toISOString().slice(0, 16)}
        onChange={({ currentTarget: { value } }) =>
          filterBy({ ...filter, [name]: value === "" ? "" : String(new Date(value).getTime()) })
        }
      />
    </label>
  );
}

const none: ReadonlySet<string> = new Set();

function Found({ query, again, without }: StoriesProps & { readonly query: string }) {
  const loaded = useLoaded<{ stories: readonly RecentSession[] }>(`/stories?${query}`, again);
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  const stories = loaded.value.value.stories.filter(({ session }) => !without.has(session));
  if (stories.length === 0)
    return query === "" ? null : <p class="nothing">No session has calls with these filters.</p>;
  return (
    <ul class="tree" aria-label={query === "" ? "Sessions of clients" : "Sessions with such calls"}>
      {stories.map(({ session, user, calls, to, stands }) => (
        <li key={session}>
          <a
            class="item"
            href={linkTo("sessions", session, route.value.filter)}
            aria-current={route.value.open === session ? "true" : undefined}
          >
            <span class="t">
              <span>{session}</span>
              <Age at={to} />
            </span>
            <span class="s">
              {user !== null && `user ${user} · `}
              {countText(calls, "call")} · {stands}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
