import { describe, expect, test } from "vitest";
import { now, servedTurns, shown } from "./support/served-turns.ts";

/** The events of a stream that has ended. */
function eventsIn(text: string) {
  return text
    .trimEnd()
    .split("\n\n")
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      return { event: field("event"), data: JSON.parse(field("data")!) as never, id: field("id") };
    });
}

describe("the events of a turn", () => {
  test("are what happened, and then what happens to its end", async () => {
    const { start, send, begun, look } = await servedTurns();
    await start();
    begun[0]!.request.onEvent({ type: "text", text: "Hi." });
    const watching = await send("GET", "/turns/t1/events");
    expect(watching.headers.get("content-type")).toBe("text/event-stream");
    look();
    begun[0]!.request.onEvent({ type: "text", text: "Bye." });
    await begun[0]!.ends({ status: "done" });
    const all = eventsIn(await watching.text());
    // When it comes among the others depends on when these are stored.
    expect(all.filter(({ event }) => event === "alive")).toHaveLength(1);
    const events = all.filter(({ event }) => event !== "alive");
    const ended = shown({ status: "done", endedAt: now, result: { status: "done" } });
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ["turn", shown()],
      ["step", { type: "begin", turnId: "t1", sessionId: "s1" }],
      ["step", { type: "text", text: "Hi." }],
      ["step", { type: "text", text: "Bye." }],
      ["turn", ended],
      ["bye", {}],
    ]);
    const again = async (id: string) =>
      eventsIn(await (await send("GET", "/turns/t1/events", { "last-event-id": id })).text()).map(
        ({ event, data }) => [event, data],
      );
    expect(await again(events[3]!.id!)).toEqual([
      ["turn", ended],
      ["bye", {}],
    ]);
    // A reader that has read all of it gets the turn as it is.
    expect(await again(events[4]!.id!)).toEqual([
      ["turn", ended],
      ["bye", {}],
    ]);
    const whole = events.map(({ event, data }) => [event, data]);
    expect(await again("other.1")).toEqual([["reset", {}], ...whole]);
  });

  test("end with the server", async () => {
    const { start, send, server, begun } = await servedTurns();
    await start();
    const watching = await send("GET", "/turns/t1/events");
    const closed = server.close({ graceMs: 0 });
    expect(eventsIn(await watching.text()).at(-1)).toEqual({ event: "bye", data: {}, id: undefined });
    await closed;
    expect(begun).toHaveLength(1);
  });
});

test("the events of a host have its turns, those of a user for that user", async () => {
  const { start, send, server, begun } = await servedTurns();
  const watching = await send("GET", "/events");
  await start({ userId: "ana" });
  await begun[0]!.ends({ status: "done" });
  await server.close({ graceMs: 0 });
  const turns = eventsIn(await watching.text()).filter(({ event }) => event === "turn");
  const sessionId = expect.stringMatching(/^ana:/);
  expect(turns.map(({ data, id }) => [data, typeof id])).toEqual([
    [shown({ userId: "ana", sessionId }), "string"],
    [shown({ userId: "ana", sessionId, status: "done", endedAt: now, result: { status: "done" } }), "string"],
  ]);
});
