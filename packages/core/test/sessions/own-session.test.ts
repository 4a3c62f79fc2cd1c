import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryStore, data, ownSession, type CallContext } from "../../src/index.ts";
import { tool, world } from "../world.ts";

const users = ["ana", "bob", "a", "ana:s", "ana%3As", "a:b", "", "\uD800", "\uD801", "\uFFFD"];
const names = ["s", "s1", "b:s", "s:s", "ana", ":s"];
const user = fc.oneof(fc.constantFrom(...users), fc.string({ unit: "binary", maxLength: 4 }));
const name = fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 4 }));

test("two users never have one session, whatever they call it", () => {
  fc.assert(
    fc.property(user, user, name, name, (one, other, mine, theirs) => {
      fc.pre(one !== other);
      expect(ownSession(one, mine)).not.toBe(ownSession(other, theirs));
      const known = ownSession(one, mine);
      expect(ownSession(one, known)).toBe(known);
      expect(ownSession(other, known)).not.toBe(known);
    }),
    { seed: 5610, numRuns: 2_000 },
  );
});

test("a name without a user stays, and what is no name is no session", () => {
  expect([ownSession(null, "s"), ownSession(undefined, "s"), ownSession("ana", undefined)]).toEqual([
    "s",
    "s",
    undefined,
  ]);
});

/** What a call does. Its tools note whose it was, and look for what another user left. */
const act = fc.record({
  do: fc.constantFrom("note", "change", "repeat", "undo", "end"),
  way: fc.constantFrom("host", "session", "nested", "rehearsal"),
  user: fc.constantFrom("ana", "bob", "ana:s"),
  session: fc.constantFrom("s", "bob:s"),
});

/** A host whose tools keep in each keyed thing whose it is. Each thing of another user that a call meets is a problem. */
function notingWorld(isStored: boolean) {
  const problems: string[] = [];
  const see = (what: string, found: unknown, own: unknown) => {
    if (found !== undefined && found !== own)
      problems.push(`${what}: ${String(own)} met ${JSON.stringify(found)}`);
  };
  const note = tool(
    (_, { session, userId }) => {
      see("state", session.get("whose"), userId);
      session.set("whose", userId!);
      return data(userId!);
    },
    { name: "note" },
  );
  const change = tool(async (_, { undoable, userId }) => data((await undoable?.(userId!)) ?? null), {
    name: "change",
    category: "write",
    undo: (request: { data: unknown }, { userId }: { userId?: string }) => {
      see("undo", request.data, userId);
      return data(null);
    },
    preview: () => ({ effects: [], result: data(1) }),
  } as never);
  const whose = tool((_, { userId }) => data(userId!), { name: "whose" });
  const repeat = tool(
    async (_, { call, userId }) => {
      const { result } = await call({ name: "whose" });
      see("the log of a call", result.data ?? undefined, userId);
      return data(userId!);
    },
    { name: "repeat", repeatable: true },
  );
  const nested = tool(
    async (params, { call }) => data((await call({ name: String(params["name"]), arguments: {} })).status),
    { name: "nested" },
  );
  const store = isStored ? { store: createMemoryStore() } : {};
  const { host } = world([note, change, repeat, nested, whose], store, "inline", false);
  host.coordinator.mount("policies", {
    name: "sees",
    seesResults: true,
    prepare:
      () =>
      ({
        history,
        info,
      }: {
        history?: { results: readonly { tool: string; value: unknown }[] };
        info: { userId?: string };
      }) => {
        for (const { tool: of, value } of history?.results ?? [])
          if (of === "note") see("results", value, info.userId);
        return null;
      },
  } as never);
  return { host, problems };
}

test.each([false, true])(
  "whatever two users of one session name do, neither meets what the other left (stored: %s)",
  async (isStored) => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 20 }), async (acts) => {
        const { host, problems } = notingWorld(isStored);
        for (const { do: what, way, user: userId, session } of acts) {
          const context: CallContext = { userId, sessionId: session };
          const handle = host.session(session);
          if (what === "undo") await handle.undo({}, { userId });
          else if (what === "end") host.session(ownSession(userId, session)).end();
          else {
            const request = {
              id: "one",
              name: way === "nested" ? "nested" : what,
              arguments: { name: what },
            };
            if (way === "session") await handle.call(request, { userId });
            else if (way === "rehearsal") await handle.rehearse().call(request, { userId });
            else await host.call(request, context);
          }
        }
        await host.close();
        expect(problems).toEqual([]);
      }),
      { seed: 5611, numRuns: 150 },
    );
  },
);

test("two users may have a call of one id at the same time, each of which is its own", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { host } = world([tool(async () => data(await promise.then(() => 1)))], {
    store: createMemoryStore(),
  });
  const calls = ["ana", "bob", undefined].map((userId) =>
    host.call({ id: "c1", name: "probe" }, { sessionId: "s", userId }),
  );
  const again = await host.call({ id: "c1", name: "probe" }, { sessionId: "s", userId: "ana" });
  resolve();

  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
  expect(again.result.code).toBe("DUPLICATE_CALL");
});

test("a call of another user that waits under the same id takes no id away, and no ticket is another's", async () => {
  const { host } = world([tool(undefined, { requiresConfirmation: true })], { store: createMemoryStore() });
  const of = (userId: string | undefined) => ({ sessionId: "s", userId });
  const [ana, bob, none] = await Promise.all(
    ["ana", "bob", undefined].map((userId) => host.call({ id: "c1", name: "probe" }, of(userId))),
  );
  expect([ana!.status, bob!.status, none!.status]).toEqual(["pending", "pending", "pending"]);
  await expect(host.resume(ana!.ticket!, of("bob"))).rejects.toMatchObject({ code: "TICKET_INVALID" });
});

test("a cancelled session stops only the calls of its user", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { host } = world([tool(async () => data(await promise.then(() => 1)))]);
  const calls = ["ana", "bob"].map((userId) => host.call({ name: "probe" }, { sessionId: "s", userId }));
  const cancelled = host.session(ownSession("ana", "s")).cancel({ immediate: true });
  const [ana] = await Promise.all([calls[0], cancelled]);
  resolve();

  expect([ana!.status, (await calls[1])!.status]).toEqual(["cancelled", "ok"]);
});
