import { useSignal, type Signal } from "@preact/signals";
import { countHidden, escapeHidden } from "../hidden.ts";
import type { LayerChange } from "../shapes.ts";
import { countText } from "../value.tsx";
import type { Node } from "./tree.ts";

/** What a person has chosen: the paths to keep, and the entry whose difference is open. */
export interface Choosing {
  readonly chosen: Signal<ReadonlySet<string>>;
  readonly open: Signal<string | null>;
  /** Paths that the person also changed outside of the layer, so that both changes conflict. */
  readonly conflicts: ReadonlySet<string>;
  readonly mayAnswer: boolean;
}

interface EntriesProps extends Choosing {
  readonly nodes: readonly Node[];
  /** Whether folders are open initially. */
  readonly isOpen: boolean;
  /** Whether all entries are shown at once, even if there are very many. */
  readonly isWhole: boolean;
}

/** How many entries of a folder are shown at first, because a browser takes seconds for tens of thousands. */
const mostShown = 500;

/** Shows changed entries in their folders, each with a check box. The box of a folder covers everything in it. */
export function Entries({ nodes, ...more }: EntriesProps) {
  const most = useSignal(more.isWhole ? Number.POSITIVE_INFINITY : mostShown);
  const left = nodes.length - most.value;
  return (
    <>
      <ul class="tree">
        {nodes.slice(0, most.value).map((node) => (
          <li key={node.path}>
            {node.children.length === 0 ? <Line node={node} {...more} /> : <Folder node={node} {...more} />}
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button type="button" onClick={() => (most.value += mostShown)}>
          Show more: {left} of {nodes.length} are not shown
        </button>
      )}
    </>
  );
}

type NodeProps = Omit<EntriesProps, "nodes"> & { readonly node: Node };

function Folder({ node, ...more }: NodeProps) {
  const isOpen = more.isOpen && !node.name.split("/").includes("node_modules");
  const wasOpen = useSignal(isOpen);
  return (
    <details open={isOpen} onToggle={() => (wasOpen.value = true)}>
      <summary>
        <code>{node.name}/</code> <small>{countText(node.paths.length, "change")}</small>
      </summary>
      {more.mayAnswer && node.paths.length > 1 && (
        <Check node={node} chosen={more.chosen} label={`All in ${node.path}/`} isShown />
      )}
      {node.change !== undefined && <Line node={node} {...more} />}
      {wasOpen.value && <Entries nodes={node.children} {...more} />}
    </details>
  );
}

function Line({ node, chosen, open, conflicts, mayAnswer }: NodeProps) {
  const change = node.change!;
  return (
    <div class="entry-line">
      {mayAnswer && (
        <Check node={{ ...node, paths: [node.path] }} chosen={chosen} label={`Choose ${node.path}`} />
      )}
      <button
        type="button"
        class="plain"
        aria-pressed={open.value === node.path}
        onClick={() => (open.value = node.path)}
      >
        {change.change}{" "}
        <code>
          {node.name}
          {change.kind === "folder" ? "/" : ""}
        </code>
      </button>
      <small>{factsOf(change)}</small>
      {conflicts.has(node.path) && <span class="chip bad">you changed it, too</span>}
      {countHidden(node.path) > 0 && <span class="chip bad">name with hidden characters</span>}
    </div>
  );
}

/**
 * Returns short facts about an entry: its other name if it was moved, its lines or size, the change of its mode, and its kind.
 */
function factsOf({ change, moved, lines, kind, bytes, mode }: LayerChange): string {
  const size = lines === null && kind !== "folder" ? countText(bytes, "byte") : "";
  const count = lines === null ? size : `+${lines.added} −${lines.removed}`;
  const name = moved === null ? "" : `${change === "delete" ? "is now" : "was"} ${escapeHidden(moved)}`;
  return [
    name,
    count,
    mode === null ? "" : `mode ${mode.before} → ${mode.after}`,
    kind === "file" ? "" : kind,
  ]
    .filter(Boolean)
    .join(" · ");
}

interface CheckProps {
  readonly node: Pick<Node, "paths">;
  readonly chosen: Choosing["chosen"];
  readonly label: string;
  readonly isShown?: boolean;
}

function Check({ node: { paths }, chosen, label, isShown = false }: CheckProps) {
  const count = paths.filter((path) => chosen.value.has(path)).length;
  const toggle = () => {
    const next = new Set(chosen.value);
    for (const path of paths)
      if (count === paths.length) next.delete(path);
      else next.add(path);
    chosen.value = next;
  };
  return (
    <label>
      <input
        type="checkbox"
        checked={count === paths.length}
        indeterminate={count > 0 && count < paths.length}
        onChange={toggle}
        aria-label={isShown ? undefined : label}
      />
      {isShown && ` ${label}`}
    </label>
  );
}
