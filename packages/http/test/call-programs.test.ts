import { createMemoryStore, data, defineTool, type StateStore } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { historyOf } from "./support/history.ts";

/** A process with a tool that has a source, and calls `echo`; the audit is that of the store, where it has one. */
function processOf(store?: StateStore) {
  const made = historyOf(store);
  const { host } = made;
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "run",
      description: "Runs a source. Use in tests.",
      schema: z.strictObject({ source: z.string() }),
      category: "side_effect",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: async (_, { call }) => {
        await call({ name: "echo", arguments: { text: "inner" } });
        return data("ran");
      },
    }),
  );
  const run = async (source: string) => (await host.call({ name: "run", arguments: { source } })).runId;
  return { ...made, run };
}
const lines = (...own: object[]) =>
  own.map((one) => ({ line: expect.anything(), code: "", isNow: false, calls: [], ...one }));

describe("the program of a call", () => {
  test("is its source by lines, with the calls that it made, also of a process before", async () => {
    const store = createMemoryStore({ audit: "durable" });
    const { history, run } = processOf(store);
    const runId = await run("one\ntwo");
    const inner = [expect.objectContaining({ tool: "echo", parentRunId: runId, status: "ok" })];
    const program = {
      lines: lines({ line: 1, code: "one" }, { line: 2, code: "two" }, { line: null, calls: inner }),
      isCut: false,
      hasMore: false,
      omitsReads: false,
    };
    expect(await history.program(runId)).toEqual(program);
    expect(await processOf(store).history.program(runId)).toEqual(program);
  });

  test("says where the audit leaves out calls that only read", async () => {
    const changes = processOf(createMemoryStore({ audit: "changes" }));
    expect((await changes.history.program(await changes.run("one")))!.omitsReads).toBe(true);
    const none = processOf();
    expect((await none.history.program(await none.run("one")))!.omitsReads).toBe(false);
  });

  test("of long arguments is their beginning", async () => {
    const { history, run } = processOf();
    const program = (await history.program(await run(`first\n${"x".repeat(30_000)}`)))!;
    expect([program.isCut, program.lines[0]]).toEqual([true, expect.objectContaining({ code: "first" })]);
  });

  test("is null for a call without a source, and for one that is not known", async () => {
    const { history, host } = processOf();
    const { runId } = await host.call({ name: "echo", arguments: { text: "a" } });
    expect([await history.program(runId), await history.program("none")]).toEqual([null, null]);
  });
});

describe("what is known of arguments", () => {
  test("is what the audit and this process have whole", async () => {
    const store = createMemoryStore({ audit: "durable" });
    const before = processOf(store);
    const long = "x".repeat(30_000);
    const old = await before.host.call({ name: "echo", arguments: { text: "old" } });
    const oldLong = await before.host.call({ name: "echo", arguments: { text: long } });
    const { history, host } = processOf(store);
    const own = await host.call({ name: "echo", arguments: { text: "own" } });
    const ownLong = await host.call({ name: "echo", arguments: { text: long } });
    const runIds = [old, oldLong, own, ownLong].map(({ runId }) => runId);
    expect(Object.fromEntries(await history.argumentsOf([...runIds, "none"]))).toEqual({
      [old.runId]: { text: "old" },
      [own.runId]: { text: "own" },
    });
    const { runId } = await processOf().host.call({ name: "echo", arguments: { text: "a" } });
    expect((await history.argumentsOf([runId])).size).toBe(0);
  });

  test("is the beginning of long ones, and of a long result, with their lengths", async () => {
    const store = createMemoryStore({ audit: "durable" });
    const long = "x".repeat(30_000);
    const { runId } = await processOf(store).host.call({ name: "echo", arguments: { text: long } });
    const { arguments: given, result } = (await processOf(store).history.get(runId))!;
    const shown = (start: string) => ({
      text: expect.stringMatching(new RegExp(`^${start}x+`)),
      characters: expect.any(Number),
    });
    expect([given, result]).toEqual([shown('\\{"text":"'), shown('\\{.*"text":"')]);
    const { characters } = result as { characters: number };
    expect(characters).toBeGreaterThan(30_000);
  });

  test("of a call that was refused is its sentence as the result", async () => {
    const store = createMemoryStore({ audit: "durable" });
    const { runId, result } = await processOf(store).host.call({ name: "echo", arguments: { no: 1 } });
    const details = (await processOf(store).history.get(runId))!;
    expect(details).toMatchObject({
      status: "invalid",
      code: "INVALID_ARGUMENTS",
      phase: "parse",
      result: { value: result.error },
    });
    expect(details.steps.at(-1)).toMatchObject({ name: "ended", note: result.error });
  });
});
