import type { EvalExpectation } from "./judge-turn.ts";

/** One evaluation that was run. */
export interface EvalChoice {
  readonly expect: EvalExpectation;
  /** The tools that the model called, in order. */
  readonly chosen: readonly string[];
}

/** How often a tool was chosen, over all evaluations. */
export interface ToolChoices {
  readonly tool: string;
  /** How often it was expected. */
  readonly expected: number;
  /** How often it was called where it was expected. */
  readonly chosen: number;
  /** Tools that were called in its place, and how often. */
  readonly confused: Readonly<Record<string, number>>;
  /** How often nothing was called in its place. */
  readonly missed: number;
  /** How often it was called where no tool was missing. */
  readonly extra: number;
}

/** Two tools that a model confused, and how often, in either direction. */
export interface Overlap {
  readonly tools: readonly [string, string];
  readonly count: number;
}

interface Row {
  expected: number;
  chosen: number;
  readonly confused: Map<string, number>;
  missed: number;
  extra: number;
}

/** Counts which tools were chosen, confused and missed, by name. Evaluations that expect no tools are not counted. */
export function countChoices(evaluations: readonly EvalChoice[]): ToolChoices[] {
  const rows = new Map<string, Row>();
  const rowOf = (tool: string): Row => {
    const row = rows.get(tool) ?? { expected: 0, chosen: 0, confused: new Map(), missed: 0, extra: 0 };
    rows.set(tool, row);
    return row;
  };
  for (const { expect, chosen } of evaluations) {
    const wanted = wantedTools(expect, chosen);
    if (wanted !== null) countOne(wanted, chosen, rowOf);
  }
  return [...rows]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([tool, { confused, ...row }]) => ({ tool, ...row, confused: Object.fromEntries(confused) }));
}

/** The list of tools that a choice is compared with: of several, the nearest. */
function wantedTools(expect: EvalExpectation, chosen: readonly string[]): readonly string[] | null {
  const lists = expect.oneOf ?? [expect.tools ?? expect.calls?.map(({ tool }) => tool)];
  const known = lists.filter((list) => list !== undefined);
  const distance = (list: readonly string[]) => remove(list, chosen).length + remove(chosen, list).length;
  return known.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}

function countOne(wanted: readonly string[], chosen: readonly string[], rowOf: (tool: string) => Row): void {
  const missing = remove(wanted, chosen);
  const others = remove(chosen, wanted);
  for (const tool of wanted) rowOf(tool).expected += 1;
  for (const tool of remove(wanted, missing)) rowOf(tool).chosen += 1;
  for (const [at, tool] of missing.entries()) {
    const other = others[at];
    const row = rowOf(tool);
    if (other === undefined) row.missed += 1;
    else row.confused.set(other, (row.confused.get(other) ?? 0) + 1);
  }
  for (const tool of others.slice(missing.length)) rowOf(tool).extra += 1;
}

/** A list without the members of another one, each as often as that one has it. */
function remove(from: readonly string[], others: readonly string[]): string[] {
  const rest = [...others];
  return from.filter((tool) => {
    const at = rest.indexOf(tool);
    if (at < 0) return true;
    rest.splice(at, 1);
    return false;
  });
}

/** The pairs of tools that were confused, most often first. */
export function findOverlaps(rows: readonly ToolChoices[]): Overlap[] {
  const counts = new Map<string, Overlap>();
  for (const { tool, confused } of rows)
    for (const [other, count] of Object.entries(confused)) {
      const tools = tool < other ? ([tool, other] as const) : ([other, tool] as const);
      const key = JSON.stringify(tools);
      counts.set(key, { tools, count: (counts.get(key)?.count ?? 0) + count });
    }
  return [...counts.values()].toSorted((one, other) => other.count - one.count);
}
