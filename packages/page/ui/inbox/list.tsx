import { linkTo } from "../route.ts";
import type { Approval } from "../shapes.ts";
import { answered, cards, sentence } from "../state.ts";
import { Age } from "../value.tsx";
import { isMarkable, marked, toggleMark } from "./marked.tsx";
import { Hidden, Risk } from "./risk.tsx";
import { lineOf } from "./sentence.ts";
import { endOf, isPlaced, isUnsettled, isWaiting, shownId } from "./shown.ts";

/** Maximum number of answered questions in the list. */
const maxAnswered = 50;

/**
 * Lists the questions: waiting ones and those that ended in this view, in their places; then approved ones whose effect is not
 * known yet; then answered ones.
 */
export function QuestionList() {
  const before = answered.value.filter(({ id }) => !isPlaced(id));
  const ended = before.filter((approval) => !isUnsettled(approval));
  return (
    <>
      <Part title="Waiting" questions={cards.value} />
      <Part title="Approved, effect not known yet" questions={before.filter(isUnsettled)} />
      <Part title="Answered" questions={ended.slice(0, maxAnswered)} />
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly questions: readonly Approval[];
}

function Part({ title, questions }: PartProps) {
  if (questions.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {questions.map((approval) => (
          <Item key={approval.id} approval={approval} />
        ))}
      </ul>
    </section>
  );
}

function Item({ approval }: { readonly approval: Approval }) {
  const { id, createdAt, decision } = approval;
  return (
    <li class={isWaiting(id) ? (isMarkable(approval) ? "markable" : "") : "ended"}>
      <a class="item" href={linkTo("inbox", id)} aria-current={shownId.value === id ? "true" : undefined}>
        <span class="t">
          <span>{sentence(approval)}</span>
          <Age at={decision?.at ?? createdAt} />
        </span>
        <span class="s">{endOf(approval) ?? lineOf(approval)}</span>
        <Chips approval={approval} />
      </a>
      {isMarkable(approval) && <Mark approval={approval} />}
    </li>
  );
}

function Mark({ approval }: { readonly approval: Approval }) {
  const { id } = approval;
  return (
    <label class="mark">
      <input
        type="checkbox"
        aria-label={`Mark: ${sentence(approval)}`}
        checked={marked.value.some((one) => one.id === id)}
        onChange={() => toggleMark(id)}
      />
    </label>
  );
}

function Chips({ approval }: { readonly approval: Approval }) {
  return (
    <span class="chips">
      <Risk approval={approval} />
      <Hidden approval={approval} />
    </span>
  );
}
