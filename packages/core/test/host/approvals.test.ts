import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createMemoryStore,
  data,
  systemClock,
  type ApprovalScope,
  type HostOptions,
  type StateStore,
  type ToolOutcome,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const alice = { sessionId: "s-1", userId: "alice" };
const day = 86_400_000;

/** A host whose one tool asks, with what it ran. Worlds that share a store are as processes that share a disk. */
function asking(store: StateStore = createMemoryStore(), fields = {}, options: HostOptions = {}) {
  const ran: unknown[] = [];
  const made = world(
    [tool((params) => data(ran.push(params)), { requiresConfirmation: true, category: "write", ...fields })],
    { store, ...options },
  );
  return { ...made, ran, store };
}

async function pendingId({ host }: Pick<ReturnType<typeof asking>, "host">): Promise<string> {
  const [question] = await host.approvals.list();
  return question!.id;
}

const terminal = ["tool:post", "tool:error"];

describe("a call that waits for a person", () => {
  test("FORGE-18: is pending with a ticket, and runs once it is approved and resumed", async () => {
    const here = asking();

    const asked = await here.host.call({ id: "c1", name: "probe", arguments: { n: 1 } }, alice);
    expect(asked).toMatchObject({ status: "pending", callId: "c1", result: { code: "PENDING" } });
    expect(here.ran).toEqual([]);
    expect(await here.host.resume(asked.ticket!, alice)).toMatchObject({ status: "pending" });

    await here.host.approvals.decide(await pendingId(here), "approve", "bob");
    const outcome = await here.host.resume(asked.ticket!, alice);

    expect(outcome).toMatchObject({ status: "ok", callId: "c1", runId: asked.runId, tool: "probe" });
    expect(here.ran).toEqual([{ n: 1 }]);
    expect(here.eventsOf(asked.runId)).toEqual([
      "approval:required",
      "tool:pre",
      "tool:pending",
      "approval:granted",
      "tool:post",
    ]);
  });

  test("says, while it still waits, how long it has waited", async () => {
    const clock = createFakeClock();
    const { host } = asking(createMemoryStore(), {}, { clock });
    const asked = await host.call({ name: "probe" }, alice);
    await clock.advance(90_000);

    expect(await host.resume(asked.ticket!, alice)).toMatchObject({ status: "pending", durationMs: 90_000 });
    await host.close();
  });

  test("resumes in another process that has the store, as the same run", async () => {
    const here = asking();
    const asked = await here.host.call({ name: "probe", arguments: '{"n":1}' }, alice);
    await here.host.close();
    const there = asking(here.store);

    await there.host.approvals.decide(await pendingId(there), "approve", "bob");
    const outcome = await there.host.resume(asked.ticket!, alice);

    expect(outcome).toMatchObject({ status: "ok", runId: asked.runId });
    expect(there.eventsOf(asked.runId)).toEqual(["approval:granted", "tool:post"]);
    expect([here.ran.length, there.ran.length]).toEqual([0, 1]);
  });

  test("a denial is emitted once, with its reason, and stays a denial", async () => {
    const here = asking();
    const asked = await here.host.call({ name: "probe" }, alice);
    await here.host.approvals.decide(await pendingId(here), { decision: "deny", reason: "too dear" }, "bob");

    const outcomes = await Promise.all([1, 2, 3].map(() => here.host.resume(asked.ticket!, alice)));

    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: "denied",
        result: { code: "DENIED", error: '"probe" was not run: too dear' },
      });
    expect(here.eventsOf(asked.runId).filter((event) => terminal.includes(event))).toEqual(["tool:error"]);
    expect(here.ran).toEqual([]);
  });

  test("resumed by many hosts together, it runs once; later, its outcome is returned again", async () => {
    const here = asking();
    const asked = await here.host.call({ name: "probe" }, alice);
    await here.host.approvals.decide(await pendingId(here), "approve", "bob");

    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => here.host.resume(asked.ticket!, alice)),
    );

    const statuses = outcomes.map(({ status }) => status);
    expect(statuses.filter((status) => status === "ok")).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set(["ok", "pending"]));
    expect(here.ran).toHaveLength(1);
    const again = await here.host.resume(asked.ticket!, alice);
    expect(again).toEqual(outcomes.find(({ status }) => status === "ok"));
    expect(here.eventsOf(asked.runId).filter((event) => terminal.includes(event))).toEqual(["tool:post"]);
  });

  test("of many decisions made together, one wins", async () => {
    const here = asking();
    await here.host.call({ name: "probe" }, alice);
    const id = await pendingId(here);

    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        here.host.approvals.decide(id, at % 2 === 0 ? "approve" : "deny", `person ${at}`),
      ),
    );

    const lost = tries.filter((one) => one.status === "rejected");
    expect(lost).toHaveLength(19);
    for (const { reason } of lost) expect(reason).toMatchObject({ code: "APPROVAL_DECIDED" });
  });

  test("no outcome or event has the approval's id, and no list for approvers has a ticket", async () => {
    const here = asking();
    const asked = await here.host.call({ name: "probe", arguments: { password: "hunter2", n: 1 } }, alice);
    const [question] = await here.host.approvals.list();
    const ended = await here.host.approvals.decide(question!.id, "approve", "bob");
    const outcome = await here.host.resume(asked.ticket!, alice);

    const seen = JSON.stringify([asked, outcome, here.events]);
    expect(seen).not.toContain(question!.id);
    const shown = JSON.stringify([question, ended]);
    expect(shown).not.toContain(asked.ticket);
    expect(shown).not.toContain("hunter2");
    const kept = JSON.stringify(await here.store.approvals.list());
    expect(kept).not.toContain("hunter2");
    expect(kept).not.toContain(asked.ticket);
    expect(here.ran).toEqual([{ password: "hunter2", n: 1 }]);
  });

  test("expires as declared: denied when no approver answered, with one end", async () => {
    const clock = createFakeClock();
    const here = asking(createMemoryStore(), {}, { clock });
    const asked = await here.host.call({ name: "probe" }, alice);
    const id = await pendingId(here);

    await clock.advance(7 * day + 2);

    expect(here.eventsOf(asked.runId)).toEqual([
      "approval:required",
      "tool:pre",
      "tool:pending",
      "tool:error",
    ]);
    await expect(here.host.approvals.decide(id, "approve", "bob")).rejects.toMatchObject({
      code: "APPROVAL_DECIDED",
      details: { state: "expired" },
    });
    expect(await here.host.resume(asked.ticket!, alice)).toMatchObject({
      status: "denied",
      runId: asked.runId,
      result: { code: "APPROVAL_EXPIRED" },
    });
    expect(here.events.filter(({ event }) => event === "tool:error")).toHaveLength(1);
  });

  test("expires as declared: a default of allow lets the call continue", async () => {
    const clock = createFakeClock();
    const here = asking(createMemoryStore(), { requiresConfirmation: false }, { clock });
    here.host.coordinator.hooks.gate("tool:pre", () => ({
      action: "ask_user",
      approvalDefault: "allow",
      approvalTimeoutMs: 1_000,
    }));
    const asked = await here.host.call({ name: "probe" }, alice);
    await clock.advance(2_000);

    expect(await here.host.resume(asked.ticket!, alice)).toMatchObject({ status: "ok" });
    expect(here.ran).toHaveLength(1);
  });

  test("an approval that was not used in time has expired", async () => {
    const clock = createFakeClock();
    const here = asking(createMemoryStore(), {}, { clock });
    const asked = await here.host.call({ name: "probe" }, alice);
    await here.host.approvals.decide(await pendingId(here), "approve", "bob");
    await clock.advance(7 * day + 1);

    expect(await here.host.resume(asked.ticket!, alice)).toMatchObject({
      result: { code: "APPROVAL_EXPIRED" },
    });
    expect(here.ran).toEqual([]);
  });

  test("an approval that was not used can be revoked", async () => {
    const here = asking();
    const asked = await here.host.call({ name: "probe" }, alice);
    const id = await pendingId(here);
    await here.host.approvals.decide(id, "approve", "bob");

    expect(await here.host.approvals.revoke(id)).toBe(true);

    expect(await here.host.resume(asked.ticket!, alice)).toMatchObject({ status: "denied" });
    expect(await here.host.approvals.revoke(id)).toBe(false);
    expect(here.ran).toEqual([]);
  });
});

describe("what voids an approval", () => {
  async function approved() {
    const here = asking();
    const asked = await here.host.call({ name: "probe", arguments: { n: 1 } }, alice);
    await here.host.approvals.decide(await pendingId(here), "approve", "bob");
    return { here, asked };
  }

  test.each([
    [
      "a changed description",
      { description: "Does what a test needs; use it in tests, not for anything else." },
    ],
    ["a changed schema", { schema: z.looseObject({ n: z.number().optional() }) }],
    ["a changed category", { category: "delete" }],
  ] as const)("%s", async (_, fields) => {
    const { here, asked } = await approved();
    const there = asking(here.store, fields);

    const outcome = await there.host.resume(asked.ticket!, alice);

    expect(outcome).toMatchObject({ status: "denied", result: { code: "DENIED" } });
    expect(there.ran).toEqual([]);
    expect(there.eventsOf(asked.runId)).toEqual(["tool:error"]);
  });

  test("a new deny, and a rule that changes the arguments", async () => {
    for (const answer of [
      { action: "deny" as const, reason: "frozen" },
      { action: "modify" as const, data: { tool_input: { n: 2 } } },
    ]) {
      const { here, asked } = await approved();
      here.host.coordinator.hooks.gate("tool:pre", () => answer);
      expect(await here.host.resume(asked.ticket!, alice)).toMatchObject({ status: "denied" });
      expect(here.ran).toEqual([]);
      expect(here.eventsOf(asked.runId).filter((event) => terminal.includes(event))).toEqual(["tool:error"]);
    }
  });

  test("a tool that is gone", async () => {
    const { here, asked } = await approved();
    const there = world([], { store: here.store });

    expect(await there.host.resume(asked.ticket!, alice)).toMatchObject({ status: "not_found" });
    expect(there.eventsOf(asked.runId)).toEqual(["tool:error"]);
  });

  test("another session or user is refused as if there were no such ticket, and takes nothing away", async () => {
    const { here, asked } = await approved();
    for (const foreign of [
      {},
      { sessionId: "s-1" },
      { ...alice, userId: "mallory" },
      { ...alice, sessionId: "s-2" },
    ])
      await expect(here.host.resume(asked.ticket!, foreign)).rejects.toMatchObject({
        code: "TICKET_INVALID",
      });
    await expect(here.host.resume("no ticket", alice)).rejects.toMatchObject({ code: "TICKET_INVALID" });

    expect(await here.host.resume(asked.ticket!, alice)).toMatchObject({ status: "ok" });
  });
});

describe("an approver that is there, with a store", () => {
  test("the question is kept before it is asked; the answer before the tool runs", async () => {
    const store = createMemoryStore();
    const states: (string | undefined)[] = [];
    const look = async () => states.push((await store.approvals.list())[0]?.state);
    const { host } = world([tool(async () => data(await look()), { requiresConfirmation: true })], {
      store,
      approver: async () => {
        await look();
        return { decision: "approve", by: "bob" };
      },
    });

    expect(await host.call({ name: "probe" }, alice)).toMatchObject({ status: "ok" });
    await look();
    expect(states).toEqual(["pending", "started", "ended"]);
  });

  test("later leaves it pending; another answer reaches the call that waits", async () => {
    const here = asking(createMemoryStore(), {}, { approver: () => ({ decision: "later" }) });
    expect(await here.host.call({ name: "probe" }, alice)).toMatchObject({ status: "pending" });

    const waiting = asking(createMemoryStore(), {}, { approver: () => new Promise(() => {}) });
    const call = waiting.host.call({ name: "probe" }, alice);
    await expect.poll(() => waiting.events.length).toBe(1);
    await waiting.host.approvals.decide(await pendingId(waiting), "approve", "carol");
    expect(await call).toMatchObject({ status: "ok" });
  });

  test("a call that is cancelled while it waits ends once, and its question can no longer be answered", async () => {
    const here = asking(createMemoryStore(), {}, { approver: () => new Promise(() => {}) });
    const controller = new AbortController();
    const call = here.host.call({ name: "probe" }, { ...alice, abortSignal: controller.signal });
    await expect.poll(() => here.events.length).toBe(1);
    const id = await pendingId(here);

    controller.abort();

    const outcome = await call;
    expect(outcome).toMatchObject({ status: "cancelled" });
    expect(here.eventsOf(outcome.runId).filter((event) => terminal.includes(event))).toEqual(["tool:error"]);
    await expect(here.host.approvals.decide(id, "approve", "bob")).rejects.toMatchObject({
      code: "APPROVAL_DECIDED",
    });
  });
});

describe("C38: an approval for always", () => {
  async function remembering(remember: ApprovalScope, fields = {}, options: HostOptions = {}) {
    const here = asking(createMemoryStore(), fields, options);
    await here.host.call({ name: "probe", arguments: { command: "git status", n: 1 } }, alice);
    await here.host.approvals.decide(await pendingId(here), { decision: "approve", remember }, "bob");
    return here;
  }
  const status = async (
    { host }: ReturnType<typeof asking>,
    args: Record<string, unknown>,
    context: object = alice,
  ) => (await host.call({ name: "probe", arguments: args }, context)).status;

  test("for these arguments covers them, in any order of keys, and nothing else", async () => {
    const here = await remembering({ scope: "arguments" });
    expect(await status(here, { n: 1, command: "git status" })).toBe("ok");
    expect(await status(here, { n: 1, command: "git status" }, { ...alice, sessionId: "s-9" })).toBe("ok");
    expect(await status(here, { n: 2, command: "git status" })).toBe("pending");
    expect(await status(here, { n: 1, command: "git status" }, { ...alice, userId: "mallory" })).toBe(
      "pending",
    );
  });

  test("C38: for this session covers these arguments in it, no others, and no other session", async () => {
    const here = await remembering({ scope: "session" });
    const same = { n: 1, command: "git status" };
    expect(await status(here, same)).toBe("ok");
    expect(await status(here, { ...same, n: 5 })).toBe("pending");
    expect(await status(here, same, { ...alice, sessionId: "s-2" })).toBe("pending");
  });

  test("for a pattern covers matching arguments; never a name alone", async () => {
    const here = await remembering({ scope: "rule", arguments: { command: "git *" } });
    expect(await status(here, { command: "git log" })).toBe("ok");
    expect(await status(here, { command: "rm -rf" })).toBe("pending");
    const id = await pendingId(here);
    for (const wide of [{}, { command: "*" }, { command: ["*"] }])
      await expect(
        here.host.approvals.decide(
          id,
          { decision: "approve", remember: { scope: "rule", arguments: wide } },
          "bob",
        ),
      ).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  test("for a pattern of a number covers that number", async () => {
    const here = await remembering({ scope: "rule", arguments: { n: 5 } });
    expect(await status(here, { n: 5, command: "any" })).toBe("ok");
    expect(await status(here, { n: 6 })).toBe("pending");
  });

  test("is listed, and gone once revoked", async () => {
    const here = await remembering({ scope: "arguments" });
    const [always] = await here.host.approvals.remembered();
    expect(always).toMatchObject({ tool: "probe", scope: "arguments", by: "bob", userId: "alice" });
    expect(await here.host.approvals.revoke(always!.id)).toBe(true);
    expect(await status(here, { n: 1, command: "git status" })).toBe("pending");
  });

  test("ends by itself after its time, and is then not listed", async () => {
    let now = 1_000;
    const clock = { ...systemClock, now: () => now };
    const here = await remembering({ scope: "arguments", forMs: 500 }, {}, { clock });
    const same = { n: 1, command: "git status" };
    expect(await here.host.approvals.remembered()).toMatchObject([{ expiresAt: 1_500 }]);
    now = 1_499;
    expect(await status(here, same)).toBe("ok");
    now = 1_500;
    expect(await status(here, same)).toBe("pending");
    expect(await here.host.approvals.remembered()).toEqual([]);
  });

  test.each([0, -1, 1.5, Number.NaN, 1e18])("is refused for %s milliseconds", async (forMs) => {
    await expect(remembering({ scope: "arguments", forMs })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });

  test("counts the calls that it answered, also for a host that closes at once", async () => {
    const here = await remembering({ scope: "arguments" });
    const same = { n: 1, command: "git status" };
    expect(await here.host.approvals.remembered()).toMatchObject([{ uses: 0, usedAt: null }]);
    await Promise.all([status(here, same), status(here, same), status(here, { ...same, n: 2 })]);
    expect(await here.host.approvals.remembered()).toMatchObject([{ uses: 2, usedAt: expect.any(Number) }]);
    await status(here, same);
    await here.host.close();
    expect(await here.store.approvals.remembered()).toMatchObject([{ uses: 3 }]);
  });

  test("does not cover a tool whose definition changed", async () => {
    const here = await remembering({ scope: "arguments" });
    const there = asking(here.store, { description: "Something else now. Use it. Not for tests." });
    expect(await status(there, { n: 1, command: "git status" })).toBe("pending");
  });

  test("C19: never covers what a gate or a rule asks", async () => {
    const here = await remembering({ scope: "arguments" });
    here.host.coordinator.hooks.gate("tool:pre", () => ({ action: "ask_user", reason: "look" }));
    expect(await status(here, { n: 1, command: "git status" })).toBe("pending");
    const questions = await here.host.approvals.list();
    expect(questions.at(-1)).toMatchObject({ rememberable: false });
    await expect(
      here.host.approvals.decide(
        questions.at(-1)!.id,
        { decision: "approve", remember: { scope: "session" } },
        "bob",
      ),
    ).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("C27: a tool that the client runs", () => {
  const client = { execution: "client", requiresConfirmation: false } as const;

  test("APTIX-N1, APTIX-N2, APTIX-N8: is validated, decided and given to the client, whose result is the call's", async () => {
    const here = asking(createMemoryStore(), { ...client, schema: z.strictObject({ n: z.number() }) });
    expect(await here.host.call({ name: "probe", arguments: { n: "x" } }, alice)).toMatchObject({
      status: "invalid",
    });

    const asked = await here.host.call({ id: "c1", name: "probe", arguments: { n: 1 } }, alice);
    expect(asked).toMatchObject({
      status: "pending",
      result: { code: "PENDING", details: { waitsFor: "client", arguments: { n: 1 } } },
    });
    expect(await here.host.approvals.list()).toEqual([]);

    const outcome = await here.host.resume(asked.ticket!, alice, { data: { done: true } });
    expect(outcome).toMatchObject({
      status: "ok",
      callId: "c1",
      result: { tool: "probe", data: { done: true } },
    });
    expect(here.ran).toEqual([]);
    expect(here.eventsOf(asked.runId)).toEqual(["tool:pre", "tool:pending", "tool:post"]);
  });

  test("APTIX-N7: unknown, foreign, used and server-tool results are refused, and so is one that is neither", async () => {
    const here = asking(createMemoryStore(), client);
    const asked = await here.host.call({ name: "probe" }, alice);
    const resume = (ticket: string, context: object, result: unknown) =>
      here.host.resume(ticket, context, result);

    await expect(resume("unknown", alice, { data: 1 })).rejects.toMatchObject({ code: "TICKET_INVALID" });
    await expect(resume(asked.ticket!, { sessionId: "s-2" }, { data: 1 })).rejects.toMatchObject({
      code: "TICKET_INVALID",
    });
    for (const none of [{}, { data: 1, error: "x" }, null, "text", { data: 1, success: true }])
      await expect(resume(asked.ticket!, alice, none)).rejects.toMatchObject({
        code: "CLIENT_RESULT_REFUSED",
      });
    expect(await resume(asked.ticket!, alice, { error: "no window" })).toMatchObject({ status: "failed" });
    await expect(resume(asked.ticket!, alice, { data: 1 })).rejects.toMatchObject({ code: "TICKET_USED" });

    const server = asking();
    const waiting = await server.host.call({ name: "probe" }, alice);
    await expect(server.host.resume(waiting.ticket!, alice, { data: 1 })).rejects.toMatchObject({
      code: "CLIENT_RESULT_REFUSED",
    });
  });

  test("APTIX-N9: is UNAVAILABLE without a store", async () => {
    const { host } = world([tool(undefined, client)]);
    expect(await host.call({ name: "probe" }, alice)).toMatchObject({
      status: "failed",
      result: { code: "UNAVAILABLE" },
    });
  });

  test("asks first if it must; then waits for the client under the same ticket", async () => {
    const here = asking(createMemoryStore(), { execution: "client" });
    const asked = await here.host.call({ name: "probe" }, alice);
    await expect(here.host.resume(asked.ticket!, alice, { data: 1 })).rejects.toMatchObject({
      code: "CLIENT_RESULT_REFUSED",
    });
    await here.host.approvals.decide(await pendingId(here), "approve", "bob");
    expect(await here.host.resume(asked.ticket!, alice)).toMatchObject({
      status: "pending",
      ticket: asked.ticket,
      result: { details: { waitsFor: "client" } },
    });
    expect(await here.host.resume(asked.ticket!, alice, { data: 1 })).toMatchObject({ status: "ok" });
  });
});

describe("a host that ended while the call ran", () => {
  /** A host that begins a call and is never heard of again; its clock stands still from then on. */
  async function crashed(fields = {}) {
    const store = createMemoryStore();
    const here = world(
      [{ ...tool(() => new Promise(() => {}), { requiresConfirmation: true, timeout: 0 }), ...fields }],
      {
        store,
        clock: createFakeClock(),
      },
    );
    const asked = await here.host.call({ name: "probe" }, alice);
    await here.host.approvals.decide(await pendingId(here), "approve", "bob");
    void here.host.resume(asked.ticket!, alice);
    await expect.poll(async () => (await store.approvals.list())[0]?.state).toBe("started");
    return { store, ticket: asked.ticket!, runId: asked.runId };
  }
  const ok = { timeout: 0, category: "read" } as const;

  test("OUTCOME_UNKNOWN: the call is reported once as unknown, and not run again", async () => {
    const { store, ticket, runId } = await crashed();
    const clock = createFakeClock();
    const there = asking(store, ok, { clock });
    expect(await there.host.resume(ticket, alice)).toMatchObject({ status: "pending" });
    await clock.advance(20_000);

    const outcomes: ToolOutcome[] = await Promise.all([1, 2, 3].map(() => there.host.resume(ticket, alice)));

    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: "unknown", runId, result: { code: "OUTCOME_UNKNOWN" } });
    expect(there.ran).toEqual([]);
    expect(there.eventsOf(runId)).toEqual(["tool:error"]);
  });

  test("a host that lost its lease before its tool began does not begin it", async () => {
    const store = createMemoryStore();
    const ends: (() => void)[] = [];
    const busy = tool(() => new Promise((resolve) => ends.push(() => resolve(data(0)))), { name: "busy" });
    let ran = 0;
    const asks = tool(() => data(++ran), { requiresConfirmation: true });
    const limits = { concurrentTotal: 1 };
    const slow = world([busy, asks], { store, clock: createFakeClock(), limits });
    const asked = await slow.host.call({ name: "probe" }, alice);
    await slow.host.approvals.decide(await pendingId(slow), "approve", "bob");
    const occupied = slow.host.call({ name: "busy" });
    const late = slow.host.resume(asked.ticket!, alice); // waits for its turn
    await expect.poll(async () => (await store.approvals.list())[0]?.state).toBe("claimed");

    const clock = createFakeClock();
    const quick = world([busy, asks], { store, clock });
    await clock.advance(20_000);
    expect(await quick.host.resume(asked.ticket!, alice)).toMatchObject({ status: "ok" });
    for (const end of ends) end();

    expect(await occupied).toMatchObject({ status: "ok" });
    expect(await late).toMatchObject({ status: "failed", result: { code: "UNAVAILABLE" } });
    expect(ran).toBe(1);
    const emitted = [...slow.eventsOf(asked.runId), ...quick.eventsOf(asked.runId)];
    expect(emitted.filter((event) => terminal.includes(event))).toEqual(["tool:post"]);
  });

  test("an idempotent tool is run again", async () => {
    const ran: unknown[] = [];
    const fields = {
      idempotent: true,
      execute: (params: unknown) => (ran.push(params) === 1 ? new Promise<never>(() => {}) : data(1)),
    };
    const { store, ticket } = await crashed(fields);
    const clock = createFakeClock();
    const there = world([{ ...tool(undefined, { requiresConfirmation: true, timeout: 0 }), ...fields }], {
      store,
      clock,
    });
    await clock.advance(20_000);

    expect(await there.host.resume(ticket, alice)).toMatchObject({ status: "ok" });
    expect(ran).toHaveLength(2);
  });
});

test("a store that fails denies, and nothing runs", async () => {
  for (const broken of ["add", "replace", "remembered"] as const) {
    const store = createMemoryStore();
    const approvals = { ...store.approvals, [broken]: () => Promise.reject(new Error("disk full")) };
    const here = asking({ ...store, approvals }, {}, { approver: () => ({ decision: "approve" }) });
    const outcome = await here.host.call({ name: "probe" }, alice);
    expect(outcome).toMatchObject({ status: "denied", result: { code: "DENIED" } });
    expect(here.ran).toEqual([]);
    expect(here.eventsOf(outcome.runId).filter((event) => terminal.includes(event))).toEqual(["tool:error"]);
  }
});

test("a tool that calls a tool that asks gets a pending outcome, and the session resumes it", async () => {
  const store = createMemoryStore();
  let inner: ToolOutcome | undefined;
  const { host } = world(
    [
      tool(async (_, context) => data((inner = await context.call({ name: "inner" })).status)),
      tool((_, { depth }) => data(depth), { name: "inner", requiresConfirmation: true }),
    ],
    { store },
  );

  expect(await host.call({ name: "probe" }, alice)).toMatchObject({ result: { data: "pending" } });
  await host.approvals.decide((await host.approvals.list())[0]!.id, "approve", "bob");

  expect(await host.resume(inner!.ticket!, alice)).toMatchObject({ status: "ok", result: { data: 1 } });
});

test("modules find the store that the application gave where they would find a mounted one", () => {
  const store = createMemoryStore({ audit: "batched" });
  const { coordinator } = world([], { store }).host;
  expect(coordinator.get("session-store")).toBe(store.sessions);
  expect(coordinator.get("approval-store")).toBe(store.approvals);
  expect(coordinator.get("audit-sink")).toBe(store.audit);
  expect(world([]).host.coordinator.get("session-store")).toBeNull();
});

test.each([
  ["approval", { requiresConfirmation: true }],
  ["client", { execution: "client" as const }],
])("tool:pending says that the call waits for: %s", async (waitsFor, fields) => {
  const { host, events } = world([tool(() => data(1), fields)], { store: createMemoryStore() });

  const outcome = await host.call({ name: "probe" });

  expect(outcome.result.details).toMatchObject({ waitsFor });
  const pending = events.filter(({ event }) => event === "tool:pending");
  expect(pending.map(({ data: payload }) => payload["waits_for"])).toEqual([waitsFor]);
});
