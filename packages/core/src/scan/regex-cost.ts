import { overlap, parsePattern, type PatternNode, type Ranges } from "./regex-syntax.ts";

/** Repetitions up to this many are written out; more count as endless. */
const writtenOut = 9;

/** Patterns of more places than this are not looked through. */
const maxPlaces = 160;

/**
 * Says why matching a pattern can take time that doubles with each character, or null when it cannot.
 *
 * JavaScript's matcher tries every way to read a text. It is exponential when some place of the pattern can be reached
 * again from itself in two ways by the same text; that is searched for in the pattern's position automaton.
 * Source: Weideman and others, "Analyzing Matching Time Behavior of Backtracking Regular Expression Matchers" (2016).
 */
export function findCostlyPattern(source: string): string | null {
  try {
    void new RegExp(source, "u");
  } catch {
    try {
      void new RegExp(source);
    } catch {
      return "is not a regular expression";
    }
  }
  if (source.length > 2_000) return "is too long to be judged";
  const automaton = new Automaton();
  const whole = automaton.build(parsePattern(source));
  if (whole === null) return null;
  return automaton.isAmbiguousInACircle() ? "can take exponential time to match" : null;
}

/** What a part of a pattern can begin and end with, as places, and whether it can be empty. */
interface Part {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const empty: Part = { nullable: true, first: [], last: [] };

/** Glushkov's automaton: one state for each place where a character is read, and how often one follows another. */
class Automaton {
  readonly #sets: Ranges[] = [];
  /** For each place, the places after it, with the number of ways. */
  readonly #follow: Map<number, number>[] = [];

  /** Null when the pattern has too many places. */
  build(node: PatternNode): Part | null {
    switch (node.kind) {
      case "empty":
        return empty;
      case "set":
        return this.#place(node.ranges);
      case "sequence":
        return this.#sequence(node.items);
      case "choice":
        return this.#choice(node.items);
      case "repeat":
      default:
        return this.#repeat(node.item, node.min, node.max);
    }
  }

  #place(ranges: Ranges): Part | null {
    if (this.#sets.length >= maxPlaces) return null;
    const at = this.#sets.push(ranges) - 1;
    this.#follow.push(new Map());
    return { nullable: false, first: [at], last: [at] };
  }

  #sequence(items: readonly PatternNode[]): Part | null {
    let whole = empty;
    for (const item of items) {
      const part = this.build(item);
      if (part === null) return null;
      whole = this.#join(whole, part);
    }
    return whole;
  }

  #join(before: Part, after: Part): Part {
    this.#link(before.last, after.first);
    return {
      nullable: before.nullable && after.nullable,
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
    };
  }

  #choice(items: readonly PatternNode[]): Part | null {
    const parts = items.map((item) => this.build(item));
    if (parts.includes(null)) return null;
    const built = parts as readonly Part[];
    return {
      nullable: built.some(({ nullable }) => nullable),
      first: built.flatMap(({ first }) => first),
      last: built.flatMap(({ last }) => last),
    };
  }

  #repeat(item: PatternNode, min: number, max: number): Part | null {
    if (max > writtenOut) {
      const part = this.build(item);
      if (part === null) return null;
      this.#link(part.last, part.first);
      return { ...part, nullable: part.nullable || min === 0 };
    }
    let whole = empty;
    for (let count = 1; count <= max; count++) {
      const part = this.build(item);
      if (part === null) return null;
      whole = this.#join(whole, count > min ? { ...part, nullable: true } : part);
    }
    return whole;
  }

  #link(from: readonly number[], to: readonly number[]): void {
    for (const before of from)
      for (const after of to) this.#follow[before]!.set(after, (this.#follow[before]!.get(after) ?? 0) + 1);
  }

  /** Whether a place is reached again from itself in two ways by one text. */
  isAmbiguousInACircle(): boolean {
    const count = this.#sets.length;
    const circles = components(count, (place) => [...this.#follow[place]!.keys()]);
    for (let place = 0; place < count; place++)
      for (const [after, ways] of this.#follow[place]!)
        if (ways > 1 && circles[place] === circles[after]) return true;
    const pairs = components(count * count, (pair) => this.#pairsAfter(pair, count));
    const diagonal = new Set(Array.from({ length: count }, (_, place) => pairs[place * count + place]));
    return pairs.some(
      (component, pair) => Math.floor(pair / count) !== pair % count && diagonal.has(component),
    );
  }

  /** Two readings of a text go on together when the next character fits both. */
  #pairsAfter(pair: number, count: number): number[] {
    const after: number[] = [];
    for (const left of this.#follow[Math.floor(pair / count)]!.keys())
      for (const right of this.#follow[pair % count]!.keys())
        if (overlap(this.#sets[left]!, this.#sets[right]!)) after.push(left * count + right);
    return after;
  }
}

/** The strongly connected component of each node, by Tarjan's algorithm without recursion. */
function components(count: number, after: (node: number) => readonly number[]): readonly number[] {
  const order = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const found: number[] = Array.from({ length: count }, () => -1);
  const stack: number[] = [];
  let next = 0;
  let made = 0;
  for (let start = 0; start < count; start++) {
    if (order[start] !== -1) continue;
    const work: { node: number; edges: readonly number[]; at: number }[] = [];
    const enter = (node: number) => {
      order[node] = low[node] = next++;
      stack.push(node);
      work.push({ node, edges: after(node), at: 0 });
    };
    enter(start);
    while (work.length > 0) {
      const frame = work.at(-1)!;
      const { node } = frame;
      if (frame.at < frame.edges.length) {
        const target = frame.edges[frame.at++]!;
        if (order[target] === -1) enter(target);
        else if (found[target] === -1) low[node] = Math.min(low[node]!, order[target]!);
        continue;
      }
      work.pop();
      if (work.length > 0) low[work.at(-1)!.node] = Math.min(low[work.at(-1)!.node]!, low[node]!);
      if (low[node] !== order[node]) continue;
      for (let member = -1; member !== node;) found[(member = stack.pop()!)] = made;
      made++;
    }
  }
  return found;
}
