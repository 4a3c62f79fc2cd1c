/** A line of a difference. If it was compared with another line, `isChanged` marks the words that differ. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly parts: readonly { readonly text: string; readonly isChanged: boolean }[];
}

/**
 * Maximum number of pairs of lines or words that are compared. For longer texts, everything between an equal beginning and an
 * equal end is shown as removed and added.
 */
const maxPairs = 4_000_000;

/** Compares two texts line by line. Lines that changed are compared word by word. */
export function differenceOf(before: string, after: string): readonly DiffLine[] {
  const steps = compare(linesOf(before), linesOf(after));
  const lines: DiffLine[] = [];
  for (let at = 0; at < steps.length;) {
    if (steps[at]!.kind === "same") {
      lines.push(plain("same", steps[at]!.text));
      at += 1;
      continue;
    }
    const end = endOfChange(steps, at);
    lines.push(...changedLines(steps.slice(at, end)));
    at = end;
  }
  return lines;
}

interface Step {
  readonly kind: DiffLine["kind"];
  readonly text: string;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function endOfChange(steps: readonly Step[], from: number): number {
  const end = steps.findIndex(({ kind }, at) => at >= from && kind === "same");
  return end === -1 ? steps.length : end;
}

const plain = (kind: DiffLine["kind"], text: string): DiffLine => ({
  kind,
  parts: [{ text, isChanged: false }],
});

/** Returns the removed lines, then the added ones. The first removed line is compared with the first added one, and so on. */
function changedLines(steps: readonly Step[]): readonly DiffLine[] {
  const removed = steps.filter(({ kind }) => kind === "removed").map(({ text }) => text);
  const added = steps.filter(({ kind }) => kind === "added").map(({ text }) => text);
  const pairs = removed.map((text, at) => (at < added.length ? compareWords(text, added[at]!) : null));
  return [
    ...removed.map((text, at) => pairs[at]?.[0] ?? plain("removed", text)),
    ...added.map((text, at) => pairs[at]?.[1] ?? plain("added", text)),
  ];
}

/** Compares the words of two lines. Returns null if they have too little in common for marks to be useful. */
function compareWords(before: string, after: string): [DiffLine, DiffLine] | null {
  const words = (text: string) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
  const steps = compare(words(before), words(after));
  const same = steps.filter(({ kind, text }) => kind === "same" && text.trim() !== "");
  const length = same.reduce((sum, { text }) => sum + text.length, 0);
  if (length * 3 < Math.max(before.trim().length, after.trim().length)) return null;
  const side = (kind: "removed" | "added"): DiffLine => ({
    kind,
    parts: steps
      .filter((step) => step.kind === "same" || step.kind === kind)
      .map((step) => ({ text: step.text, isChanged: step.kind === kind })),
  });
  return [side("removed"), side("added")];
}

/** Returns the steps that turn one list into the other: the fewest, unless the lists are too long to compare. */
function compare(before: readonly string[], after: readonly string[]): readonly Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (text: string): Step => ({ kind: "same", text });
  return [
    ...before.slice(0, start).map(same),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[]): readonly Step[] {
  const removed = (text: string): Step => ({ kind: "removed", text });
  const added = (text: string): Step => ({ kind: "added", text });
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > maxPairs || rows === 0 || columns === 0)
    return [...before.map(removed), ...after.map(added)];
  const lengths = commonLengths(before, after);
  const steps: Step[] = [];
  for (let [row, column] = [0, 0]; row < rows || column < columns;) {
    const width = columns + 1;
    const down = row < rows ? lengths[(row + 1) * width + column]! : -1;
    const right = column < columns ? lengths[row * width + column + 1]! : -1;
    if (row < rows && column < columns && before[row] === after[column]) {
      steps.push({ kind: "same", text: before[row]! });
      row += 1;
      column += 1;
    } else if (down >= right) steps.push(removed(before[row++]!));
    else steps.push(added(after[column++]!));
  }
  return steps;
}

/**
 * Returns the lengths of the longest common subsequences. The entry `row * (after.length + 1) + column` is for what follows these
 * positions in both lists.
 */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        before[row] === after[column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
  return lengths;
}

/** Returns the edits in the arguments of a call: pairs of an old and a new text. */
export function editsOf(given: Readonly<Record<string, unknown>>): { before: string; after: string }[] {
  const list: unknown[] = Array.isArray(given["edits"]) ? given["edits"] : [given];
  return list.flatMap((edit) => {
    const { old_string: before, new_string: after } = (edit ?? {}) as Readonly<Record<string, unknown>>;
    return typeof before === "string" && typeof after === "string" ? [{ before, after }] : [];
  });
}
