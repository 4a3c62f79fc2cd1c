import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { world, type World } from "./world.ts";

/** How often each death is tried; CI asks for more. */
const rounds = Number(process.env["TOOLMOUNT_DEATHS"] ?? 1);
const limits = { timeoutMs: 50_000, graceMs: 20_000 };

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
  { act: "buffers full", says: /it was killed, because it used more than 256 MB/ },
  { act: "forge", says: /a message that the host does not know/ },
  { act: "garbage", says: /a message that the host does not know/ },
];

describe.each(["none", "bubblewrap"])("a tool that ends its process, with border %s", (border) => {
  let far: World;
  beforeAll(async () => {
    far = await world({ border, memoryMb: 256 }, { limits });
  });
  afterAll(() => far[Symbol.asyncDispose]());

  test.each(deaths)("$act is one failed outcome, and the next call runs", async ({ act, says }) => {
    const host = process.pid;
    for (let round = 0; round < rounds; round++) {
      const outcome = await far.act(act);

      expect(outcome).toMatchObject({ status: "failed", result: { code: "TOOL_FAILED" } });
      expect(outcome.result.error).toMatch(says);
      expect((await far.act("data")).result.data).toEqual({ sum: 3 });
    }
    expect(process.pid).toBe(host);
  });

  test("no process is left when the host closes", async () => {
    const own = await world({ border }, { limits });
    await own.act("data");
    const started = childrenOf(process.pid);
    await own[Symbol.asyncDispose]();
    const before = new Set(started);
    await far.act("data");
    const left = childrenOf(process.pid).filter((pid) => before.has(pid));
    expect(left.length).toBeLessThan(before.size);
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

/** Process ids of the children of a process that are not zombies. */
function childrenOf(pid: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      const stat = statOf(child);
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(parent) === pid && state !== "Z";
    });
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return "";
  }
}
