import { batch, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { ask } from "../api.ts";
import { useLoaded } from "../load.tsx";
import { linkTo } from "../route.ts";
import type { LayerAnswer, LayerChange, WaitingLayer } from "../shapes.ts";
import { hostPath, mayApprove, maySeeQuestions, notify, served, textOf } from "../state.ts";
import { countText } from "../value.tsx";
import { Answers } from "./answers.tsx";
import { Entries, type Choosing } from "./entries.tsx";
import { readLayers } from "./layers.ts";
import { Shown } from "./shown.tsx";
import { isGrave, sumOf, treeOf, type Parts } from "./tree.ts";

interface WaitsProps {
  readonly sessionId: string;
  readonly again: Signal<number>;
}

/**
 * Shows the changes that wait in the layer of a session, for a person to keep or drop. Shows nothing without a layer, or to a
 * token that may not see questions.
 */
export function Waits(props: WaitsProps) {
  return served.value?.layers === true && maySeeQuestions.value ? <Live {...props} /> : null;
}

/** Shows the latest changes. Once a person has begun to choose, newer changes are shown only when the person asks for them. */
function Live({ sessionId, again }: WaitsProps) {
  const path = `/sessions/${encodeURIComponent(sessionId)}/layer`;
  const loaded = useLoaded<{ layer: WaitingLayer | null }>(path, again);
  const shown = useSignal<WaitingLayer | null>(null);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const yes = useSignal<ReadonlySet<string>>(new Set());
  const open = useSignal<string | null>(null);
  const parts = useSignal<Parts>(new Map());
  const show = (layer: WaitingLayer | null) =>
    batch(() => {
      const paths = new Set(layer?.changes.map((each) => each.path));
      shown.value = layer;
      // What the person confirmed or chose in parts was about an earlier difference.
      yes.value = new Set();
      parts.value = new Map();
      chosen.value = new Set([...chosen.value].filter((each) => paths.has(each)));
      if (open.value !== null && !paths.has(open.value)) open.value = null;
    });
  const newest = newestOf(loaded.value);
  useSignalEffect(() => {
    const now = newestOf(loaded.value);
    if (now === undefined) return;
    const hasBegun = chosen.peek().size + yes.peek().size + parts.peek().size > 0;
    if (now?.digest === shown.peek()?.digest) shown.value = now;
    else if (!hasBegun || shown.peek() === null) show(now);
  });
  if (loaded.value !== null && "problem" in loaded.value) return <p class="note">{loaded.value.problem}</p>;
  const layer = shown.value;
  if (layer === null || layer.changes.length + layer.left.length === 0) return null;
  const answer = async (body: object) => {
    try {
      const given = await ask<LayerAnswer>("POST", hostPath.value + path, { digest: layer.digest, ...body });
      notify(sentenceOf(given));
      show(given.layer);
    } catch (error) {
      notify(textOf(error));
    }
    again.value += 1;
    await readLayers().catch((error: unknown) => notify(textOf(error)));
  };
  const choosing = {
    chosen,
    open,
    conflicts: new Set(layer.conflicts.map((each) => each.path)),
    mayAnswer: mayApprove.value,
  };
  return (
    <section class="box" aria-label="Changes that wait">
      <h3>
        <span>Nothing of this is final: {countText(layer.changes.length, "change")} of files wait</span>
        <Sum changes={layer.changes} />
      </h3>
      <Made layer={layer} />
      {newest !== undefined && newest !== null && newest.digest !== layer.digest && (
        <p class="note" role="status">
          The session has changed more since.{" "}
          <button type="button" onClick={() => show(newest)}>
            Show what waits now
          </button>
        </p>
      )}
      <div class="waits-two">
        <Sections layer={layer} choosing={choosing} />
        <Shown path={path} changes={layer.changes} open={open} parts={parts} digest={layer.digest} />
      </div>
      {mayApprove.value && <Answers layer={layer} chosen={chosen} yes={yes} parts={parts} answer={answer} />}
    </section>
  );
}

type Loaded = ReturnType<typeof useLoaded<{ layer: WaitingLayer | null }>>["value"];

/** Returns the last read changes; null if none wait, and undefined while they are not known. */
function newestOf(loaded: Loaded): WaitingLayer | null | undefined {
  return loaded !== null && "value" in loaded ? loaded.value.layer : undefined;
}

function Sum({ changes }: { readonly changes: readonly LayerChange[] }) {
  const { added, removed, uncounted } = sumOf(changes);
  const others = uncounted === 0 ? "" : `; ${countText(uncounted, "change")} not counted`;
  return (
    <span class="chips">
      <span class="chip">{`+${added} −${removed} lines${others}`}</span>
    </span>
  );
}

/**
 * Shows the calls that made the changes, the hosts that their commands reached, the background commands that an answer would
 * end, conflicts, and what stays where it is.
 */
function Made({ layer: { calls, running, left, conflicts } }: { readonly layer: WaitingLayer }) {
  const last = calls.slice(-10);
  const hosts = [...new Set(calls.flatMap(({ network = [] }) => network))];
  return (
    <div class="in">
      {last.length > 0 && (
        <p class="facts">
          Made by {countText(calls.length, "call")}
          {calls.length > last.length ? ", the last ones " : " "}
          {last.map(({ tool, runId }) => (
            <>
              <a href={linkTo("calls", runId)}>{tool}</a>{" "}
            </>
          ))}
        </p>
      )}
      {hosts.length > 0 && <p class="origin">Reached by its commands: {hosts.join(", ")}</p>}
      {running.map((command) => (
        <p class="origin">
          Ends when you keep or drop: <code>{command}</code>
        </p>
      ))}
      {conflicts.map(({ path, reason }) => (
        <p class="origin">
          Conflict: <code>{path}</code>, {reason}. Nothing that includes it can be kept.
        </p>
      ))}
      {left.map(({ path, reason }) => (
        <p class="facts">
          Stays: <code>{path}</code>, {reason}
        </p>
      ))}
    </div>
  );
}

const titles = {
  files: "Written",
  repository: "Commits, branches and what is staged, as one",
  deletions: "Deleted",
  obeyed: "Run or obeyed by your next command",
} as const;

interface SectionsProps {
  readonly layer: WaitingLayer;
  readonly choosing: Choosing;
}

/** Shows the changes by section. Sections that need a separate yes come first, and are never collapsed. */
function Sections({ layer: { changes }, choosing }: SectionsProps) {
  return (
    <div>
      {(["deletions", "obeyed", "files", "repository"] as const).map((section) => {
        const own = changes.filter((change) => change.section === section);
        if (own.length === 0) return null;
        const title = `${titles[section]}: ${countText(own.length, "change")}`;
        return (
          <section key={section} aria-label={titles[section]}>
            <h4 class={isGrave(section) ? "grave" : ""}>{title}</h4>
            {section !== "repository" && (
              <Entries
                nodes={treeOf(own)}
                isOpen={isGrave(section) || own.length <= mostOpen}
                isWhole={isGrave(section)}
                {...choosing}
              />
            )}
          </section>
        );
      })}
    </div>
  );
}

/** With at most this many entries in a section, its folders are open at first. */
const mostOpen = 200;

function sentenceOf({ outcome: { result } }: LayerAnswer): string {
  if (result.code === "DIFFERENCE_CHANGED") return "It changed meanwhile, so nothing was done. Look again.";
  if (result.error !== undefined) return `${result.error}.`;
  const {
    kept,
    dropped = 0,
    withheld = [],
  } = result.data as {
    readonly kept?: number;
    readonly dropped?: number;
    readonly withheld?: readonly string[];
  };
  if (kept === undefined) return `${countText(dropped, "change")} dropped.`;
  const more = withheld.length === 0 ? "" : ` These need another change, and wait: ${withheld.join(", ")}.`;
  return `${countText(kept, "change")} kept.${more}`;
}
