import { useSignal, type Signal } from "@preact/signals";
import type { WaitingLayer } from "../shapes.ts";
import { countText } from "../value.tsx";
import { coveredBy, keptOf, type Parts } from "./tree.ts";

interface AnswersProps {
  readonly layer: WaitingLayer;
  readonly chosen: Signal<ReadonlySet<string>>;
  readonly yes: Signal<ReadonlySet<string>>;
  readonly parts: Signal<Parts>;
  readonly answer: (body: object) => Promise<void>;
}

/** Offers the answers: keep all changes, keep the chosen ones, drop all, or let them wait. */
export function Answers({ layer, chosen, yes, parts, answer }: AnswersProps) {
  const busy = useSignal(false);
  const isDropping = useSignal(false);
  const { changes } = layer;
  const all = coveredBy(changes, yes.value, undefined);
  const some = coveredBy(changes, yes.value, chosen.value);
  const act = async (body: object) => {
    busy.value = true;
    await answer(body);
    busy.value = false;
    isDropping.value = false;
  };
  const sections = ["files", "repository", ...yes.value];
  if (isDropping.value)
    return (
      <div class="in" role="group" aria-label="Drop">
        <p>
          {countText(changes.length, "change")} of this session will be gone, and cannot be brought back.
          {layer.running.length > 0 && ` ${countText(layer.running.length, "command")} will end.`}
        </p>
        <div class="actions">
          <button type="button" class="no" disabled={busy} onClick={() => void act({ drop: true })}>
            Drop {countText(changes.length, "change")}
          </button>
          <button type="button" disabled={busy} onClick={() => (isDropping.value = false)}>
            Back
          </button>
        </div>
      </div>
    );
  return (
    <div class="in" role="group" aria-label="Answer">
      {(["deletions", "obeyed"] as const).map((section) => (
        <Yes key={section} section={section} layer={layer} yes={yes} />
      ))}
      <div class="actions">
        <button
          type="button"
          class="go"
          disabled={busy.value || all.length === 0}
          onClick={() => void act({ sections, ...(parts.value.size > 0 && keptOf(all, parts.value)) })}
        >
          {all.length === changes.length ? "Keep all" : `Keep ${all.length} of ${changes.length}`}
        </button>
        <button
          type="button"
          disabled={busy.value || some.length === 0}
          onClick={() =>
            void act({
              sections: sections.filter((each) => each !== "repository"),
              ...keptOf(some, parts.value),
            })
          }
        >
          Keep chosen ({some.length})
        </button>
        <button type="button" class="no" disabled={busy} onClick={() => (isDropping.value = true)}>
          Drop…
        </button>
        <button
          type="button"
          disabled={busy.value || chosen.value.size + yes.value.size + parts.value.size === 0}
          onClick={() => {
            chosen.value = new Set();
            yes.value = new Set();
            parts.value = new Map();
          }}
        >
          Go on: they wait
        </button>
      </div>
      {chosen.value.size > some.length && (
        <p class="facts">
          {countText(chosen.value.size - some.length, "chosen change")} of a section without your yes will
          wait.
        </p>
      )}
    </div>
  );
}

const questions = {
  deletions: (count: number) => `Yes, ${countText(count, "deletion")}, too`,
  obeyed: (count: number) => `Yes, ${countText(count, "change")} of what my next command runs or obeys, too`,
};

interface YesProps {
  readonly section: "deletions" | "obeyed";
  readonly layer: WaitingLayer;
  readonly yes: Signal<ReadonlySet<string>>;
}

/** Shows the check box for a section that needs a separate yes. */
function Yes({ section, layer: { changes }, yes }: YesProps) {
  const count = changes.filter((change) => change.section === section).length;
  if (count === 0) return null;
  const toggle = () => {
    const next = new Set(yes.value);
    if (!next.delete(section)) next.add(section);
    yes.value = next;
  };
  return (
    <label class="grave">
      <input type="checkbox" checked={yes.value.has(section)} onChange={toggle} /> {questions[section](count)}
    </label>
  );
}
