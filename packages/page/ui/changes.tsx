import { useSignal, type Signal } from "@preact/signals";
import { ask } from "./api.ts";
import { useLoaded } from "./load.tsx";
import { linkTo } from "./route.ts";
import { EffectOf } from "./inbox/listed.tsx";
import type { Change, ChangesAnswer, UndoReport } from "./shapes.ts";
import { hostPath, me, notify, textOf } from "./state.ts";
import { Age, countText } from "./value.tsx";

interface ChangesProps {
  readonly sessionId: string;
  readonly again: Signal<number>;
}

const mayUndo = ({ isUndone, irreversible }: Change) => !isUndone && irreversible === undefined;

/** Shows what a session changed, newest first. A person can undo all of it, or everything after one change. */
export function Changes({ sessionId, again }: ChangesProps) {
  const path = `/sessions/${encodeURIComponent(sessionId)}`;
  const loaded = useLoaded<ChangesAnswer>(`${path}/changes`, again);
  /** The number of the change after which all changes are about to be undone; null before a person has chosen. */
  const after = useSignal<number | null>(null);
  const busy = useSignal(false);
  const answer = loaded.value !== null && "value" in loaded.value ? loaded.value.value : null;
  if (answer === null || answer.changes.length === 0) return null;
  const { changes, difference } = answer;
  const undo = async () => {
    busy.value = true;
    try {
      const body = { after: after.value ?? 0 };
      notify(sentenceOf(await ask<UndoReport>("POST", `${hostPath.value}${path}/undo`, body)));
    } catch (error) {
      notify(textOf(error));
    }
    busy.value = false;
    after.value = null;
    again.value += 1;
  };
  const canUndo = me.value?.roles.includes("call") === true && changes.some(mayUndo);
  return (
    <section class="box" aria-label="Changes">
      <h3>
        <span>Changes</span>
        {canUndo && after.value === null && (
          <button type="button" onClick={() => (after.value = 0)}>
            Undo all…
          </button>
        )}
      </h3>
      {after.value !== null && (
        <Confirm changes={changes} after={after} busy={busy} undo={() => void undo()} />
      )}
      <ul class="changes">
        {changes.toReversed().map((change) => (
          <Line key={`${change.sessionId} ${change.number}`} change={change}>
            {canUndo && after.value === null && change.sessionId === undefined && mayUndo(change) && (
              <button type="button" onClick={() => (after.value = change.number - 1)}>
                Undo back to here…<span class="quiet"> and this: {change.tool}</span>
              </button>
            )}
          </Line>
        ))}
      </ul>
      {difference.effects.length > 0 && <Whole difference={difference} />}
    </section>
  );
}

/** Shows the changes as one difference: for each target, from its first state to its last one. */
function Whole({ difference: { effects, unknown } }: Pick<ChangesAnswer, "difference">) {
  return (
    <div class="in" role="group" aria-label="As one difference">
      <h4>As one difference: {countText(effects.length, "target")}</h4>
      {effects.map((effect) => (
        <EffectOf effect={effect} isOpen={effects.length <= 10} />
      ))}
      {unknown.length > 0 && (
        <p class="note">What {countText(unknown.length, "change")} made different is not known.</p>
      )}
    </div>
  );
}

interface ConfirmProps {
  readonly changes: readonly Change[];
  readonly after: Signal<number | null>;
  readonly busy: Signal<boolean>;
  readonly undo: () => void;
}

/** Shows what will be undone and what stays, with the button that starts the undo. */
function Confirm({ changes, after, busy, undo }: ConfirmProps) {
  const since =
    changes.find(({ number, sessionId }) => sessionId === undefined && number === after.value)?.at ?? 0;
  const chosen = changes.filter(({ number, sessionId, at }) =>
    sessionId === undefined ? number > after.value! : at > since,
  );
  const stay = chosen.filter(({ irreversible }) => irreversible !== undefined);
  return (
    <div class="in" role="group" aria-label="Undo">
      <p>
        {countText(chosen.filter(mayUndo).length, "change")} of this session and its agents will be undone,
        newest first.
        {stay.length > 0 && ` ${countText(stay.length, "change")} cannot be undone, and will stay.`}
      </p>
      <div class="actions">
        <button type="button" class="no" disabled={busy} onClick={undo}>
          Undo {countText(chosen.filter(mayUndo).length, "change")}
        </button>
        <button type="button" disabled={busy} onClick={() => (after.value = null)}>
          Back
        </button>
      </div>
    </div>
  );
}

interface LineProps {
  readonly change: Change;
  readonly children: preact.ComponentChildren;
}

function Line({ change, children }: LineProps) {
  const { tool, arguments: given, at, runId, sessionId, irreversible } = change;
  return (
    <li>
      <span>
        <a href={linkTo("calls", runId)}>{tool}</a> <code>{JSON.stringify(given)}</code>{" "}
        <small>
          <Age at={at} /> ago{sessionId !== undefined && `, by agent session ${sessionId}`}
          {irreversible !== undefined && `: ${irreversible}`}
        </small>
      </span>
      <span class="chips">
        <State change={change} />
        {children}
      </span>
    </li>
  );
}

function State({ change: { isUndone, irreversible, undoBegan } }: { readonly change: Change }) {
  if (irreversible !== undefined) return <span class="chip bad">cannot be undone</span>;
  if (undoBegan === true) return <span class="chip warn">undo began</span>;
  return isUndone ? <span class="chip">undone</span> : <span class="chip good">can be undone</span>;
}

function sentenceOf({ undone, stopped, left }: UndoReport): string {
  const done = `${countText(undone.length, "change")} undone`;
  if (stopped === null) return `${done}.`;
  const { change, outcome } = stopped;
  return `${done}. It stopped at ${change.tool}: ${outcome.result.error ?? ""}. ${left.length} left.`;
}
