import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createHost, createMemoryStore, data, type Host } from "../../src/index.ts";
import { tool, world } from "../world.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of the heap that each of `count` sessions keeps after one use. */
async function bytesASession(count: number, use: (id: string) => unknown): Promise<number> {
  const settle = async () => {
    for (let round = 0; round < 5; round++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage().heapUsed;
  };
  for (let at = 0; at < 2_000; at++) await use(`first ${at}`);
  const before = await settle();
  for (let at = 0; at < count; at++) await use(`session ${at}`);
  return ((await settle()) - before) / count;
}

const looking = () => tool((_, { session }) => data(session.get("list") ?? null));

test.each([
  { what: "a call", use: (host: Host) => (id: string) => host.call({ name: "probe" }, { sessionId: id }) },
  { what: "a session object", use: (host: Host) => (id: string) => host.session(id).call({ name: "probe" }) },
])("sessions that only $what used are not kept in memory", async ({ use }) => {
  const { host } = world([looking()], {}, "inline", false);

  expect(await bytesASession(20_000, use(host))).toBeLessThan(100);
});

test("with a store, the memory of a host keeps no session's values", async () => {
  const kept = createMemoryStore();
  const sessions = { ...kept.sessions, writeState: async () => {} };
  const writing = tool((_, { session }) => (session.set("list", ["a"]), data(1)));
  const { host } = world([writing], { store: { ...kept, sessions } }, "inline", false);

  const use = (id: string) => host.call({ name: "probe" }, { sessionId: id });
  expect(await bytesASession(5_000, use)).toBeLessThan(200);
});

/** Makes a host forget what it may forget. */
async function fill(host: Host): Promise<void> {
  for (let at = 0; at < 3_000; at++) host.session(`filler ${at}`).state.get("a");
  for (let round = 0; round < 5; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("values without a store, a request to cancel, and what waits for one are kept", async () => {
  const host = createHost();
  host.session("valued").state.set("list", ["a"]);
  await host.session("stopped").cancel();
  let cancelled = 0;
  host.session("watched").cancellation.onCancel(() => cancelled++);
  const held = host.session("held").cancellation;
  await fill(host);

  expect(host.session("valued").state.get("list")).toEqual(["a"]);
  expect(host.session("stopped").cancellation.isGraceful).toBe(true);
  await host.session("watched").cancellation.triggerCallbacks();
  expect(cancelled).toBe(1);
  expect(host.session("held").cancellation).toBe(held);
});

test("a call that waits for its person keeps the state that it loaded", async () => {
  const store = createMemoryStore();
  await store.sessions.writeState("s", new Map([["list", ["a"]]]));
  let answer!: () => void;
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const approver = () => {
    ask();
    return new Promise<{ decision: "approve" }>(
      (resolve) => (answer = () => resolve({ decision: "approve" })),
    );
  };
  const asking = tool((_, { session }) => data(session.get("list") ?? null), { requiresConfirmation: true });
  const { host } = world([asking], { store, approver }, "inline", false);
  const outcome = host.call({ name: "probe" }, { sessionId: "s" });
  await asked;
  await fill(host);
  answer();

  expect((await outcome).result.data).toEqual(["a"]);
});
