import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { StreamEvents } from "../src/serve/earlier/stream-events.ts";

const message = (text: string): JSONRPCMessage => ({ jsonrpc: "2.0", method: "note", params: { text } });

async function replay(events: StreamEvents, session: string, last: string): Promise<unknown[]> {
  const seen: unknown[] = [];
  await events.of(session).replayEventsAfter(last, {
    send: async (_, sent) => void seen.push((sent as unknown as { params: { text: string } }).params.text),
  });
  return seen;
}

test("a client gets what came after its last event, on the same stream only, and no event without a message", async () => {
  const events = new StreamEvents();
  const store = events.of("one");
  const first = await store.storeEvent("a", {} as never);
  await store.storeEvent("a", message("1"));
  await store.storeEvent("b", message("other"));
  const last = await store.storeEvent("a", message("2"));

  expect(await replay(events, "one", first)).toEqual(["1", "2"]);
  expect(await replay(events, "one", last)).toEqual([]);
  expect(await store.getStreamIdForEventId!(last)).toBe("a");
  expect(await events.of("two").getStreamIdForEventId!(last)).toBeUndefined();
});

test("the oldest events of a session make room, by their number and by their bytes", async () => {
  for (const bounds of [{ sessionEvents: 2 }, { sessionBytes: 120 }]) {
    const events = new StreamEvents(bounds);
    const store = events.of("one");
    const ids = [];
    for (const text of ["1", "2", "3"]) ids.push(await store.storeEvent("a", message(text)));

    expect(await store.getStreamIdForEventId!(ids[0]!)).toBeUndefined();
    expect(await replay(events, "one", ids[1]!)).toEqual(["3"]);
  }
});

test("all sessions together have a bound: the session that was quiet longest loses its events first", async () => {
  const events = new StreamEvents({ bytes: 150 });
  const quiet = await events.of("quiet").storeEvent("a", message("old"));
  const busy = [];
  for (const text of ["1", "2"]) busy.push(await events.of("busy").storeEvent("a", message(text)));

  expect(await events.of("quiet").getStreamIdForEventId!(quiet)).toBeUndefined();
  expect(await replay(events, "busy", busy[0]!)).toEqual(["2"]);
  events.forget("busy");
  expect(await events.of("busy").getStreamIdForEventId!(busy[1]!)).toBeUndefined();
});
