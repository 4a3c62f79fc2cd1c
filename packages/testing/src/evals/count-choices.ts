import type { EvalExpectation } from "./judge-turn.ts";

/** An evaluation that was run. */
export interface EvalChoice {
  readonly expect: EvalExpectation;
  /** The tools that the model called, in order. */
  readonly chosen: readonly string[];
}

/** How often a tool was chosen, over all evaluations. */
export interface ToolChoices {
  readonly tool: string;
  /** How often the tool was expected. */
  readonly expected: number;
  /** How often the tool was called when it was expected. */
  readonly chosen: number;
  /** Tools that were called instead of this tool, and how often. */
  readonly confused: Readonly<Record<string, number>>;
  /** How often the tool was expected, but neither it nor another tool instead of it was called. */
  readonly missed: number;
  /** How often the tool was called although no expected tool was missing. */
  readonly extra: number;
}

/** Two tools that a model confused with each other, and how often in both directions together. */
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

/** Returns the list of tools with which a choice is compared. Of several allowed lists, it is the most similar. */
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

/** Returns a list without the members of another list; each occurrence there removes one here. */
function remove(from: readonly string[], others: readonly string[]): string[] {
  const rest = [...others];
  return from.filter((tool) => {
    const at = rest.indexOf(tool);
    if (at < 0) return true;
    rest.splice(at, 1);
    return false;
  });
}

/** Returns the pairs of tools that were confused, the most frequent first. */
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
