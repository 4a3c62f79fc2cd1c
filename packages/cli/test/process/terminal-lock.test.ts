import fc from "fast-check";
import { expect, test } from "vitest";
import { createTerminalLock } from "../../src/process/terminal-lock.ts";

/** A question that has the terminal until it is answered. */
function question() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { work: () => promise, answer: () => resolve("yes"), leave: () => reject(new Error("left")) };
}

const settled = () => new Promise((resolve) => void setImmediate(resolve));

test("what is written while a question has the terminal is written after it, in its order", async () => {
  const lock = createTerminalLock();
  const lines: string[] = [];
  const write = (line: string) => lock.write(() => void lines.push(line));
  const first = question();
  write("before");
  const answered = lock.alone(first.work);
  write("a");
  write("b");
  expect(lines).toEqual(["before"]);
  first.answer();

  expect(await answered).toBe("yes");
  expect(lines).toEqual(["before", "a", "b"]);
});

test("a question that fails gives the terminal to the next one", async () => {
  const lock = createTerminalLock();
  const [first, second] = [question(), question()];
  const [left, answered] = [lock.alone(first.work), lock.alone(second.work)];
  first.leave();
  second.answer();

  await expect(left).rejects.toThrow("left");
  expect(await answered).toBe("yes");
});

test("what runs while the terminal is free stops for a question, and begins again after it", async () => {
  const lock = createTerminalLock();
  const steps: string[] = [];
  const begin = () => (steps.push("begin"), () => void steps.push("stop"));
  const [first, second] = [question(), question()];
  const end = lock.whileFree(begin);
  const answered = lock.alone(first.work);
  expect(steps).toEqual(["begin", "stop"]);
  first.answer();
  await answered;
  expect(steps).toEqual(["begin", "stop", "begin"]);
  end();
  expect(steps).toEqual(["begin", "stop", "begin", "stop"]);
  const later = lock.alone(second.work);
  const endLater = lock.whileFree(begin);
  endLater();
  second.answer();
  await later;

  expect(steps).toHaveLength(4);
});

const step = fc.record({ do: fc.constantFrom("write", "ask", "spin", "rest", "answer", "leave") });

test("in any order of steps, one question at a time has the terminal alone, and no line is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const lock = createTerminalLock();
      const open: ReturnType<typeof question>[] = [];
      const lines: number[] = [];
      const clashes: string[] = [];
      let [written, asking, spinning] = [0, 0, 0];
      let rest: (() => void) | null = null;
      const needsFree = (what: string) => asking + (what === "ask" ? spinning : 0) > 0 && clashes.push(what);
      const write = (line: number) => lock.write(() => (needsFree("write"), void lines.push(line)));
      const spin = () => (needsFree("spin"), spinning++, () => void spinning--);
      const ask = (one = question()) => {
        open.push(one);
        const work = () => (needsFree("ask"), asking++, one.work().finally(() => void asking--));
        lock.alone(work).catch(() => {});
      };
      for (const { do: what } of steps) {
        if (what === "write") write(written++);
        if (what === "ask") ask();
        if (what === "spin") rest ??= lock.whileFree(spin);
        if (what === "rest") rest = (rest?.(), null);
        if (what === "answer" || what === "leave") open.shift()?.[what]();
        await settled();
        expect(asking).toBe(open.length > 0 ? 1 : 0);
        expect(spinning).toBe(rest !== null && open.length === 0 ? 1 : 0);
      }
      for (const { answer } of open) answer();
      await settled();
      expect(lines).toEqual(Array.from({ length: written }, (_, at) => at));
      expect(clashes).toEqual([]);
    }),
  );
});
