import { expect, test } from "vitest";
import { createMemoryStore, data, type StateStore } from "../../src/index.ts";
import { logged } from "../logged-host.ts";
import { tool, world } from "../world.ts";

const s = { sessionId: "s", userId: "u" };
const asks = { requiresConfirmation: true };

/** A store of sessions that fails where the test says so. */
function brokenSessions(fails: (method: string, given: readonly unknown[]) => boolean): StateStore {
  const store = createMemoryStore();
  const sessions = new Proxy(store.sessions, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...given: unknown[]) => unknown;
      return async (...given: unknown[]) => {
        if (fails(String(name), given)) throw new Error("boom");
        return Reflect.apply(method, target, given);
      };
    },
  });
  return { ...store, sessions };
}

test.each<[string, object, object | undefined]>([
  ["handed", { execution: "client" }, { data: 1 }],
  ["approved", asks, undefined],
])(
  "a call that was %s, and whose session cannot be read, waits again as before",
  async (state, fields, result) => {
    let fails = false;
    const store = brokenSessions((method) => fails && method === "readState");
    const { host } = world([tool(() => data(0), fields)], { store });
    const { ticket } = await host.call({ name: "probe" }, s);
    const [record] = await store.approvals.list({});
    if (state === "approved") await host.approvals.decide(record!.id, "approve", "ada");
    host.session("u:s").end();
    fails = true;
    const outcome = await host.resume(ticket!, s, result);

    expect(outcome).toMatchObject({
      status: "pending",
      result: {
        warnings: [
          '"probe" cannot run now: the stored state of its session could not be read; nothing ran, so resume it again later',
        ],
      },
    });
    expect((await store.approvals.list({}))[0]).toMatchObject({ state, leaseUntil: null });
    fails = false;
    expect((await host.resume(ticket!, s, result)).status).toBe("ok");
  },
);

test("a state that a gate changed is stored before the tool runs, and where it cannot be, nothing runs", async () => {
  let ran = 0;
  const store = brokenSessions((method) => method === "writeState");
  const { host } = world([tool(() => data(++ran))], { store });
  host.coordinator.hooks.gate("tool:pre", () => host.session("u:s").state.set("count", 1));

  expect((await host.call({ name: "probe" }, s)).result.error).toBe(
    '"probe" cannot run now: the state of its session could not be stored',
  );
  expect(ran).toBe(0);
});

test("a call that cannot be undone is announced before it runs, and where that cannot be stored, nothing runs", async () => {
  let ran = 0;
  const store = brokenSessions((method) => method === "append");
  const { host } = world([tool(() => data(++ran), { irreversible: true, category: "write" })], { store });

  expect((await host.call({ name: "probe" }, s)).result.error).toBe(
    '"probe" cannot run now: it could not be stored that it cannot be undone',
  );
  expect(ran).toBe(0);
});

test("where a repeatable tool's log cannot be read, it does not run; where its end cannot be written, the caller reads it", async () => {
  let failing = "entries";
  const { host, lines } = logged({ store: brokenSessions((method) => method === failing) });
  host.coordinator.mount(
    "tools",
    tool(() => data(1), { repeatable: true }),
  );
  lines.length = 0;
  const texts = () => lines.splice(0).map(([level, , text]) => `${level} ${text}`);

  expect((await host.call({ name: "probe" }, s)).result.error).toBe(
    '"probe" cannot run now: the log of its calls could not be read',
  );
  expect(texts()).toEqual(["error the log of a call's calls could not be read"]);
  failing = "append";
  const { status } = await host.call({ name: "probe", id: "other" }, s);
  expect([status, texts()]).toEqual(["failed", ["error the log of a call's calls could not be read"]]);
  failing = "trim";
  expect((await host.call({ name: "probe", id: "third" }, s)).result).toMatchObject({
    data: 1,
    warnings: ["its end could not be written to the log of its calls"],
  });
  expect(texts()).toEqual(["error the end of a call could not be written to the log of its calls"]);
});
