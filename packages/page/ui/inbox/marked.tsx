import { computed, signal, useSignal } from "@preact/signals";
import { Empty } from "../parts/frame.tsx";
import type { Approval } from "../shapes.ts";
import { cards, mayApprove, notify, sentence } from "../state.ts";
import { isSteady } from "../steady.ts";
import { countText } from "../value.tsx";
import { Arguments } from "./arguments.tsx";
import { sendDecisions, type Decision } from "./decision.ts";
import { listOf } from "./listed-calls.ts";
import { Hidden, Risk } from "./risk.tsx";
import { isWaiting } from "./shown.ts";

const chosen = signal<ReadonlySet<string>>(new Set());

/** Questions that wait and that a person marked to answer them together. */
export const marked = computed(() =>
  cards.value.filter((one) => chosen.value.has(one.id) && isMarkable(one)),
);

/**
 * Tests whether this person may answer a question together with others. A list of calls is excluded, because it must be read by
 * itself.
 */
export function isMarkable(approval: Approval): boolean {
  return mayApprove.value && isWaiting(approval.id) && listOf(approval) === null;
}

export function toggleMark(id: string): void {
  chosen.value = new Set(
    chosen.value.has(id) ? [...chosen.value].filter((one) => one !== id) : [...chosen.value, id],
  );
}

export function clearMarks(): void {
  chosen.value = new Set();
}

/** Returns the waiting questions about the same tool whose first reason is the same, including the given one. */
function alike({ tool, reasons }: Approval): readonly Approval[] {
  const [first] = reasons;
  return cards.value.filter(
    (one) => isMarkable(one) && one.tool === tool && one.reasons[0]?.reason === first?.reason,
  );
}

/** Offers to mark all questions with the same tool and reason. */
export function Alike({ approval }: { readonly approval: Approval }) {
  const all = alike(approval);
  if (all.length < 2 || !isMarkable(approval)) return null;
  return (
    <p class="why">
      {countText(all.length - 1, "other question")} of {approval.tool} {all.length === 2 ? "waits" : "wait"}.{" "}
      <button type="button" onClick={() => (chosen.value = new Set(all.map(({ id }) => id)))}>
        Mark all {all.length}
      </button>
    </p>
  );
}

/** Shows every marked question with its arguments, and the buttons that answer all of them. */
export function Marked() {
  const all = marked.value;
  const busy = useSignal(false);
  const reason = useSignal("");
  const answer = async (event: Event, decision: Decision) => {
    const place = (event.currentTarget as Element).closest("[data-decides]");
    if ((event as Partial<UIEvent>).detail !== 0 && place !== null && !isSteady(place))
      return notify("The button has only just come there. Press it again.");
    busy.value = true;
    const count = await sendDecisions(
      all.map(({ id }) => id),
      decision,
    );
    busy.value = false;
    notify(`${countText(count, "question")} ${decision.decision === "approve" ? "approved" : "denied"}.`);
    if (count === all.length) clearMarks();
    document.getElementById("content")?.focus();
  };
  if (all.length === 0)
    return (
      <Empty icon="inbox" title="Nothing is marked">
        {null}
      </Empty>
    );
  return (
    <>
      <section class="question" aria-labelledby="question">
        <h2 id="question" tabIndex={-1}>
          One answer for {countText(all.length, "question")}
        </h2>
        {all.map((approval) => (
          <section class="box" key={approval.id} aria-label={sentence(approval)}>
            <h3>
              <span>{sentence(approval)}</span>
              <span>
                <Risk approval={approval} /> <Hidden approval={approval} />
              </span>
            </h3>
            <div class="in">
              <Arguments approval={approval} />
            </div>
          </section>
        ))}
      </section>
      <div class="bar" data-decides>
        <button
          type="button"
          class="go"
          data-key="approve"
          data-confirms=""
          disabled={busy}
          onClick={(event) => void answer(event, { decision: "approve" })}
        >
          Approve {all.length}, each once
        </button>
        <button type="button" onClick={clearMarks}>
          Clear marks
        </button>
        <form class="reason" onSubmit={(event) => event.preventDefault()}>
          <label>
            <span class="quiet">Reason</span>
            <input
              value={reason}
              data-key="reason"
              placeholder="Reason: the model reads it"
              onInput={(event) => (reason.value = event.currentTarget.value)}
            />
          </label>
          <button
            type="submit"
            class="no"
            disabled={busy}
            onClick={(event) =>
              void answer(event, {
                decision: "deny",
                ...(reason.value.trim() !== "" && { reason: reason.value.trim() }),
              })
            }
          >
            Deny {all.length}
          </button>
        </form>
      </div>
    </>
  );
}
