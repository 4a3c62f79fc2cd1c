import { describe, expect, test } from "vitest";
import {
  createHost,
  createMemoryStore,
  data,
  failure,
  type ApprovalQuestion,
  type KeptResult,
  type PendingCall,
  type PolicyAnswer,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const s = { sessionId: "s", userId: "u" };
const origin = { argument: "to", value: "bob", origin: "untrusted", isAccepted: false } as const;

test("the reasons of a question are those of each asker, with the origins where a policy names them", async () => {
  const questions: ApprovalQuestion[] = [];
  const { host } = world([tool(() => data(1), { requiresConfirmation: true })], {
    approver: (question) => (questions.push(question), { decision: "deny" }),
  });
  const answers: PolicyAnswer[] = [
    { answer: "ask", reason: "by level", because: "level" },
    { answer: "ask", reason: "by rule", rule: "r" },
    { answer: "ask", reason: "by origin", origins: [origin] },
  ];
  for (const [at, answer] of answers.entries())
    host.coordinator.mount("policies", { name: `p${at}`, prepare: () => () => answer });
  host.coordinator.hooks.gate("tool:pre", () => ({ action: "ask_user", reason: "by gate" }), { name: "g" });
  await host.call({ name: "probe" }, s);

  expect(questions[0]!.reasons).toStrictEqual([
    { source: "gate", reason: "by gate", rule: "g" },
    { source: "rule", reason: "by rule", rule: "r" },
    { source: "rule", reason: "by origin", rule: undefined, origins: [origin] },
    { source: "confirmation", reason: '"probe" asks for confirmation' },
    { source: "level", reason: "by level", rule: undefined },
  ]);
  expect(questions[0]!.prompt).toBe('Run "probe"? by gate');
});

test.each([
  ["denied by a gate", {}, { action: "deny", reason: "no" }],
  ["without an approver", { requiresConfirmation: true }, undefined],
] as const)("a call that is %s is announced once, and gates see its end", async (_, fields, answer) => {
  const { host, events } = world([tool(() => data(1), fields)]);
  const ends: unknown[] = [];
  host.coordinator.hooks.gate("tool:pre", () => answer);
  host.coordinator.hooks.gate("tool:error", (_event, { status }) => void ends.push(status));
  await host.call({ name: "probe" });

  expect(events.map(({ event, data: { decision } }) => [event, decision])).toEqual([
    ["tool:pre", "deny"],
    ["tool:error", undefined],
  ]);
  expect(ends).toEqual(["denied"]);
});

/** A host whose policy sees what its session has seen. */
function seeing(
  tools: Parameters<typeof world>[0],
  answer: PolicyAnswer | null = null,
  options: object = {},
) {
  const seen: (readonly KeptResult[])[] = [];
  const made = world(tools, options);
  made.host.coordinator.mount("policies", {
    name: "flow",
    seesResults: true,
    prepare: () => (call: PendingCall) => {
      seen.push([...call.history!.results]);
      return answer;
    },
  });
  /** The results that a policy sees before the next call. */
  const results = async (context: object = s): Promise<readonly KeptResult[]> => {
    await made.host.call({ name: "probe" }, context);
    return seen.at(-1)!;
  };
  return { ...made, results };
}

describe("a policy sees of earlier calls", () => {
  const mail = tool(
    ({ fail, meta }) => ({
      ...(fail === undefined
        ? data({ sent: 1 })
        : failure(fail as string, fail === "why" ? { details: { a: 1 } } : {})),
      ...(meta === undefined ? {} : { meta: { label: "secret" } }),
    }),
    { name: "mail", content: ["body"] },
  );
  const kept = { call: 1, tool: "mail", owner: "tests", arguments: {}, isError: false };

  test.each<[object, object]>([
    [
      { to: "ada", body: "long" },
      { arguments: { to: "ada" }, value: { sent: 1 } },
    ],
    [{ fail: "no" }, { arguments: { fail: "no" }, value: "no", isError: true }],
    [
      { fail: "why" },
      { arguments: { fail: "why" }, value: { error: "why", details: { a: 1 } }, isError: true },
    ],
    [{ meta: 1 }, { arguments: { meta: 1 }, value: { sent: 1 }, meta: { label: "secret" } }],
  ])("with the arguments %j what chose them and what they answered", async (given, result) => {
    const { host, results } = seeing([mail, tool()]);
    await host.call({ name: "mail", arguments: given as never }, s);

    expect(await results()).toStrictEqual([{ ...kept, ...result }]);
    expect(await results({ sessionId: "other" })).toEqual([]);
    expect(await results({ sessionId: "child", userId: "u", parentSessionIds: ["s"] })).toMatchObject([
      { tool: "mail" },
      { tool: "probe" },
    ]);
  });

  test("nothing of those that did not run, of those without a session, and of undone ones", async () => {
    const { host, results } = seeing([
      mail,
      tool(),
      tool(undefined, { name: "asks", requiresConfirmation: true }),
    ]);
    await host.call({ name: "asks" }, s);
    await host.call({ name: "gone" }, s);
    await host.call({ name: "mail", arguments: { to: "ada" } });

    expect(await results()).toEqual([]);
  });

  test("content beside the data", async () => {
    const content = [{ type: "text", text: "t" }] as const;
    const { host, results } = seeing([tool(() => ({ data: 1, content }), { name: "rich" }), tool()]);
    await host.call({ name: "rich" }, s);

    expect((await results())[0]!.value).toEqual({ data: 1, content });
  });

  test.each([
    ["a person approved", { decision: "approve", by: "ada" }, ["bob"]],
    ["a declared default approved", null, undefined],
  ] as const)("the values that %s", async (_, answer, confirmed) => {
    const clock = createFakeClock();
    const asking: PolicyAnswer = { answer: "ask", reason: "r", origins: [origin] };
    const approver = () => (answer === null ? new Promise<never>(() => {}) : answer);
    const { host, results } = seeing([mail, tool()], asking, { approver, clock });
    if (answer === null)
      host.coordinator.hooks.gate("tool:pre", () => ({
        action: "ask_user",
        approvalTimeoutMs: 5,
        approvalDefault: "allow",
      }));
    const called = host.call({ name: "mail", arguments: { to: "bob" } }, s);
    await clock.advance(10);
    expect((await called).status).toBe("ok");
    const [first] = await (answer === null
      ? (async () => {
          const next = results();
          await clock.advance(10);
          return next;
        })()
      : results());

    expect(first!.confirmed).toEqual(confirmed);
  });
});

test("a call ends once its result is stored for later calls, and says when the store has not answered in time", async () => {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const stored = Promise.withResolvers<void>();
  const append: typeof store.sessions.append = async (...given) => {
    await stored.promise;
    return store.sessions.append(...given);
  };
  const sessions = { ...store.sessions, append };
  const { host } = seeing([tool(undefined, { timeout: 1_000 })], null, {
    store: { ...store, sessions },
    clock,
  });
  let ended = 0;
  const call = () => host.call({ name: "probe" }, s).finally(() => ended++);
  const late = call();
  await clock.advance(999);
  expect(ended).toBe(0);
  await clock.advance(1);
  expect((await late).result.warnings).toEqual(["its end is not stored yet; the store has not answered"]);
  const quick = call();
  await clock.advance(1);
  expect(ended).toBe(1);
  stored.resolve();
  expect((await quick).result.warnings).toBeUndefined();
});

test("a tool's own name for a tool that asks is that tool when the call resumes", async () => {
  const store = createMemoryStore();
  const open = () => {
    const host = createHost({ store });
    const draft = host.draft();
    const mount = (id: string, one: object, shape: object = {}) =>
      draft.addModule({ id, shapeTool: () => shape }).coordinator.mount("tools", one as never);
    mount(
      "asks",
      tool(({ a }) => data(a), { name: "asks", requiresConfirmation: true }),
      { name: "renamed" },
    );
    mount(
      "outer",
      tool(async (_, { call }) => data((await call({ name: "asks", arguments: { a: 7 } })).result.data), {
        name: "outer",
        idempotent: true,
      }),
      { uses: { asks: "renamed" } },
    );
    void draft.commit();
    return host;
  };
  const { ticket } = await open().call({ name: "outer" }, s);
  const [question] = await open().approvals.list();
  expect(question!.tool).toBe("renamed");
  await open().approvals.decide(question!.id, "approve", "ada");

  expect(await open().resume(ticket!, s)).toMatchObject({ status: "ok", result: { data: 7 } });
});
