import type { Signal } from "@preact/signals";
import { EffectOf } from "../inbox/listed.tsx";
import { useLoaded } from "../load.tsx";
import type { LayerChange } from "../shapes.ts";
import { mayApprove } from "../state.ts";
import { partsIn, type Parts } from "./tree.ts";

interface ShownProps {
  readonly path: string;
  readonly changes: readonly LayerChange[];
  readonly open: Signal<string | null>;
  readonly parts: Signal<Parts>;
  readonly digest: string;
}

/** Shows the difference of the entry that the person has opened. */
export function Shown({ path, changes, open, parts, digest }: ShownProps) {
  const change = changes.find((each) => each.path === open.value);
  if (change === undefined) return <p class="nothing">Choose a name to see what becomes of it.</p>;
  return <One key={`${digest} ${change.path}`} path={path} change={change} parts={parts} />;
}

interface Entry {
  readonly difference: string | null;
  readonly conflict: { readonly person: string; readonly session: string } | null;
}

interface OneProps {
  readonly path: string;
  readonly change: LayerChange;
  readonly parts: Signal<Parts>;
}

function One({ path, change, parts }: OneProps) {
  const loaded = useLoaded<Entry>(`${path}?path=${encodeURIComponent(change.path)}`);
  if (loaded.value === null) return <p class="nothing">Reading…</p>;
  if ("problem" in loaded.value) return <p class="note">{loaded.value.problem}</p>;
  const { difference, conflict } = loaded.value.value;
  const verb = change.change === "mode" ? "other" : change.change;
  const effect = { target: change.path, change: verb, ...(difference && { difference }) };
  return (
    <div role="group" aria-label="Difference of the chosen file">
      {change.change === "change" && mayApprove.value && partsIn(difference ?? "").length > 1 ? (
        <PartsOf change={change} texts={partsIn(difference!)} parts={parts} />
      ) : (
        <EffectOf effect={effect} isOpen />
      )}
      {conflict !== null && (
        <>
          <EffectOf
            effect={{
              target: `${change.path}: what you changed`,
              change: "other",
              difference: conflict.person,
            }}
            isOpen
          />
          <EffectOf
            effect={{
              target: `${change.path}: what the session changed`,
              change: "other",
              difference: conflict.session,
            }}
            isOpen
          />
        </>
      )}
      {!difference && (
        <p class="facts">{difference === null ? "It is no short text." : "No line differs."}</p>
      )}
    </div>
  );
}

interface PartsProps {
  readonly change: LayerChange;
  readonly texts: readonly string[];
  readonly parts: Signal<Parts>;
}

/** Shows the parts of a difference, each with a check box, so that a person can leave some out. */
function PartsOf({ change: { path }, texts, parts }: PartsProps) {
  const kept = parts.value.get(path) ?? texts.map(() => true);
  const toggle = (at: number) => {
    const next = kept.map((each, index) => (index === at ? !each : each));
    parts.value = new Map([...parts.value, [path, next]]);
  };
  return (
    <>
      {texts.map((text, at) => (
        <div key={at}>
          <label>
            <input type="checkbox" checked={kept[at]} onChange={() => toggle(at)} /> Part {at + 1} of{" "}
            {texts.length}
          </label>
          <EffectOf
            effect={{ target: `${path}, part ${at + 1}`, change: "change", difference: text }}
            isOpen
          />
        </div>
      ))}
    </>
  );
}
