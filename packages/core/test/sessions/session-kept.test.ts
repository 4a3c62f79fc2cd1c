import { expect, test } from "vitest";
import { createMemoryStore, data, type SessionStore, type StateStore } from "../../src/index.ts";
import { tool, world } from "../world.ts";

/** A host whose one tool adds to a list of its session. Hosts that share a store are as processes that share a disk. */
function listing(store: StateStore) {
  return world(
    [
      tool(({ add }, { session }) => {
        const list = [...((session.get("list") as string[] | undefined) ?? []), ...(add ? [add] : [])];
        session.set("list", list as string[]);
        return data(list);
      }),
    ],
    { store },
  );
}

const add = (text: string) => ({ name: "probe", arguments: { add: text } });
const s = { sessionId: "s" };

test("a call's changes of its session are stored before its outcome is reported, and seen by another process", async () => {
  const store = createMemoryStore();
  await listing(store).host.call(add("a"), s);
  // Nothing was closed or ended: the first process might have been killed.
  const there = listing(store);

  expect((await there.host.session("s").call(add("b"))).result.data).toEqual(["a", "b"]);
  expect(await store.sessions.readState("s")).toEqual(new Map([["list", ["a", "b"]]]));
  expect((await there.host.call(add("c"), { sessionId: "other" })).result.data).toEqual(["c"]);
});

test("processes that use a session alternately see each other's changes", async () => {
  const store = createMemoryStore();
  const [one, two] = [listing(store).host, listing(store).host];
  for (const [at, host] of [one, two, one, two].entries()) await host.call(add(String(at)), s);

  expect((await one.call({ name: "probe" }, s)).result.data).toEqual(["0", "1", "2", "3"]);
});

test("calls that overlap in one process lose no change to the stored state", async () => {
  const { host } = listing(createMemoryStore());
  await Promise.all(Array.from({ length: 30 }, (_, at) => host.call(add(String(at)), s)));

  expect((await host.call({ name: "probe" }, s)).result.data).toHaveLength(30);
});

test("changes outside of calls are stored too, at the latest when the host closes", async () => {
  const store = createMemoryStore();
  const { host } = listing(store);
  const { state } = host.session("s");
  state.set("a", 1);
  state.set("__proto__", { polluted: true });
  host.session("s").restore({ b: 2, c: 3 });
  state.delete("c");
  await host.close();

  expect(await store.sessions.readState("s")).toEqual(new Map([["b", 2]]));
  const again = listing(store).host.session("s");
  expect(again.state.get("b")).toBeUndefined();
  await again.load();
  expect(again.state.get("b")).toBe(2);
});

test("restore replaces the whole state: other keys are deleted, and each value is a copy", async () => {
  const store = createMemoryStore();
  const { host } = listing(store);
  const session = host.session("s");
  session.state.set("old", 1);
  session.state.set("both", 1);
  const values = { both: 2, added: { list: [1] } };

  session.restore(values);
  values.added.list.push(2);

  expect(session.snapshot()).toEqual({ both: 2, added: { list: [1] } });
  expect(session.state.get("old")).toBeUndefined();
  session.restore({});
  expect(session.snapshot()).toEqual({});
  await host.close();
  expect(await store.sessions.readState("s")).toEqual(new Map());
});

test("ending a session in one host keeps its stored state for others", async () => {
  const store = createMemoryStore();
  const { host } = listing(store);
  await host.call(add("a"), s);
  host.session("s").end();

  expect(host.session("s").state.get("list")).toBeUndefined();
  expect((await host.call(add("b"), s)).result.data).toEqual(["a", "b"]);
});

function failing(store: StateStore, method: "readState" | "writeState"): StateStore {
  const sessions: SessionStore = {
    ...store.sessions,
    [method]: async () => Promise.reject(new Error("/secret/disk is full")),
  };
  return { ...store, sessions };
}

test("a session that cannot be read is not treated as empty", async () => {
  const { host } = listing(failing(createMemoryStore(), "readState"));
  const outcome = await host.call(add("a"), s);

  expect(outcome).toMatchObject({ status: "failed", result: { code: "UNAVAILABLE" } });
  expect(JSON.stringify(outcome)).not.toContain("/secret");
  expect((await host.call(add("a"))).status).toBe("ok");
});

test("a change that cannot be stored is a warning in the outcome", async () => {
  const { host } = listing(failing(createMemoryStore(), "writeState"));

  expect(await host.call(add("a"), s)).toMatchObject({
    status: "ok",
    result: { warnings: ["its changes of its session's state could not be stored"] },
  });
});

test("the id of a call that waits is taken until the call has ended, in every process", async () => {
  const store = createMemoryStore();
  const asking = () => world([tool(undefined, { requiresConfirmation: true })], { store }).host;
  const [here, there] = [asking(), asking()];
  const request = { id: "c1", name: "probe" };
  const asked = await here.call(request, s);
  const repeats = await Promise.all([here.call(request, s), there.call(request, s)]);

  for (const repeat of repeats) expect(repeat.result.code).toBe("DUPLICATE_CALL");
  expect((await here.call(request, { sessionId: "t" })).status).toBe("pending");
  const [question] = await there.approvals.list({ sessionId: "s" });
  await there.approvals.decide(question!.id, "approve", "bob");
  expect((await there.resume(asked.ticket!, s)).status).toBe("ok");
  expect((await here.call(request, s)).status).toBe("pending");
});

test("a call of a session reads the session's state once from the store", async () => {
  const kept = createMemoryStore();
  let reads = 0;
  const readState: SessionStore["readState"] = (id) => (reads++, kept.sessions.readState(id));
  const { host } = listing({ ...kept, sessions: { ...kept.sessions, readState } });
  const session = host.session("s");

  await session.call(add("a"));
  expect(reads).toBe(1);
  await host.call(add("b"), s);
  expect(reads).toBe(2);
  expect((await session.call(add("c"))).result.data).toEqual(["a", "b", "c"]);
  expect(reads).toBe(3);
});

test("a session that ends while a call of it begins does not lose what is stored", async () => {
  const store = createMemoryStore();
  const { host } = listing(store);
  const session = host.session("s");
  await session.call(add("a"));
  host.coordinator.mount("mode-catalog", {
    listModes: async () => {
      session.end();
      return [];
    },
  });

  expect((await session.call(add("b"))).result.data).toEqual(["a", "b"]);
});
