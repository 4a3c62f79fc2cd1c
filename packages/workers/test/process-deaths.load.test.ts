import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fileOf, processIds } from "./processes.ts";
import { world, type World } from "./world.ts";

/** How often each death is tried. */
const rounds = Number(process.env["TOOLMOUNT_DEATHS"] ?? 1);

/** Deaths at the same time, so that one is seen not to disturb another. */
const lanes = Math.min(rounds, 4);

/** A variable that every process of these tests gets, to find those that are left. */
const mark = "TOOLMOUNT_TEST_MARK";
const limits = { timeoutMs: 600_000, graceMs: 20_000 };

const deaths = [
  { act: "exit 0", says: /ended with exit code 0/ },
  { act: "exit 1", says: /ended with exit code 1/ },
  { act: "abort", says: /ended (by SIGABRT|with exit code 134)/ },
  { act: "SIGKILL", says: /ended (by SIGKILL|with exit code 137)/ },
  { act: "SIGSEGV", says: /ended (by SIGSEGV|with exit code 139)/ },
  { act: "SIGTERM", says: /ended (by SIGTERM|with exit code 143)/ },
  { act: "throw after return", says: /ended with exit code/ },
  { act: "reject after return", says: /ended with exit code/ },
  {
    act: "heap full",
    says: /ended( by SIGABRT| with exit code 134|: it was killed, because it used more than)/,
  },
  { act: "buffers full", says: /it was killed, because it used more than 160 MB/ },
  { act: "forge", says: /a message that the host does not know/ },
  { act: "garbage", says: /a message that the host does not know/ },
];

describe.each(["none", "bubblewrap"])("a tool that ends its process, with border %s", (border) => {
  let far: World;
  beforeAll(async () => {
    far = await world({ border, memoryMb: 160, processes: lanes }, { limits });
  });
  afterAll(() => far[Symbol.asyncDispose]());

  test.each(deaths)("$act is one failed outcome, and the next call runs", async ({ act, says }) => {
    const host = process.pid;
    let left = rounds;
    const lane = async () => {
      while (left-- > 0) {
        const outcome = await far.act(act);

        expect(outcome).toMatchObject({ status: "failed", result: { code: "TOOL_FAILED" } });
        expect(outcome.result.error).toMatch(says);
        expect(await far.act("data")).toMatchObject({ status: "ok", result: { data: { sum: 3 } } });
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(process.pid).toBe(host);
  });

  test("no process and no zombie is left when the host closes", async () => {
    const own = `${border}-${process.pid}`;
    vi.stubEnv(mark, own);
    const closing = await world({ border, env: [mark] }, { limits });
    vi.unstubAllEnvs();
    await closing.act("SIGKILL");
    await closing.act("data");
    expect(processesWith(`${mark}=${own}`)).not.toEqual([]);
    await closing[Symbol.asyncDispose]();
    // The kernel ends what is inside a border after its launcher.
    await vi.waitFor(() => expect(processesWith(`${mark}=${own}`)).toEqual([]), { timeout: 60_000 });
    expect(zombiesOf(process.pid)).toEqual([]);
  });
});

test("a tool that forges the answer of another call changes nothing", async () => {
  await using far = await world({}, { limits });
  expect((await far.act("forge another run")).result.data).toBe("own");
});

describe("a module that keeps state", () => {
  test("has one process for all of its calls", async () => {
    await using far = await world({}, { limits, module: "counter" });
    const outcomes = await Promise.all([1, 2, 3].map(() => far.host.call({ name: "probe" })));
    const seen = outcomes.map(({ result }) => result.data as { count: number; pid: number });
    expect(seen.map(({ count }) => count).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    expect(new Set(seen.map(({ pid }) => pid)).size).toBe(1);
  });

  test("stays when a call of several does not end after it was aborted, as long as the process answers", async () => {
    await using far = await world({}, { limits, module: "counter" });
    await far.host.call({ name: "probe" });
    const caller = new AbortController();
    const { signal: abortSignal } = caller;
    const other = far.host.call({ name: "probe", arguments: { act: "later" } });
    const started = Promise.withResolvers<void>();
    const stuck = far.host.call(
      { name: "probe", arguments: { act: "wait" } },
      { abortSignal, onProgress: () => started.resolve() },
    );
    await started.promise;
    caller.abort();

    expect(await stuck).toMatchObject({ status: "cancelled" });
    expect(await other).toMatchObject({ status: "ok", result: { data: { count: 2 } } });
  });

  test("loses its state and every running call when one of them ends the process", async () => {
    await using far = await world({}, { limits, module: "counter" });
    await far.host.call({ name: "probe" });
    const others = [1, 2].map(() => far.host.call({ name: "probe", arguments: { act: "wait" } }));
    const culprit = far.host.call({ name: "probe", arguments: { act: "exit" } });
    for (const outcome of await Promise.all([...others, culprit]))
      expect(outcome).toMatchObject({ status: "failed", result: { code: "TOOL_FAILED" } });
    expect((await far.host.call({ name: "probe" })).result.data).toMatchObject({ count: 1 });
  });
});

test("an answer that the host reads after the end of its process counts", async () => {
  await using far = await world({}, { limits, module: "counter" });
  for (let round = 0; round < 10; round++) {
    // A call that is sent while the end of the process is not seen yet ends with it.
    const isBack = async () => expect(await far.host.call({ name: "probe" })).toMatchObject({ status: "ok" });
    await vi.waitFor(isBack, { timeout: 60_000 });
    const last = far.host.call({ name: "probe", arguments: { act: "exit after the answer" } });
    // The process gets the call; then this thread is busy until the process has answered and ended.
    await pause(3);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);

    expect(await last).toMatchObject({ status: "ok" });
  }
});

test("calls of a module without state use several processes, and never more than allowed", async () => {
  await using far = await world({ processes: 2 }, { limits });
  const outcomes = await Promise.all([1, 2, 3, 4, 5, 6].map(() => far.act("pid")));
  expect(new Set(outcomes.map(({ result }) => result.data)).size).toBeLessThanOrEqual(2);
});

test("a tool that was mounted by hand cannot run in a process", async () => {
  await using far = await world({}, { limits });
  const draft = far.host.draft();
  for (const module of far.host.modules()) draft.keepModule(module);
  const { coordinator } = draft.addModule({ id: "by hand", shapeTool: () => ({ runner: "process" }) });
  const { probe } = await import("./modules/by-hand.ts");
  coordinator.mount("tools", probe);
  await draft.commit();
  expect(await far.host.call({ name: "by_hand" })).toMatchObject({
    status: "failed",
    result: { code: "UNAVAILABLE" },
  });
});

/** Process ids of the processes with a variable in the environment with which they were started. */
function processesWith(variable: string): readonly number[] {
  return processIds().filter((pid) => fileOf(pid, "environ").split("\0").includes(variable));
}

/** Process ids of the children of a process that ended and that it has not noticed. */
function zombiesOf(parent: number): readonly number[] {
  return processIds().filter((pid) => {
    const stat = fileOf(pid, "stat");
    const [state, owner] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(owner) === parent && state === "Z";
  });
}
