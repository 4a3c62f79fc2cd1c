import { expect, test } from "vitest";
import {
  createHost,
  createMemoryStore,
  data,
  RunnerFailure,
  type ApprovalStore,
  type AuditSink,
  type Host,
  type Runner,
  type StateStore,
} from "../../src/index.ts";
import { callsLogOf, logsOf } from "../../src/sessions.ts";
import { traceFields } from "../../src/call/trace.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const s = { sessionId: "s", userId: "u" };

test("a repeatable tool that runs again and leaves out calls of the run before says how many", async () => {
  const store = createMemoryStore();
  const open = (makes: number, waits: boolean): Host => {
    const host = createHost({ store });
    host.coordinator.mount(
      "tools",
      tool(() => data(1), { name: "inner", category: "write" }),
    );
    host.coordinator.mount(
      "tools",
      tool(
        async (_, { call }) => {
          for (let count = 0; count < makes; count++) await call({ name: "inner" });
          return waits ? new Promise(() => {}) : data("done");
        },
        { name: "outer", repeatable: true, timeout: 0 },
      ),
    );
    return host;
  };
  const logsNow = async () => {
    const ids = logsOf(
      "u:s",
      (await store.sessions.entries(callsLogOf("u:s"))).map(({ entry }) => entry),
    );
    return JSON.stringify(await Promise.all(ids.map((id) => store.sessions.entries(id))));
  };
  void open(3, true).call({ id: "x", name: "outer" }, { ...s, turnId: "t" });
  await expect.poll(logsNow).toContain('"number":3');

  expect((await open(1, false).call({ id: "x", name: "outer" }, { ...s, turnId: "t" })).result).toMatchObject(
    {
      data: "done",
      warnings: ["it ran again, and did not make 2 calls of the run before"],
    },
  );
});

test.each([
  ["reads", true, ["end"]],
  ["cannot be read", false, ["end", "end"]],
])(
  "an audit that %s has the end of a call whose host died before it stored the end: %s",
  async (_, isRead, ends) => {
    const store = createMemoryStore({ audit: "durable" });
    const away: ApprovalStore["replace"] = (record) =>
      record.state === "ended" ? Promise.reject(new Error("away")) : store.approvals.replace(record);
    const open = (own: Partial<StateStore>, clock = createFakeClock()) =>
      world([tool(() => data(1), { requiresConfirmation: true })], {
        store: { ...store, ...own },
        clock,
        approvals: { leaseMs: 1_000 },
      }).host;
    const died = open({ approvals: { ...store.approvals, replace: away } });
    const { ticket } = await died.call({ name: "probe" }, s);
    const [question] = await died.approvals.list();
    await died.approvals.decide(question!.id, "approve", "ada");
    expect((await died.resume(ticket!, s)).status).toBe("ok");
    const clock = createFakeClock();
    await clock.advance(1_001);
    const read: AuditSink["read"] = (filter) =>
      isRead ? store.audit!.read(filter) : Promise.reject(new Error("no"));
    const other = open({ audit: { ...store.audit!, read } }, clock);
    await other.approvals.sweep();

    expect((await other.resume(ticket!, s)).status).toBe("unknown");
    const kinds = (await store.audit!.read()).map(({ entry }) => entry.kind);
    expect(kinds.filter((kind) => kind === "end")).toEqual(ends);
  },
);

test("a runner that fails because its call was stopped ends the call as stopped", async () => {
  const clock = createFakeClock();
  const runner: Runner = {
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new RunnerFailure("TOOL_FAILED", "the process ended")));
      }),
  };
  const { host } = world([tool(() => data(1), { timeout: 50 })], { runner, clock });
  const late = host.call({ name: "probe" });
  await clock.advance(51);
  expect(await late).toMatchObject({ status: "timed_out", result: { code: "TIMED_OUT" } });
  const abort = new AbortController();
  const cancelled = host.call({ name: "probe" }, { abortSignal: abort.signal });
  await clock.advance(1);
  abort.abort();

  expect(await cancelled).toMatchObject({ status: "cancelled", result: { code: "CANCELLED" } });
});

const ids = { trace_id: "1".repeat(32), span_id: "2".repeat(16), trace_flags: "01" };

test.each<[string | undefined, object]>([
  [`00-${"1".repeat(32)}-${"2".repeat(16)}-01`, ids],
  [`00-${"1".repeat(32)}-${"2".repeat(16)}-01-more`, ids],
  [`00-${"1".repeat(31)}-${"2".repeat(16)}-01`, {}],
  [`x00-${"1".repeat(32)}-${"2".repeat(16)}-01`, {}],
  ["", {}],
  [undefined, {}],
])("the traceparent %j has the ids of a log line", (traceparent, fields) => {
  expect(traceFields(traceparent)).toEqual(fields);
});
