import { describe, expect, test } from "vitest";
import { command, world } from "./job-world.ts";

describe("a page of output", () => {
  test.each<[string | Buffer, boolean, object, object]>([
    ["abcdef", false, {}, { content: "abcdef", offset: 0, next_offset: 6, total_bytes: 6 }],
    ["abcdef", false, { offset: 2, limit: 4 }, { content: "cdef", offset: 2, next_offset: 6 }],
    ["abcdefgh", false, { offset: 2, limit: 4 }, { content: "cdef", offset: 2, next_offset: 6 }],
    ["abc", false, { offset: 9 }, { content: "", offset: 3, next_offset: 3 }],
    ["a\u00e9", false, {}, { content: "a\u00e9", next_offset: 3 }],
    // Half of a character waits for the rest, unless nothing can come.
    [Buffer.from("61c3", "hex"), false, {}, { content: "a", next_offset: 1, total_bytes: 2 }],
    [Buffer.from("61c3", "hex"), true, {}, { content: "a\ufffd", next_offset: 2, total_bytes: 2 }],
    [Buffer.from("616161c3a9", "hex"), true, { limit: 4 }, { content: "aaa", next_offset: 3 }],
    ["\u001b[31mred\u0007", true, {}, { content: "red\\x07", next_offset: 9 }],
  ])("of %j, ended %s, read with %j, is %j", async (text, isEnded, params, expected) => {
    const { add, output } = world();
    const given = command(text);
    const job = add(given);
    if (isEnded) await given.end({ kind: "exited", code: 3 });
    const { data } = await output.execute({ id: job.id, ...params });
    expect(data).toEqual({
      id: job.id,
      status: isEnded ? "exited" : "running",
      returncode: isEnded ? 3 : null,
      stream: "stdout",
      offset: 0,
      total_bytes: Buffer.byteLength(text as string),
      ...expected,
    });
  });

  test("says how many bytes before it are not kept", async () => {
    const { add, output } = world();
    const job = add(command("a".repeat(500) + "b".repeat(65_536) + "c".repeat(65_536)));
    const { data } = await output.execute({ id: job.id, offset: 600, limit: 4 });
    expect(data).toMatchObject({ content: "cccc", offset: 66_036, missing_bytes: 65_436 });
    expect((await output.execute({ id: job.id, offset: 66_036, limit: 4 })).data).not.toHaveProperty(
      "missing_bytes",
    );
  });

  test.each([
    [{ limit: 3 }, false],
    [{ limit: 4 }, true],
    [{ limit: 100_000 }, true],
    [{ limit: 100_001 }, false],
    [{ offset: -1 }, false],
    [{ wait: 60 }, true],
    [{ wait: 60.1 }, false],
    [{ wait: -1 }, false],
    [{ id: "" }, false],
    [{ stream: "both" }, false],
  ])("is asked for with %j: %s", async (params, isTaken) => {
    const { add, output } = world();
    const given = command("x");
    const job = add(given);
    await given.end();
    expect((await output.execute({ id: job.id, ...params })).code).toBe(
      isTaken ? undefined : "INVALID_ARGUMENTS",
    );
  });
});

describe("a reader that waits for more", () => {
  /** Reads behind what is there, and waits two seconds for more. */
  function waiting(text = "abc", offset = 3, signal = new AbortController().signal) {
    const { add, output, timers } = world();
    const given = command(text);
    const job = add(given);
    const onDone = given.running.done;
    const reading = output.execute({ id: job.id, offset, wait: 2 }, { abortSignal: signal });
    return { ...given, reading, timers, job, onDone };
  }

  test("gets what is printed then, and leaves nothing behind", async () => {
    const { reading, timers, print, listeners } = waiting();
    await expect.poll(() => [...timers.values()]).toEqual([2_000]);
    print("");
    expect(timers.size).toBe(1);
    print("d");
    expect((await reading).data).toMatchObject({ content: "d", status: "running" });
    expect([timers.size, listeners.size]).toEqual([0, 0]);
  });

  test.each([
    ["the time is up", (one: ReturnType<typeof waiting>) => [...one.timers.keys()][0]!(), "running"],
    ["the command ends", (one: ReturnType<typeof waiting>) => void one.end(), "exited"],
  ])("continues when %s", async (_, act, status) => {
    const one = waiting();
    await expect.poll(() => one.timers.size).toBe(1);
    act(one);
    expect((await one.reading).data).toMatchObject({ content: "", status });
    expect([one.timers.size, one.listeners.size]).toEqual([0, 0]);
  });

  test("continues when its caller gives up", async () => {
    const caller = new AbortController();
    const one = waiting("abc", 3, caller.signal);
    await expect.poll(() => one.timers.size).toBe(1);
    caller.abort();
    expect((await one.reading).data).toMatchObject({ content: "", status: "running" });
    expect([one.timers.size, one.listeners.size]).toEqual([0, 0]);
  });

  test("does not wait where there is more", async () => {
    const one = waiting("abc", 2);
    expect((await one.reading).data).toMatchObject({ content: "c" });
    expect(one.timers.size).toBe(0);
  });
});
