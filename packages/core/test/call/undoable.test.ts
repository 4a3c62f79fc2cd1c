import { describe, expect, test } from "vitest";
import { createMemoryStore, data, failure, type HostOptions, type Runner } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const start = Date.parse("2026-01-01T00:00:00.000Z");
const undo = () => data(null);

/** What a session has of a call of this tool, and what the call says. */
async function changed(
  fields: object,
  options: HostOptions = {},
  more: { runner?: string; runners?: Record<string, Runner> } = {},
) {
  const clock = createFakeClock();
  const made = world([], { clock, ...options });
  for (const [name, runner] of Object.entries(more.runners ?? {}))
    made.host.coordinator.mount("runners", runner, { name });
  const draft = made.host.draft();
  for (const module of made.host.modules()) draft.keepModule(module);
  const shape = more.runner === undefined ? {} : { runner: more.runner };
  const { execute = () => data(1), ...rest } = fields as { execute?: () => unknown };
  draft
    .addModule({ id: "tests", shapeTool: () => shape })
    .coordinator.mount("tools", tool(execute, { category: "write", ...rest }));
  await draft.commit();
  const session = made.host.session("s");
  const outcome = await session.call(
    { id: "x", name: "probe", arguments: { to: "a", body: "b" } },
    { turnId: "t" },
  );
  return { ...made, session, outcome, changes: await session.changes() };
}
const here: Runner = { run: async () => data("elsewhere") };
const undoing = { ...here, undoes: true } as Runner;

describe("what a call does that cannot be undone is kept with its reason", () => {
  const kept = (reason: string) => `what "probe" does cannot be undone${reason}`;

  test.each<[string, Parameters<typeof changed>, string]>([
    ["its tool says so", [{ irreversible: true }], kept("")],
    [
      "its undo would run where no runner undoes",
      [{ undo }, {}, { runner: "far", runners: { far: here } }],
      kept(': its runner "far" runs no undo'),
    ],
    [
      "the host's runner runs no undo",
      [{ undo }, { runner: here }],
      kept(": the runner of the host runs no undo"),
    ],
  ])("%s", async (_, given, reason) => {
    const { changes, outcome } = await changed(...given);

    expect(outcome.status).toBe("ok");
    expect(changes).toEqual([
      {
        number: 1,
        at: start,
        tool: "probe",
        callId: "x",
        runId: outcome.runId,
        turnId: "t",
        arguments: { to: "a", body: "b" },
        irreversible: reason,
        isUndone: false,
      },
    ]);
  });

  test("but not where it can be undone, or has no effect that a session knows", async () => {
    expect((await changed({ undo })).changes).toEqual([]);
    expect((await changed({ undo }, {}, { runner: "far", runners: { far: undoing } })).changes).toEqual([]);
    expect((await changed({})).changes).toEqual([]);
    const { host } = world([tool(() => data(1), { irreversible: true })]);
    expect((await host.call({ name: "probe" })).status).toBe("ok");
  });

  test("with only the arguments that decide where an effect goes", async () => {
    const { changes } = await changed({ irreversible: true, control: ["to"] });

    expect(changes[0]!.arguments).toEqual({ to: "a" });
  });
});

describe("an undo that cannot run says why", () => {
  const made = async () => {
    const execute = async (_: object, { undoable }: { undoable?: (given: unknown) => Promise<void> }) => {
      await undoable?.({ before: 1 });
      return data(1);
    };
    return changed({ undo, execute });
  };

  test("where another module has mounted its tool", async () => {
    const { host, session } = await made();
    const draft = host.draft();
    draft.addModule({ id: "other" }).coordinator.mount("tools", tool(undefined, { undo }));
    await draft.commit();
    const { stopped, undone } = await session.undo();

    expect(undone).toEqual([]);
    expect(stopped!.outcome.result).toMatchObject({
      code: "UNDO_UNAVAILABLE",
      error: '"probe" cannot undo its call: "tests" mounted it, and now "other" does',
    });
  });

  test.each<[Parameters<typeof tool>[1], string]>([
    [{}, "the tool has no undo"],
    [{ undo, execution: "client" }, "it runs at the client"],
  ])("where its tool is now %o", async (fields, reason) => {
    const { host, session } = await made();
    const draft = host.draft();
    draft.addModule({ id: "tests" }).coordinator.mount("tools", tool(undefined, fields));
    await draft.commit();

    expect((await session.undo()).stopped!.outcome.result.error).toBe(
      `"probe" cannot undo its call: ${reason}`,
    );
  });

  test("with the words of its tool, and the changes that are left", async () => {
    const { session } = await changed({
      undo: () => failure("the note is gone", { code: "CHANGED_SINCE" }),
      execute: async (_: object, { undoable }: { undoable?: (given: unknown) => Promise<void> }) => {
        await undoable?.({ before: 1 });
        await undoable?.({ before: 2 });
        return data(1);
      },
    });
    const { undone, stopped, left, irreversible, isPartial } = await session.undo();

    expect([undone, irreversible, isPartial]).toEqual([[], [], false]);
    expect(stopped).toMatchObject({
      change: { number: 2 },
      outcome: { status: "failed", result: { error: "the note is gone" } },
    });
    expect(left.map(({ number }) => number)).toEqual([1]);
  });
});

test("a question whose time has passed is stored as denied, or as approved where that is its default", async () => {
  for (const [approvalDefault, decision] of [
    ["deny", { decision: "deny", by: "timeout", reason: "expired" }],
    ["allow", { decision: "approve", by: "the declared default" }],
  ] as const) {
    const clock = createFakeClock();
    const { host } = world([tool(() => data(1))], {
      clock,
      store: createMemoryStore(),
      approver: () => new Promise(() => {}),
    });
    host.coordinator.hooks.gate("tool:pre", () => ({
      action: "ask_user",
      reason: "sure?",
      approvalTimeoutMs: 50,
      approvalDefault,
    }));
    const called = host.call({ name: "probe" }, { sessionId: "s" });
    await clock.advance(60);
    await called;
    const [record] = await host.approvals.list({ states: ["approved", "denied", "started", "ended"] });

    expect(record!.decision).toEqual({ ...decision, at: start + 50 });
  }
});

test("uses of a remembered approval that cannot be counted are in the log, and the call runs", async () => {
  const lines: unknown[] = [];
  const ignore = () => {};
  const logger = {
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: (fields: object, text?: string) => void lines.push([fields, text]),
    error: ignore,
    child: () => logger,
  };
  const store = createMemoryStore();
  const approvals = { ...store.approvals, countUses: () => Promise.reject(new Error("boom")) };
  const { host } = world([tool(() => data(1), { requiresConfirmation: true })], {
    store: { ...store, approvals },
    logger,
    approver: () => ({ decision: "approve", remember: { scope: "arguments" } }),
  });
  const call = () => host.call({ name: "probe" }, { sessionId: "s" });
  expect([(await call()).status, (await call()).status]).toEqual(["ok", "ok"]);
  await host.close();

  expect(lines).toEqual([
    [{ err: expect.anything() as object }, "the uses of remembered approvals could not be counted"],
  ]);
});
