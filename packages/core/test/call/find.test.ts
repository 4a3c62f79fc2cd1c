import { describe, expect, test } from "vitest";
import { createHost, createMemoryStore, data, type CallContext, type HostOptions } from "../../src/index.ts";
import type { Call } from "../../src/call/call.ts";
import { argumentsProblem } from "../../src/call/find.ts";
import { tool, world } from "../world.ts";

const gone = {
  get member(): never {
    throw new Error("no");
  },
};

/** How a call ends, and what its terminal event says of it. */
async function ended(request: unknown, context?: unknown, options: HostOptions = {}) {
  const { host, events } = world([tool(() => data("ran"))], options);
  const outcome = await host.call(request as never, context as CallContext);
  await host.close();
  const end = events.find(({ event }) => event === "tool:error" || event === "tool:post")!;
  return { outcome, error: outcome.result.error, event: end.data };
}

const problemOf = (given: unknown, argumentBytes: number) =>
  argumentsProblem({ host: { limits: { argumentBytes } } } as Call, given);

describe("arguments that are too large are not read", () => {
  const limits = (argumentBytes: number) => ({ limits: { argumentBytes } });
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;

  test.each([
    [`{"a":"${"x".repeat(1_000)}"}`, 1_007, "larger than 1007 bytes"],
    [`{"a":"${"é".repeat(500)}"}`, 1_007, "larger than 1007 bytes"],
    [{ a: "x".repeat(1_000) }, 1_006, "larger than 1006 bytes"],
    [{ a: "x".repeat(70_000) }, 70_000, "larger than 70000 bytes"],
    [
      Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`key${at}`, 1])),
      65_536,
      "larger than 65536 bytes",
    ],
    [{ a: { b: "x".repeat(70_000) } }, 70_000, "larger than 70000 bytes"],
    [{ ["x".repeat(70_000)]: 1 }, 70_000, "larger than 70000 bytes"],
    [nested(70), 100_000, "nested deeper than 64 levels"],
    [circle, 100_000, "nested deeper than 64 levels"],
  ])("%#", async (given, argumentBytes, problem) => {
    const { outcome, error, event } = await ended(
      { id: "x", name: "probe", arguments: given },
      {},
      limits(argumentBytes),
    );

    expect([outcome.status, outcome.callId, outcome.result.code]).toEqual([
      "invalid",
      "x",
      "INVALID_ARGUMENTS",
    ]);
    expect(error).toBe(`the arguments are ${problem}`);
    expect([event["tool_input"], event["phase"]]).toEqual([{}, "parse"]);
  });

  test.each([
    [`{"a":"${"x".repeat(1_000)}"}`, 1_008],
    [`{"a":"${"é".repeat(500)}"}`, 1_008],
    [{ a: "x".repeat(1_000) }, 1_008],
    [{ a: "x".repeat(1_024), b: null, c: true }, 65_536],
    [Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`a${at}`, 1])), 65_536],
    [nested(63), 100_000],
  ])("and those that fit are read (%#)", async (given, argumentBytes) => {
    expect(
      (await ended({ name: "probe", arguments: given }, {}, limits(argumentBytes))).error,
    ).toBeUndefined();
  });

  test("nor are those whose members throw", async () => {
    expect(problemOf({ a: gone }, 1_000)).toBe("the arguments cannot be read");
    expect((await ended({ name: "probe", arguments: gone })).error).toBe("the arguments cannot be read");
    expect(problemOf(7, 1_000)).toBeNull();
    expect(problemOf("abc", 3)).toBeNull();
    expect(problemOf("abcd", 3)).toBe("the arguments are larger than 3 bytes");
    expect(problemOf("éé", 3)).toBe("the arguments are larger than 3 bytes");
    expect(problemOf("é", 3)).toBeNull();
  });
});

const cause = { sessionId: "p" };

/** Only the host fills a context, so a wrong type is a mistake of the application. */
describe("a context with a member of the wrong type ends the call", () => {
  const text = (key: string) => `the ${key} of the context is not a text`;
  const texts = (key: string) => `the ${key} of the context are not a list of texts`;
  const causes = "the causes of the context are not a list of turns";
  test.each<[object, string]>([
    [{ sessionId: 7 }, text("sessionId")],
    [{ sessionId: null }, text("sessionId")],
    [{ conversationId: 7 }, text("conversationId")],
    [{ turnId: {} }, text("turnId")],
    [{ userId: 7 }, text("userId")],
    [{ prompts: "all" }, texts("prompts")],
    [{ prompts: ["a", 7] }, texts("prompts")],
    [{ parentSessionIds: [null] }, texts("parentSessionIds")],
    [{ parentSessionIds: "p" }, texts("parentSessionIds")],
    [{ causes: cause }, causes],
    [{ causes: ["p"] }, causes],
    [{ causes: [{}] }, causes],
    [{ causes: [cause, { ...cause, turnId: 7 }] }, causes],
    [{ causes: [{ ...cause, callId: 7 }] }, causes],
    [
      { sessionId: "results of s" },
      'the sessionId of the context is that of a log: it begins with "results of "',
    ],
    [
      { sessionId: "changes of s" },
      'the sessionId of the context is that of a log: it begins with "changes of "',
    ],
  ])("%j", async (context, problem) => {
    const { outcome, error, event } = await ended(
      { name: "probe", arguments: { a: 1 } },
      { userId: "u", ...context },
    );

    expect([outcome.status, outcome.result.code, error]).toEqual(["invalid", "INVALID_ARGUMENTS", problem]);
    // What cannot be trusted reaches no event.
    expect(outcome).not.toHaveProperty("userId");
    expect([event["user_id"], event["session_id"], event["phase"]]).toEqual([undefined, undefined, "find"]);
  });

  test.each<[object]>([
    [{ sessionId: "s", conversationId: "c", turnId: "t", userId: "u" }],
    [{ prompts: [], parentSessionIds: [], causes: [] }],
    [{ prompts: ["a"], parentSessionIds: ["p"], causes: [{ ...cause, turnId: "t", callId: "c" }, cause] }],
    [{ sessionId: "my results of s" }],
  ])("%j does not", async (context) => {
    expect((await ended({ name: "probe" }, context)).outcome.status).toBe("ok");
  });

  test("or one that is no object, or cannot be read", async () => {
    expect((await ended({ name: "probe" }, null)).error).toBe("the context is not an object");
    const throwing = Object.defineProperty({}, "userId", { enumerable: true, get: () => gone.member });
    expect((await ended({ name: "probe" }, throwing)).error).toBe("the context cannot be read");
  });
});

describe("a request", () => {
  test.each<[unknown, string, string, string]>([
    [null, "invalid", "undefined", "the request is not an object"],
    ["probe", "invalid", "undefined", "the request is not an object"],
    [{ name: "probe", id: 7 }, "invalid", "probe", "the id of the call is not a text"],
    [{ name: "" }, "not_found", "", 'no tool named "" is mounted'],
    [{ name: 7 }, "not_found", "7", 'no tool named "7" is mounted'],
    [{ name: null }, "not_found", "null", 'no tool named "null" is mounted'],
    [{ name: Symbol("s") }, "not_found", "Symbol(s)", 'no tool named "Symbol(s)" is mounted'],
    [{ name: { toString: () => gone.member } }, "not_found", "", 'no tool named "" is mounted'],
    [
      { name: "x".repeat(300) },
      "not_found",
      "x".repeat(300),
      `no tool named "${"x".repeat(200)}" is mounted`,
    ],
    [{ name: "prob" }, "not_found", "prob", 'no tool named "prob" is mounted; did you mean "probe"?'],
  ])("%o ends as %s", async (request, status, name, error) => {
    const { outcome, event } = await ended(request);

    expect([outcome.status, outcome.result.error]).toEqual([status, error]);
    expect(event["tool_name"]).toBe(name);
    expect(outcome.callId).toBe(outcome.runId);
  });

  test("is refused by a host that is closed", async () => {
    const { host } = world([tool()]);
    await host.close();
    const { result } = await host.call({ name: "probe" });

    expect(result).toMatchObject({
      code: "UNAVAILABLE",
      error: '"probe" cannot run now: the host is closed',
    });
  });

  test("of an internal tool finds none, nor is such a name near", async () => {
    const { host } = world([tool(() => data("inside"), { status: "internal" })]);

    expect((await host.call({ name: "probe" })).result.error).toBe('no tool named "probe" is mounted');
    expect((await host.call({ name: "prob" })).result.error).toBe('no tool named "prob" is mounted');
  });
});

describe("the id of a call", () => {
  const slow = () => {
    let finish = () => {};
    const until = new Promise<void>((resolve) => (finish = resolve));
    return { made: tool(() => until.then(() => data(1))), finish };
  };

  test("is used once among the running calls of a session", async () => {
    const { made, finish } = slow();
    const { host } = world([made]);
    const first = host.call({ id: "x", name: "probe" }, { sessionId: "s" });
    const again = await host.call({ id: "x", name: "probe" }, { sessionId: "s" });

    expect(again).toMatchObject({
      status: "failed",
      callId: "x",
      result: {
        code: "DUPLICATE_CALL",
        error: 'a call with the id "x" is already running in this session',
      },
    });
    const others = [
      host.call({ id: "x", name: "probe" }, { sessionId: "other" }),
      host.call({ id: "x", name: "probe" }),
      host.call({ id: "y", name: "probe" }, { sessionId: "s" }),
      host.call({ name: "probe" }, { sessionId: "s" }),
    ];
    finish();
    for (const outcome of await Promise.all([first, ...others])) expect(outcome.status).toBe("ok");
    expect(await host.call({ id: "x", name: "probe" }, { sessionId: "s" })).toMatchObject({ status: "ok" });
  });

  test("is that of a waiting call until that one has ended", async () => {
    const asking = tool(() => data(1), { requiresConfirmation: true });
    const { host } = world([asking], { store: createMemoryStore() });
    const context = { sessionId: "s" };
    const { ticket } = await host.call({ id: "x".repeat(300), name: "probe" }, context);

    expect((await host.call({ id: "x".repeat(300), name: "probe" }, context)).result.error).toBe(
      `a call with the id "${"x".repeat(200)}" is already running in this session`,
    );
    expect(await host.call({ id: "x".repeat(300), name: "probe" }, { sessionId: "t" })).toMatchObject({
      status: "pending",
    });
    expect(ticket).toEqual(expect.any(String));
  });
});

test("a session whose state cannot be read is unavailable, and the log says why", async () => {
  const lines: unknown[][] = [];
  const silent = () => {};
  const logger = {
    trace: silent,
    debug: silent,
    info: silent,
    warn: silent,
    error: (fields: unknown, text?: string) => void lines.push([fields, text]),
    child: () => logger,
  };
  const store = createMemoryStore();
  const failing = { ...store.sessions, readState: () => Promise.reject(new Error("no disk")) };
  const { host } = world([tool()], { store: { ...store, sessions: failing }, logger });
  const outcome = await host.call({ name: "probe" }, { sessionId: "s" });

  expect(outcome.result).toMatchObject({
    code: "UNAVAILABLE",
    error: '"probe" cannot run now: the stored state of its session could not be read',
  });
  expect(lines).toEqual([
    [
      expect.objectContaining({ run_id: outcome.runId }),
      expect.stringMatching(/^a session could not be read: the store failed and confirmed nothing/),
    ],
  ]);
});

test("tools may call tools as deep as the host allows, and not one deeper", async () => {
  const depths: number[] = [];
  const self = tool(async (_, context) => {
    depths.push(context.depth);
    const { result } = await context.call({ name: "probe" });
    return data(result.error ?? result.data ?? null);
  });
  const host = createHost({ limits: { depth: 2 } });
  host.coordinator.mount("tools", self);

  expect((await host.call({ name: "probe" })).result.data).toBe(
    '"probe" cannot run now: tools may call tools at most 2 deep',
  );
  expect(depths).toEqual([0, 1, 2]);
});
