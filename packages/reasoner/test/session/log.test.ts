import { createMemoryStore, type Json } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { SessionLog, readEntry } from "../../src/session/log.ts";
import { isChildWait } from "../../src/session/waiting.ts";

describe("the log of a session", () => {
  const facts = { id: "s", parentId: null, userId: null, agent: null, depth: 0, allowed: [] };
  const clock = () => 7;

  test("is made once", async () => {
    const { sessions } = createMemoryStore();
    await SessionLog.create(sessions, facts, clock);

    await expect(SessionLog.create(sessions, facts, clock)).rejects.toMatchObject({
      code: "SESSION_CONFLICT",
      details: { session: "s", problem: "a session with this id exists" },
    });
    expect(await sessions.load("s")).toMatchObject({
      version: 1,
      createdAt: 7,
      updatedAt: 7,
      parentId: null,
    });
    expect(await SessionLog.open(sessions, "other", clock)).toBeNull();
  });

  test("is changed by one process alone, and by none that released it", async () => {
    const { sessions } = createMemoryStore();
    const one = await SessionLog.create(sessions, facts, clock);
    const other = (await SessionLog.open(sessions, "s", clock))!;
    const items = [{ type: "message", role: "user", content: "hi" }];
    const note = { kind: "note" as const, items };
    const lost = {
      code: "SESSION_CONFLICT",
      details: { session: "s", problem: "another process resumed it" },
    };
    await one.append(note, note);

    expect([one.length, one.view.items.length]).toEqual([2, 2]);
    await expect(other.append(note)).rejects.toMatchObject(lost);
    await other.settled();
    expect([other.length, other.view.items.length]).toEqual([0, 0]);
    await one.save();
    expect(await sessions.load("s")).toMatchObject({ version: 2 });
    one.release();
    await expect(one.append(note)).rejects.toMatchObject(lost);
    await one.save();
    expect(await sessions.load("s")).toMatchObject({ version: 2 });
    expect((await SessionLog.open(sessions, "s", clock))!.length).toBe(2);
  });

  test.each<[string, Json, string]>([
    ["of another kind", { kind: "other" }, "entry 3 is not an entry of a session"],
    ["without its members", { kind: "note" }, "entry 3 is not an entry of a session"],
    [
      "that is too deep",
      JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`) as Json,
      "entry 3 is nested deeper than 72 levels",
    ],
  ])("refuses an entry %s", (_title, entry, problem) => {
    expect(() => readEntry("s", 3, entry)).toThrow(
      expect.objectContaining({ code: "SESSION_UNREADABLE", details: { session: "s", problem } }),
    );
  });
});

test.each<[unknown, boolean]>([
  [{ waitsFor: "agent", sessionId: "c", waiting: [] }, true],
  [{ waitsFor: "agent", sessionId: "d", waiting: [] }, false],
  [{ waitsFor: "client", sessionId: "c", waiting: [] }, false],
  [{ waitsFor: "agent", sessionId: "c" }, false],
  [null, false],
  ["agent", false],
])("%j says that the sub-agent c waits: %s", (value, waits) => {
  expect(isChildWait(value, ["c"])).toBe(waits);
});
