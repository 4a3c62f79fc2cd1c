/** A program of so many calls or a few more: in order, side by side, and by what came before. Equal seeds make equal programs. */
export function programOf(seed: number, calls: number): string {
  const next = numbers(seed);
  const parts: string[] = [];
  for (let n = 0; n < calls;) {
    const shape = shapes[next(shapes.length)]!;
    const size = 1 + next(6);
    parts.push(shape(n, size));
    n += size;
  }
  return `${prelude}${parts.join("\n")}\nreturn log;\n`;
}

const prelude = `
const log: unknown[] = [];
async function note(n: number) {
  try { await tools.note({ n }); log.push({ n, code: "ok" }); }
  catch (error) { log.push({ n, code: error.code }); }
}
async function look(n: number) { log.push(await tools.look({ n })); }
`;

type Shape = (from: number, size: number) => string;

const list = (from: number, size: number) =>
  `[${Array.from({ length: size }, (_, at) => from + at).join(", ")}]`;

const shapes: readonly Shape[] = [
  (from, size) => `for (const n of ${list(from, size)}) await note(n);`,
  (from, size) => `for (const n of ${list(from, size)}) await look(n);`,
  // What ends first is logged first, and the calls after it depend on that.
  (from, size) => `await Promise.all(${list(from, size)}.map(note));`,
  (from, size) => `await Promise.all(${list(from, size)}.map((n) => (n % 2 ? note(n) : look(n))));`,
  (from, size) =>
    `await Promise.all(${list(from, size)}.map(async (n) => { await look(n); await note(n + 1000 * log.length); }));`,
  (from, size) =>
    `for (const n of ${list(from, size)}) if (Math.random() < 0.5) await note(n); else await look(n + (Date.now() % 3));`,
  (from, size) =>
    `{ const all = ${list(from, size)}.map((n) => look(n).then(() => note(n + 100 * log.length))); await note(${from} + 5_000); await Promise.all(all); }`,
];

/** Numbers below a bound, the same for the same seed (a linear congruential generator). */
export function numbers(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}
