import { describe, expect, test } from "vitest";
import {
  addStep,
  keep,
  masked,
  shownOf,
  sizeOf,
  valueOf,
  type CallRecord,
} from "../src/journal/call-record.ts";
import { EventLog } from "../src/work/event-log.ts";

describe("the log of events", () => {
  test("gives what came after an event, and all that is kept without one", () => {
    const log = new EventLog(2);
    const heard: unknown[] = [];
    const stop = log.watch(({ data }) => heard.push(data));
    for (const at of [1, 2, 3]) log.add("step", at, "ana");
    stop();
    log.add("turn", 4, null);
    const all = log.after(undefined)!;
    expect(all.map(({ event, data, userId }) => [event, data, userId])).toEqual([
      ["step", 1, "ana"],
      ["step", 2, "ana"],
      ["step", 3, "ana"],
      ["turn", 4, null],
    ]);
    expect(heard).toEqual([1, 2, 3]);
    expect(all.map(({ id }) => log.after(id)?.map(({ data }) => data))).toEqual([[2, 3, 4], [3, 4], [4], []]);
  });

  test("that forgets knows no event of before", () => {
    const log = new EventLog(2);
    log.add("step", 1, null);
    const [{ id }] = log.after(undefined) as unknown as [{ id: string }];
    log.forget();
    log.add("step", 2, null);
    expect([log.after(id), log.after(undefined)?.map(({ data }) => data)]).toEqual([null, [2]]);
  });

  test("keeps at least its newest events, and says when some that a client missed are gone", () => {
    const log = new EventLog(2);
    for (const at of [1, 2, 3, 4]) log.add("step", at, null);
    const [first, second] = log.after(undefined)!;
    log.add("step", 5, null);
    expect(log.after(undefined)!.map(({ data }) => data)).toEqual([4, 5]);
    expect(log.after(first!.id)).toBeNull();
    expect(log.after(second!.id)).toBeNull();
    const run = first!.id.split(".")[0]!;
    expect(log.after(`${run}.3`)!.map(({ data }) => data)).toEqual([4, 5]);
    expect([log.after(`${run}.6`), log.after("other.5"), log.after("odd")]).toEqual([null, null, null]);
  });
});

describe("what is kept of a value", () => {
  test("is all of it, or its first 20,000 characters", () => {
    const fits = "x".repeat(19_998);
    expect(shownOf(keep(fits))).toEqual({ value: fits });
    const cut = keep(`${fits}yz`)!;
    expect(shownOf(cut)).toEqual({ text: `"${fits}y`, characters: 20_002 });
    expect([valueOf(cut), valueOf(keep({ a: 1 })), valueOf(null), shownOf(null), keep(undefined)]).toEqual([
      `"${fits}y`,
      { a: 1 },
      null,
      null,
      null,
    ]);
    expect(keep(`${"x".repeat(19_998)}😀`)!.text.isWellFormed()).toBe(true);
  });

  test("has its secrets masked, also in arguments that are text", () => {
    expect(masked({ password: "hunter-2", a: 1 })).toEqual({ password: "[masked]", a: 1 });
    expect(masked('{"password":"hunter-2"}')).toEqual({ password: "[masked]" });
    expect([masked("no json"), masked(undefined)]).toEqual(["no json", undefined]);
  });

  test("is its first and its last steps of a call that has many, and counts by its characters", () => {
    const record = { steps: [], arguments: keep("abc"), result: null } as unknown as CallRecord;
    for (let at = 0; at < 102; at++) addStep(record, { at, name: "step" });
    expect(record.steps).toHaveLength(100);
    expect(record.steps.slice(48, 52).map(({ at }) => at)).toEqual([48, 49, 52, 53]);
    expect([
      sizeOf(record),
      sizeOf({ ...record, result: keep(1) }),
      sizeOf({ ...record, arguments: null }),
    ]).toEqual([5, 6, 0]);
  });
});
