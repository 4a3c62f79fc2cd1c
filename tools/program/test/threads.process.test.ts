import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Threads } from "../src/index.ts";

type Call = Parameters<Threads["run"]>[1];

/** Threads for programs, those that were opened, and a short way to run a program. */
function opened(mostRunning?: number) {
  const threads = new Threads(4, mostRunning);
  const workers: Worker[] = [];
  const note = (worker: Worker) => void workers.push(worker);
  process.on("worker", note);
  onTestFinished(async () => {
    ended += 1;
    vi.useRealTimers();
    process.off("worker", note);
    void threads.close(); // may never settle where a test of it fails
    await Promise.all(workers.map((worker) => worker.terminate()));
  });
  const run = (source: string, call: Call = refuse, signal = new AbortController().signal) =>
    threads.run({ source, names: ["ask"], now: null, seed: 0, maxSteps: 10_000_000 }, call, signal);
  return { threads, workers, run };
}

const refuse: Call = () => Promise.reject(new Error("no call was expected"));

/** Calls that wait for their answers. */
function waiting() {
  const asked: Parameters<Call>[0][] = [];
  const answers: (() => void)[] = [];
  const call: Call = (request) => {
    asked.push(request);
    return new Promise((resolve) => {
      answers.push(() => resolve({ type: "answer", id: request.id, data: String(asked.length) }));
    });
  };
  return { asked, answers, call };
}

/** How many tests have ended: a test that failed while it waited must not go on waiting. */
let ended = 0;

/** Waits without a timer, which a test may have replaced. */
async function until(isSo: () => boolean): Promise<void> {
  for (const before = ended; !isSo(); await turn())
    if (ended !== before) throw new Error("the test has ended");
}

const isEnded = ({ threadId }: Worker) => threadId === -1;
const fakeTimers = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

describe("the thread of the next program", () => {
  test("is opened when one has run for 100 milliseconds, and not before", async () => {
    fakeTimers();
    const { threads, workers, run } = opened();
    const { asked, answers, call } = waiting();
    const first = run("return await tools.ask({})", call);
    await until(() => asked.length === 1);
    vi.advanceTimersByTime(99);
    await turn();
    expect(workers).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await until(() => workers.length === 2);
    answers[0]!();
    expect(await first).toEqual({ end: { value: "1" }, output: "" });
    expect(vi.getTimerCount()).toBe(0);
    await until(() => isEnded(workers[0]!));
    expect(workers).toHaveLength(2);
    // The second one takes it, and leaves one for the third.
    expect(await run("return 2")).toEqual({ end: { value: "2" }, output: "" });
    await until(() => workers.length === 3);
    await until(() => isEnded(workers[1]!));
    await threads.close();
    expect(workers.map(isEnded)).toEqual([true, true, true]);
  });

  test("is not opened once they are closed", async () => {
    fakeTimers();
    const { threads, workers, run } = opened();
    const { asked, answers, call } = waiting();
    const running = run("return await tools.ask({})", call);
    await until(() => asked.length === 1);
    const closed = threads.close();
    answers[0]!();
    expect(await running).toEqual({ end: { value: "1" }, output: "" });
    await closed;
    for (let turns = 0; turns < 9; turns++) await turn();
    expect(workers.map(isEnded)).toEqual([true]);
  });

  test.each<[string, (worker: Worker) => unknown]>([
    ["that ends before its program comes", (worker) => worker.terminate()],
    ["that fails before its program comes", (worker) => worker.postMessage(null, [])],
  ])("%s is replaced", async (_, end) => {
    const { workers, run } = opened();
    await run("return 1");
    await until(() => workers.length === 2);
    const [, spare] = workers;
    await once(spare!, "message");
    end(spare!);
    await until(() => isEnded(spare!));
    expect(await run("return 2")).toEqual({ end: { value: "2" }, output: "" });
  });
});

describe("a program", () => {
  test("that says nothing for twenty seconds while it computes is ended", async () => {
    fakeTimers();
    const { workers, run } = opened();
    const { asked, answers, call } = waiting();
    const running = run("await tools.ask({}); for (;;);", call);
    await until(() => asked.length === 1);
    // It waits for an answer: that is not its time.
    vi.advanceTimersByTime(60_000);
    await turn();
    answers[0]!();
    const onEnd = vi.fn<(reason: unknown) => void>();
    const end = running.catch(onEnd);
    await turn();
    vi.advanceTimersByTime(19_999);
    await turn();
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await end;
    expect(onEnd.mock.calls).toEqual([[new Error("it computed for too long")]]);
    await until(() => isEnded(workers[0]!));
  });

  test.each<[string, (worker: Worker) => unknown, string]>([
    ["ends", (worker) => worker.terminate(), "its thread ended with 1"],
    ["fails", (worker) => worker.postMessage(null, []), "Cannot read properties of null (reading 'type')"],
  ])("whose thread %s is over, and the next one is not", async (_, end, message) => {
    const { workers, run } = opened();
    const { asked, call } = waiting();
    const running = run("await tools.ask({})", call);
    await until(() => asked.length === 1);
    end(workers[0]!);
    await expect(running).rejects.toThrow(expect.objectContaining({ message }));
    expect(await run("return 2")).toEqual({ end: { value: "2" }, output: "" });
  });

  test("whose thread ends while it is opened is over, and the next one is not", async () => {
    const { workers, run } = opened();
    const running = run("return 1");
    await until(() => workers.length === 1);
    void workers[0]!.terminate();
    await expect(running).rejects.toThrow(/^its thread ended with [01]$/);
    expect(await run("return 2")).toEqual({ end: { value: "2" }, output: "" });
  });

  test("that asks for more memory than the engine can have says so, and the next one does, too", async () => {
    const threads = new Threads(100_000);
    onTestFinished(() => threads.close());
    const run = () =>
      threads.run(
        { source: "return 1", names: [], now: null, seed: 0, maxSteps: 1 },
        refuse,
        new AbortController().signal,
      );
    for (let times = 0; times < 2; times++)
      await expect(run()).rejects.toThrow(/^WebAssembly\.Memory\(\): .*'maximum'/);
  });

  test("that is cancelled ends with the reason, and leaves nothing at the signal", async () => {
    const { workers, run } = opened();
    const { asked, call } = waiting();
    const caller = new AbortController();
    const removed = vi.spyOn(caller.signal, "removeEventListener");
    const reason = new Error("the person went home");
    const running = run("await tools.ask({})", call, caller.signal);
    await until(() => asked.length === 1);
    caller.abort(reason);
    await expect(running).rejects.toBe(reason);
    await until(() => isEnded(workers[0]!));
    expect(removed.mock.calls.map(([type]) => type)).toEqual(["abort"]);
    await expect(run("return 1", call, caller.signal)).rejects.toBe(reason);
    // While its thread was being opened.
    const second = new AbortController();
    const opening = run("await tools.ask({})", call, second.signal);
    second.abort(reason);
    await expect(opening).rejects.toBe(reason);
    expect(asked).toHaveLength(1);
  });

  test("whose call may not be made ends once the calls before it have ended", async () => {
    const { run } = opened();
    const { answers, call } = waiting();
    const reasons = [new Error("the second"), new Error("the third")];
    let calls = 0;
    const running = run("return await Promise.all([1, 2, 3].map(() => tools.ask({})))", (request) =>
      (calls += 1) === 1 ? call(request) : Promise.reject(reasons[calls - 2]!),
    );
    const onEnd = vi.fn<(reason: unknown) => void>();
    const end = running.catch(onEnd);
    await until(() => calls === 3);
    await turn();
    expect(onEnd).not.toHaveBeenCalled();
    answers[0]!();
    await end;
    expect(onEnd.mock.calls).toEqual([[reasons[0]]]);
  });

  test("that ends while its calls run waits for them", async () => {
    const { run } = opened();
    const { asked, answers, call } = waiting();
    const onEnd = vi.fn<(end: unknown) => void>();
    const running = run("console.log('a'); void tools.ask({}); return 7", call).then(onEnd);
    await until(() => asked.length === 1);
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(onEnd).not.toHaveBeenCalled();
    answers[0]!();
    await running;
    expect(onEnd.mock.calls).toEqual([[{ end: { value: "7" }, output: "a\n" }]]);
    expect(asked).toEqual([{ id: 1, name: "ask", arguments: "{}", line: 1 }]);
  });
});

test("programs beyond the most that run come in their order, and one that is cancelled leaves its place", async () => {
  const { run } = opened(2);
  const { asked, answers, call } = waiting();
  const start = (at: string, signal?: AbortSignal) =>
    run(`return await tools.ask({ at: "${at}" })`, call, signal);
  const caller = new AbortController();
  const running = [start("a"), start("b")];
  const cancelled = start("c", caller.signal);
  running.push(start("d"), start("e"));
  await until(() => asked.length === 2);
  for (let turns = 0; turns < 50; turns++) await turn();
  expect(asked).toHaveLength(2);
  caller.abort(new Error("not any more"));
  await expect(cancelled).rejects.toThrow(expect.objectContaining({ message: "not any more" }));
  answers[0]!();
  await until(() => asked.length === 3);
  answers[1]!();
  await until(() => asked.length === 4);
  const order = asked.map((request) => (JSON.parse(request.arguments) as { at: string }).at);
  expect([order.slice(0, 2).toSorted(), order.slice(2)]).toEqual([
    ["a", "b"],
    ["d", "e"],
  ]);
  for (const answer of answers) answer();
  expect(await Promise.all(running)).toHaveLength(4);
  // All places are free again.
  const again = [start("f"), start("g")];
  await until(() => asked.length === 6);
  for (const answer of answers) answer();
  await Promise.all(again);
});
