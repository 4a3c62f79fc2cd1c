import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { openEngine } from "../src/sandbox/engine.ts";
import type { Turn } from "../src/sandbox/messages.ts";
import { Program } from "../src/sandbox/program.ts";
import { webAssembly } from "../src/sandbox/web-assembly.ts";

let compiled: object;
beforeAll(async () => {
  const file = fileURLToPath(import.meta.resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm"));
  compiled = await webAssembly.compile(await readFile(file));
});

/** A program in an engine of this thread, and the turns that it reports. */
async function begin(source: string, more: { now?: number; seed?: number; maxSteps?: number } = {}) {
  const turns: Turn[] = [];
  const engine = await openEngine({ compiled, memoryMb: 8 });
  const start = { type: "start", source, names: ["add", "send"], now: null, seed: 0, maxSteps: 100 } as const;
  const program = new Program(engine, { ...start, ...more }, (turn) => void turns.push(turn));
  const answer = (id: number, given: unknown) => {
    program.answer({ type: "answer", id, data: JSON.stringify(given) });
    return turns.splice(0);
  };
  const fail = (id: number, error: string, code: string) => {
    program.answer({ type: "answer", id, error, code });
    return turns.splice(0);
  };
  return { answer, fail, turns: turns.splice(0) };
}

const turn = (more: Partial<Turn>): Turn => ({ type: "turn", requests: [], output: "", end: null, ...more });

describe("a program", () => {
  test("reports the calls that it waits for, and ends when all have answers", async () => {
    const { turns, answer } = await begin(
      "console.log('begins');\nconst all = [tools.add({ a: 1 }),\n  tools.send()];\nconst [a] = await Promise.all(all);\nconsole.log(a);\nreturn a",
    );
    const requests = [
      { id: 1, name: "add", arguments: '{"a":1}', line: 2 },
      { id: 2, name: "send", arguments: "{}", line: 3 },
    ];
    expect(turns).toEqual([turn({ requests, output: "begins\n" })]);
    expect(answer(2, "sent")).toEqual([turn({})]);
    expect(answer(1, [7])).toEqual([turn({ output: "[7]\n", end: { value: "[7]" } })]);
  });

  test("takes one answer for each call, and none after its end", async () => {
    const { answer, fail } = await begin(
      "void tools.send();\nconst got = await tools.add();\nif (got > 1) await tools.add();\nreturn got",
    );
    expect(answer(7, "unknown")).toEqual([]);
    expect(answer(2, 5)).toEqual([turn({ requests: [{ id: 3, name: "add", arguments: "{}", line: 3 }] })]);
    expect(answer(2, 6)).toEqual([]);
    expect(fail(3, "no", "X")).toEqual([
      turn({ end: { thrown: { name: "ToolError", message: "no", code: "X", line: 3, column: 26 } } }),
    ]);
    expect(answer(1, "late")).toEqual([]);
  });

  test("that has ended is found when the calls of its last turn are made", async () => {
    const { turns, answer } = await begin("void tools.send(); return 1");
    const requests = [{ id: 1, name: "send", arguments: "{}", line: 1 }];
    expect(turns).toEqual([turn({ requests })]);
    expect(answer(1, null)).toEqual([turn({ end: { value: "1" } })]);
  });

  test("that waits for nothing that comes is stuck, but not while a call runs", async () => {
    const source = "void tools.send(); await new Promise(() => {})";
    const { turns, answer } = await begin(source);
    expect(turns).toEqual([turn({ requests: [{ id: 1, name: "send", arguments: "{}", line: 1 }] })]);
    expect(answer(1, null)).toEqual([turn({ end: { limit: "stuck" } })]);
  });

  test("says where it was last known to be when it computed for too long", async () => {
    const { turns } = await begin("let a = 1;\nfor (;;) a++;", { maxSteps: 3 });
    expect(turns).toEqual([turn({ end: { limit: "steps", line: 1, column: 1 } })]);
    const after = await begin("await tools.add();\nfor (;;);", { maxSteps: 3 });
    expect(after.answer(1, 1)).toEqual([turn({ end: { limit: "steps", line: 1, column: 13 } })]);
  });

  test("has the time and the chance that it is given", async () => {
    const source = "return [Date.now(), new Date().getTime(), Math.random(), Math.random(), Math.random()]";
    const values = async (now: number, seed: number) => {
      const { turns } = await begin(source, { now, seed });
      return JSON.parse((turns[0]!.end as { value: string }).value) as number[];
    };
    const [first, again, other] = [await values(5, 1), await values(5, 1), await values(6, 2 ** 32 - 1)];
    // Mulberry32, a published generator, begins so with the seed 1.
    expect(first).toEqual([5, 5, 0.6270739405881613, 0.002735721180215478, 0.5274470399599522]);
    expect(again).toEqual(first);
    expect(other).toEqual([6, 6, 0.8964226141106337, 0.189478256739676, 0.7156526781618595]);
  });

  test("that answers fill its memory ends", async () => {
    const { answer } = await begin("const all = []; for (;;) all.push(await tools.add())");
    let ends: Turn[] = [];
    let id = 0;
    while (ends[0]?.end === undefined || ends[0].end === null)
      ends = answer((id += 1), "x".repeat(1_000_000));
    expect(ends).toEqual([turn({ end: { limit: "memory" } })]);
    expect(id).toBeGreaterThan(2);
  });
});
