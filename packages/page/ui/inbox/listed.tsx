import { countHidden } from "../hidden.ts";
import type { Approval } from "../shapes.ts";
import { HiddenNote } from "../value.tsx";
import { Arguments } from "./arguments.tsx";
import {
  asQuestion,
  coveredCalls,
  cutList,
  listOf,
  listSummary,
  makerOf,
  type Effect,
  type ListedCall,
  type Origin,
} from "./listed-calls.ts";
import { Hidden, Risk } from "./risk.tsx";
import { sentenceOf } from "./sentence.ts";
import { isWaiting, toolOf } from "./shown.ts";

/** With more calls than this, the differences are collapsed at first. */
const maxOpen = 20;

/** Shows the calls that one answer approves, with what each would change, and with buttons that shorten the list. */
export function ListedCalls({ approval }: { readonly approval: Approval }) {
  const list = listOf(approval)!;
  const covered = coveredCalls(approval, list);
  const maker = makerOf(list);
  return (
    <section aria-label="Calls of the list">
      <p class="why" role="status">
        {covered === list.calls.length ? "" : `The first ${covered} of ${list.calls.length}: `}
        {listSummary(list.calls.slice(0, covered)).join(" · ")}
      </p>
      {maker !== null && (
        <details>
          <summary>Made by {maker.tool}</summary>
          <Arguments approval={asQuestion(approval, maker)} />
        </details>
      )}
      {(list.harmless ?? []).flatMap(({ tool, asks }) =>
        asks.map((reason) => (
          <p class="why" key={`${tool} ${reason}`}>
            {tool} asks: {reason}
          </p>
        )),
      )}
      <ol class="listed">
        {list.calls.map((call, at) => (
          <Listed
            key={at}
            call={call}
            approval={approval}
            isCovered={at < covered}
            isOpen={list.calls.length <= maxOpen}
            cut={isWaiting(approval.id) && at < (list.first ?? list.calls.length) ? at + 1 : null}
            isLast={at === covered - 1}
          />
        ))}
      </ol>
    </section>
  );
}

interface ListedProps {
  readonly call: ListedCall;
  readonly approval: Approval;
  readonly isCovered: boolean;
  readonly isLast: boolean;
  readonly isOpen: boolean;
  /** How many calls remain if the list is cut after this one; null if it cannot be cut here. */
  readonly cut: number | null;
}

function Listed({ call, approval, isCovered, isLast, isOpen, cut }: ListedProps) {
  const question = asQuestion(approval, call);
  const title = sentenceOf(question, toolOf(question));
  return (
    <li class={isCovered ? "box" : "box left-out"}>
      <h3>
        <span>{title}</span>
        <span class="chips">
          <Risk approval={question} />
          <Undo canUndo={call.canUndo} />
          <Hidden approval={question} />
        </span>
      </h3>
      <div class="in">
        {!isCovered && <p class="facts">It is left out: it does not run without another answer.</p>}
        {call.effects.length === 0 && (
          <p class="origin">What it would change is not known: the tool has no preview.</p>
        )}
        {call.effects.map((effect) => (
          <EffectOf effect={effect} isOpen={isOpen} />
        ))}
        {call.asks.map((reason) => (
          <p class="facts">Asks because {reason}</p>
        ))}
        {call.origins.map((origin) => (
          <OriginOf origin={origin} />
        ))}
        <details open={call.effects.length === 0}>
          <summary>Arguments of {call.tool}</summary>
          <Arguments approval={question} />
        </details>
        {cut !== null && (
          <button type="button" aria-pressed={isLast} onClick={() => cutList(approval, cut)}>
            {isLast ? "The last one" : "Only up to here"}
            <span class="quiet">: call {cut}</span>
          </button>
        )}
      </div>
    </li>
  );
}

function Undo({ canUndo }: { readonly canUndo: boolean | null }) {
  if (canUndo === true) return <span class="chip good">can be undone</span>;
  return <span class="chip bad">{canUndo === false ? "cannot be undone" : "has no undo"}</span>;
}

/** Shows one effect: the kind of change, its target, its cost, and the difference. */
export function EffectOf({ effect, isOpen }: { readonly effect: Effect; readonly isOpen: boolean }) {
  const { target, change, difference, cost } = effect;
  const price = cost === undefined ? "" : ` for ${cost.amount.toLocaleString("en-US")} ${cost.currency}`;
  const title = (
    <>
      {change} <code>{target}</code>
      {price}
    </>
  );
  if (difference === undefined) return <p>{title}</p>;
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <HiddenNote hidden={countHidden(difference)} />
      <pre class="value" tabIndex={0} role="group" aria-label={`Difference of ${target}`}>
        {difference.split("\n").map(lineOf)}
      </pre>
    </details>
  );
}

/** Shows a line of a difference, whose first character says whether it was removed or added. */
function lineOf(line: string) {
  if (line.startsWith("-")) return <del>{line}</del>;
  return line.startsWith("+") ? <ins>{line}</ins> : <span>{line}</span>;
}

const originTexts: Readonly<Record<string, string>> = {
  user: "the user wrote it",
  identity: "it follows from who the user is",
  default: "a default of the plan or the tool",
  trusted: "from a trusted result",
  structured: "from a field of a result",
  contact: "a contact in a result",
  sameHost: "a link to a host that the user named",
  untrusted: "read in text that others can write",
  composed: "found nowhere: the model made it",
};

function OriginOf({ origin: { argument, origin, from, isAccepted } }: { readonly origin: Origin }) {
  const line = from?.line === undefined ? "" : `, line ${from.line}`;
  const where = from === undefined ? "" : `: ${from.tool}, call ${from.call}${line}`;
  return (
    <p class={isAccepted ? "facts" : "origin"}>
      {argument}: {originTexts[origin] ?? origin}
      {where}
      {isAccepted ? "" : "; not accepted here"}
    </p>
  );
}
