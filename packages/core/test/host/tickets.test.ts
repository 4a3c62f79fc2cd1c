import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createMemoryStore, data, type ApprovalDecision, type HostOptions } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const ids = { sessionId: "s", conversationId: "c", turnId: "t", userId: "ada" };
const start = Date.parse("2026-01-01T00:00:00.000Z");
const week = 604_800_000;

/** A call that waits for a person, or for the client. */
async function waiting(fields: object = {}, options: HostOptions = {}) {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const seen: object[] = [];
  const asking = tool((given) => data(seen.push(given)), {
    requiresConfirmation: true,
    category: "write",
    ...fields,
  });
  const made = world([asking], { clock, store, ...options });
  const asked = await made.host.call({ id: "x", name: "probe", arguments: { a: 1 } }, ids);
  const [question] = await made.host.approvals.list({ states: ["pending", "handed"] });
  const ticket = asked.ticket!;
  const resume = (context: object = ids, result?: unknown) => made.host.resume(ticket, context, result);
  const decide = (decision: ApprovalDecision | "approve" | "deny", by = "bob") =>
    made.host.approvals.decide(question!.id, decision, by);
  return {
    ...made,
    clock,
    store,
    asked,
    question: question!,
    ticket,
    resume,
    decide,
    seen,
    ran: () => seen.length,
  };
}
const facts = (runId: string) => ({ callId: "x", runId, tool: "probe", ...ids });

describe("a ticket", () => {
  test("resumes nothing with another session, user or text, or without a store", async () => {
    const { host, ticket, resume, ran } = await waiting();
    const invalid = {
      code: "TICKET_INVALID",
      message: "no waiting call of this session has this ticket; check the ticket, the session and the user",
    };
    for (const context of [{}, { ...ids, sessionId: "t" }, { ...ids, userId: "eve" }, { sessionId: "s" }])
      await expect(resume(context)).rejects.toMatchObject(invalid);
    for (const odd of [`${ticket}x`, "", 7 as never])
      await expect(host.resume(odd, ids)).rejects.toMatchObject(invalid);
    await expect(world([tool()]).host.resume(ticket, ids)).rejects.toMatchObject(invalid);
    expect(ran()).toBe(0);
  });

  test("says how long its call has waited, for whom, and that again until it is answered", async () => {
    const { resume, clock, asked, ticket } = await waiting();
    await clock.advance(1_500);

    expect(await resume()).toEqual({
      ...facts(asked.runId),
      status: "pending",
      result: {
        tool: "probe",
        fetchedAt: "2026-01-01T00:00:00.000Z",
        error: 'waiting for a person to approve "probe"',
        code: "PENDING",
        details: { waitsFor: "approval" },
      },
      durationMs: 1_500,
      ticket,
    });
  });

  test("has the same outcome again, once its call has ended", async () => {
    const { resume, decide, ran } = await waiting();
    await decide("approve");
    const first = await resume();

    expect(first).toMatchObject({ status: "ok", result: { data: 1 } });
    expect(await resume()).toEqual(first);
    expect(ran()).toBe(1);
  });

  test("of a call that the client runs needs its result, and waits until it has it", async () => {
    const { resume, asked } = await waiting({ requiresConfirmation: false, execution: "client" });

    expect(asked.result).toMatchObject({
      error: 'waiting for the client to run "probe"',
      details: { waitsFor: "client", arguments: { a: 1 } },
    });
    expect(await resume()).toMatchObject({ status: "pending", result: { details: { waitsFor: "client" } } });
    expect(await resume(ids, { data: "from the client" })).toMatchObject({
      status: "ok",
      result: { data: "from the client" },
    });
  });
});

describe("a decision", () => {
  test("is shown with the question, and without anything that resumes it", async () => {
    const { decide, question, asked, host } = await waiting();
    const reasons = [{ source: "confirmation", reason: '"probe" asks for confirmation' }];
    const view = {
      id: question.id,
      state: "pending",
      tool: "probe",
      arguments: { a: 1 },
      prompt: 'Run "probe"? "probe" asks for confirmation',
      reasons,
      options: ["Allow", "Deny"],
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      createdAt: start,
      expiresAt: start + week,
      decision: null,
      info: { ...facts(asked.runId), depth: 0 },
      default: "deny",
      rememberable: true,
      runnable: true,
    };
    expect(question).toEqual(view);
    const decision = { decision: "deny", by: "bob", at: start, reason: "not now" };
    expect(await decide({ decision: "deny", reason: "not now" })).toEqual({
      ...view,
      state: "denied",
      decision,
    });
    expect(await host.approvals.list()).toEqual([]);
    expect(await host.approvals.list({ states: ["denied"] })).toMatchObject([{ decision }]);
  });

  test.each<[unknown, string, string, string]>([
    ["yes", "bob", "decision", "it must be approve or deny"],
    [{ decision: "later" }, "bob", "decision", "it must be approve or deny"],
    ["approve", " ", "by", "it must name who decides"],
    ["approve", 7 as never, "by", "it must name who decides"],
    [{ decision: "deny", reason: 7 }, "bob", "reason", "it must be a text"],
    [{ decision: "deny", arguments: {} }, "bob", "arguments", "they are for an approval of this call alone"],
    [
      { decision: "approve", arguments: {}, remember: { scope: "arguments" } },
      "bob",
      "arguments",
      "they are for an approval of this call alone",
    ],
    [
      { decision: "approve", arguments: { a: "x", b: { c: true } } },
      "bob",
      "arguments",
      "a must be a number, not a string; b.c must be a string, not a boolean",
    ],
    [
      { decision: "approve", arguments: { a: 1n } },
      "bob",
      "arguments",
      "it is of type bigint, which JSON cannot hold",
    ],
  ])("%o by %o is refused", async (decision, by, option, problem) => {
    const schema = z.looseObject({ a: z.number(), b: z.looseObject({ c: z.string() }).optional() });
    const { decide, ran } = await waiting({ schema });

    await expect(decide(decision as never, by)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: { option, problem },
    });
    expect(ran()).toBe(0);
  });

  test("of an unknown question, or of one that is decided, is refused with its state", async () => {
    const { decide, host, resume, clock } = await waiting();
    for (const id of ["gone", 7 as never])
      await expect(host.approvals.decide(id, "approve", "bob")).rejects.toMatchObject({
        code: "APPROVAL_NOT_FOUND",
      });
    await decide("approve");
    const decided = (state: string) => ({ code: "APPROVAL_DECIDED", details: { tool: "probe", state } });
    await expect(decide("deny")).rejects.toMatchObject(decided("approved"));
    await resume();
    await expect(decide("deny")).rejects.toMatchObject(decided("ended"));

    const late = await waiting();
    await late.clock.advance(week);
    await expect(late.decide("approve")).rejects.toMatchObject(decided("expired"));
    expect(late.ran()).toBe(0);
    await clock.advance(1);
  });

  test("needs a store, and a reason has a bound", async () => {
    const { host } = world([tool()]);
    await expect(host.approvals.decide("x", "approve", "bob")).rejects.toMatchObject({
      message:
        "the decision about calls that wait needs a store, which is not installed; install it with: state: sqlite:./.toolmount/state.db in the plan, or createHost({ store })",
    });
    expect([await host.approvals.list(), await host.approvals.remembered()]).toEqual([[], []]);
    const { decide } = await waiting();
    expect((await decide({ decision: "deny", reason: "r".repeat(3_000) })).decision!.reason).toBe(
      "r".repeat(2_000),
    );
  });

  test("is an entry of the audit, and an event", async () => {
    const store = createMemoryStore({ audit: "durable" });
    const { decide, events, host, asked } = await waiting({}, { store });
    events.length = 0;
    await decide({ decision: "deny", reason: "no" });
    await host.close();
    const entries = (await store.audit!.read()).map(({ entry }) => entry);

    expect(entries).toContainEqual({
      kind: "decision",
      at: start,
      runId: asked.runId,
      tool: "probe",
      decision: "deny",
      by: "bob",
      reason: "no",
    });
    expect(events[0]).toMatchObject({
      event: "approval:denied",
      data: { by: "bob", reason: "no", run_id: asked.runId },
    });
  });
});

describe("a call that waits ends", () => {
  const ended = (error: string, code: string, status: string) => ({ status, result: { code, error } });

  test.each([
    [undefined, "the approver denied it"],
    ["not now", "not now"],
  ])("as denied, with the reason %s", async (reason, said) => {
    const { decide, resume } = await waiting();
    await decide({ decision: "deny", reason });

    expect(await resume()).toMatchObject(ended(`"probe" was not run: ${said}`, "DENIED", "denied"));
  });

  test("as expired a week later, whether or not it was approved", async () => {
    const expired = ended(
      'the approval of "probe" expired without an answer; call the tool again to ask again',
      "APPROVAL_EXPIRED",
      "denied",
    );
    for (const isApproved of [false, true]) {
      const { resume, decide, clock, ran } = await waiting();
      if (isApproved) await decide("approve");
      await clock.advance(week);
      expect(await resume()).toMatchObject(expired);
      expect(ran()).toBe(0);
    }
  });

  test("as revoked, once; and an unknown approval is not revoked", async () => {
    const { host, question, decide, resume } = await waiting();
    expect(await host.approvals.revoke("gone")).toBe(false);
    expect(await host.approvals.revoke(question.id)).toBe(false);
    await decide("approve");
    expect(await host.approvals.revoke(question.id)).toBe(true);
    expect(await host.approvals.revoke(question.id)).toBe(false);

    expect(await resume()).toMatchObject(
      ended('"probe" was not run: its approval was revoked', "DENIED", "denied"),
    );
  });

  test("not before its last moment, and not in a host that is closed", async () => {
    const { resume, decide, clock, host } = await waiting();
    await clock.advance(week - 1);
    await decide("approve");
    expect(await resume()).toMatchObject({ status: "ok" });
    await host.close();
    await expect(resume()).rejects.toMatchObject({ code: "HOST_CLOSED" });
  });

  test("with the arguments that its approver gave", async () => {
    const schema = z.looseObject({ a: z.number() });
    const { decide, resume, seen } = await waiting({ schema });
    const view = await decide({ decision: "approve", arguments: { a: 2, password: "hunter2" } });

    expect(view.decision).toMatchObject({ arguments: { a: 2, password: "[masked]" } });
    expect((await resume()).status).toBe("ok");
    expect(seen).toEqual([{ a: 2, password: "hunter2" }]);
  });
});
