import { createMemoryStore, silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { CallsElsewhere } from "../src/work/calls-elsewhere.ts";
import { EventLog } from "../src/work/event-log.ts";
import { clockOfLooks } from "./support/clock.ts";
import { historyOf } from "./support/history.ts";

/** A server whose events have the calls of another one; `look` looks and resolves to what its events have. */
function world({ hasOthers = true } = {}) {
  const store = createMemoryStore({ audit: "durable" });
  const [here, there] = [historyOf(store), historyOf(store)];
  const clock = clockOfLooks(1_000);
  const events = new EventLog(100);
  here.journal.watch((call) => events.add("call", call, call.userId));
  const options = { history: here.history, replicas: { hasOthers }, events, clock, logger: silentLogger };
  const elsewhere = new CallsElsewhere(options);
  const look = async () => {
    clock.look();
    await elsewhere.look();
    return (events.after(undefined) ?? []).map(({ data }) => {
      const { callId, status } = data as { callId: string; status: string };
      return `${callId} ${status}`;
    });
  };
  return { here: here.host, there: there.host, elsewhere, events, look };
}

const context = { sessionId: "s" };

test("the calls of another server are events of this one, each change once, and its own as before", async () => {
  const { here, there, elsewhere, look } = world();
  await there.call({ id: "before", name: "echo", arguments: { text: "a" } }, context);
  const old = await there.call({ id: "old", name: "wipe" }, context);
  const stop = elsewhere.watch();
  expect(await look()).toEqual([]);
  await there.call({ id: "a", name: "echo", arguments: { text: "a" } }, context);
  await here.call({ id: "own", name: "echo", arguments: { text: "a" } }, context);
  const asked = await there.call({ id: "b", name: "wipe" }, context);
  const own = ["own running", "own running", "own ok"];
  const seen = async () => (await look()).filter((line) => !own.includes(line));
  expect((await seen()).toSorted()).toEqual(["a ok", "b waiting"]);
  for (const { id } of await there.approvals.list()) await there.approvals.decide(id, "approve", "ben");
  for (const { ticket } of [old, asked]) await there.resume(ticket!, context);
  await look();
  expect((await seen()).toSorted()).toEqual(["a ok", "b ok", "b waiting", "old ok"]);
  expect((await look()).filter((line) => line === "own ok")).toHaveLength(1);
  stop();
  elsewhere.close();
});

test("a server alone looks at nothing", async () => {
  const { there, elsewhere, look } = world({ hasOthers: false });
  elsewhere.watch();
  await look();
  await there.call({ name: "echo", arguments: { text: "a" } }, context);
  expect(await look()).toEqual([]);
});

test("a client that comes back a minute after the last watcher hears that events are missing", async () => {
  const { here, elsewhere, events, look } = world();
  const stop = elsewhere.watch();
  await look();
  await here.call({ name: "echo", arguments: { text: "a" } }, context);
  const last = events.after(undefined)!.at(-1)!.id;
  stop();
  for (let looks = 0; looks < 60; looks++) await look();
  expect(events.after(last)).toEqual([]);
  await look();
  expect(events.after(last)).toBeNull();
});
