import { expect, test } from "vitest";
import { createHost, createMemoryStore, data, type ToolContext } from "../../src/index.ts";
import { changeSessionMode } from "@toolmount/core/sessions";
import { tool, world } from "../world.ts";

test("a session's calls share its state, and others do not see it", async () => {
  const { host } = world([
    tool((_, { session }) => {
      const count = Number(session.get("count") ?? 0) + 1;
      session.set("count", count);
      return data(count);
    }),
  ]);
  const session = host.session("a");
  await session.call({ name: "probe" });

  expect((await session.call({ name: "probe" })).result.data).toBe(2);
  expect(session.state.get("count")).toBe(2);
  expect((await host.session("b").call({ name: "probe" })).result.data).toBe(1);
});

test("its calls have its id and mode, and the caller's context", async () => {
  let seen: Partial<ToolContext> = {};
  const { host } = world([
    tool((_, { sessionId, mode, userId }) => {
      seen = { sessionId: sessionId!, mode: mode!, userId: userId! };
      return data(null);
    }),
  ]);
  const outcome = await host.session("s-7").call({ name: "probe" }, { userId: "ada" });

  expect(seen).toEqual({ sessionId: "s-7", mode: "general", userId: "ada" });
  expect(outcome).toMatchObject({ sessionId: "s-7", userId: "ada", status: "ok" });
});

test("the same id is the same session, until it ends", () => {
  const host = createHost();
  const first = host.session("s");
  first.state.set("kept", true);

  expect(host.session("s")).toBe(first);
  first.end();
  expect(host.session("s").state.get("kept")).toBeUndefined();
});

test.each(["", undefined, 7])("an invalid id (%j) is refused", (id) => {
  expect(() => createHost().session(id as string)).toThrowError(
    expect.objectContaining({ code: "OPTION_INVALID" }),
  );
});

test("cancel stops all calls of this session, and no others", async () => {
  const started: string[] = [];
  const { host } = world([
    tool((_, { abortSignal, sessionId }) => {
      started.push(sessionId!);
      return new Promise((resolve) => abortSignal.addEventListener("abort", () => resolve(data("stopped"))));
    }),
  ]);
  const own = host.session("a").call({ name: "probe" });
  const direct = host.call({ name: "probe" }, { sessionId: "a" });
  const other = host.session("b").call({ name: "probe" });
  await expect.poll(() => started.length).toBe(3);

  expect(await host.session("a").cancel({ immediate: true })).toBe(true);
  expect([(await own).cancelled, (await direct).cancelled]).toEqual([expect.anything(), expect.anything()]);
  expect(host.session("b").cancellation.state).toBe("none");
  await host.session("b").cancel({ immediate: true });
  expect((await other).cancelled).toBeDefined();
});

test("after a graceful cancel, running calls end by themselves, and no new one begins until a reset", async () => {
  let finish = () => {};
  const { host } = world([
    tool(() => new Promise((resolve) => (finish = () => resolve(data("done"))))),
    tool(() => data("quick"), { name: "quick" }),
  ]);
  const session = host.session("a");
  const running = session.call({ name: "probe" });
  await expect.poll(() => host.cancellation.runningToolNames).toEqual(["probe"]);
  const cancelled = session.cancel();
  const refused = await session.call({ name: "quick" });
  finish();

  expect([await cancelled, (await running).status, refused.status]).toEqual([true, "ok", "cancelled"]);
  session.cancellation.reset();
  expect((await session.call({ name: "quick" })).status).toBe("ok");
});

test("a waiting call is resumed in its own session only", async () => {
  const { host } = world([tool(() => data("ran"), { requiresConfirmation: true })], {
    store: createMemoryStore(),
  });
  const { ticket } = await host.session("a").call({ name: "probe" });
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "ada");

  await expect(host.session("b").resume(ticket!)).rejects.toMatchObject({ code: "TICKET_INVALID" });
  expect((await host.session("a").resume(ticket!)).result.data).toBe("ran");
});

test("a session's state can be saved, and restored in another host", async () => {
  const first = createHost().session("a");
  first.state.set("list", [1, { done: true }]);
  changeSessionMode(first.state, "coding");

  const second = createHost().session("a");
  second.state.set("other", 1);
  second.restore(JSON.parse(JSON.stringify(first.snapshot())) as ReturnType<typeof first.snapshot>);

  expect(second.snapshot()).toEqual(first.snapshot());
  expect(await second.mode()).toBe("coding");
});

test.each(["results of a", "changes of a", "calls of a", `made by ${"0f".repeat(32)} of a`])(
  "a session cannot be named %s: that is the log of another session",
  async (id) => {
    const { host } = world([tool()]);
    expect(() => host.session(id)).toThrow("its id must not begin with");
    const outcome = await host.call({ name: "probe" }, { sessionId: id });
    expect(outcome).toMatchObject({ status: "invalid", result: { code: "INVALID_ARGUMENTS" } });
    expect(outcome.result.error).toContain("is that of a log");
  },
);
