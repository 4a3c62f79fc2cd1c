/** Maximum number of names in a hint. */
const shown = 3;

/**
 * Returns at most three candidates that are spelled like `name`, nearest first. Case, `-` and `_` do not count.
 *
 * A candidate that is a whole part of the name is near; so is one with at most one edit per four characters: a letter added,
 * missing or wrong, or two letters swapped. Names longer than 128 characters have no near names.
 */
export function nearestNames(name: string, candidates: Iterable<string>): string[] {
  if (name.length > 128) return [];
  const all = [...new Set(candidates)];
  // Models sometimes write the name of a tool within other words, for example functions.read_file.
  const parts = new Set(name.split(/[^\w-]+/));
  const inside = all.filter(
    (candidate) => candidate.length > 2 && candidate !== name && parts.has(candidate),
  );
  if (inside.length > 0) return inside.toSorted((a, b) => b.length - a.length).slice(0, shown);
  const plain = simplify(name);
  const allowed = Math.max(1, Math.floor(plain.length / 4));
  return all
    .filter((candidate) => Math.abs(candidate.length - name.length) <= allowed + 2)
    .map((candidate) => ({ candidate, edits: countEdits(plain, simplify(candidate)) }))
    .filter(({ edits }) => edits <= allowed)
    .toSorted((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, shown)
    .map(({ candidate }) => candidate);
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** Counts the edits between two texts. A swap of neighbours is one edit (optimal string alignment). */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
