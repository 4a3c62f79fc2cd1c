import { tracingChannel } from "node:diagnostics_channel";
import { callChannelName } from "@toolmount/core/tracing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createMemoryStore, data, failure, type ContentBlock } from "../../src/index.ts";
import { tool, world } from "../world.ts";

/** An object with an own member `__proto__`, as JSON.parse makes it. */
const ownProto: unknown = JSON.parse('{"__proto__":{"polluted":true},"ok":1}');

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

/** A value whose member can be read so often, and then throws. */
function treacherous(goodReads: number): object {
  let reads = 0;
  return {
    get member(): number {
      if (++reads > goodReads) throw new Error("no");
      return 1;
    },
  };
}

/** Each value is new in each test, because some change when they are read. */
const values: readonly (readonly [string, () => unknown])[] = [
  ["an own __proto__ key", () => ownProto],
  ["an own __proto__ key far inside", () => ({ deep: [{ deeper: ownProto }] })],
  ["a Date", () => ({ at: new Date(0) })],
  ["a function", () => ({ run: () => 1 })],
  ["a symbol", () => ({ name: Symbol("x") })],
  ["a bigint", () => ({ count: 1n })],
  ["more than 64 levels", () => nested(70)],
  ["a getter that throws", () => treacherous(0)],
];

const terminal = ["tool:post", "tool:error"];

describe.each(values)("an answer with %s", (_, make) => {
  test.each([
    ["data", "unknown", () => data(make())],
    ["details of a success", "unknown", () => ({ data: 1, details: make() })],
    ["details of a failure", "failed", () => failure("no", { details: make() as never })],
    ["data beyond the limit of its size", "unknown", () => data(["x".repeat(200_000), make()])],
  ])(
    "in %s breaks the contract, is %s, and the call has one terminal event",
    async (_place, said, answer) => {
      const { host, eventsOf } = world([tool(answer)]);
      const { status, result, runId } = await host.call({ name: "probe" });

      expect([status, result.code]).toEqual([said, "CONTRACT_VIOLATION"]);
      expect(Object.isFrozen(result)).toBe(true);
      expect(eventsOf(runId).filter((name) => terminal.includes(name))).toEqual(["tool:error"]);
    },
  );
});

test.each([
  ["data", () => data(treacherous(1))],
  ["details of a success", () => ({ data: 1, details: treacherous(1) })],
  ["data beyond the limit of its size", () => data(["x".repeat(200_000), treacherous(1)])],
])("a member of %s that throws at its second read breaks the contract", async (_place, answer) => {
  const { host, eventsOf } = world([tool(answer)]);
  const { status, result, runId } = await host.call({ name: "probe" });

  expect([status, result.code]).toEqual(["unknown", "CONTRACT_VIOLATION"]);
  expect(eventsOf(runId).filter((name) => terminal.includes(name))).toEqual(["tool:error"]);
});

test("the details of a failure are read once, and the result has what was read then", async () => {
  const { host, eventsOf } = world([tool(() => failure("no", { details: treacherous(1) as never }))]);
  const { status, result, runId } = await host.call({ name: "probe" });

  expect([status, result.error, result.details]).toEqual(["failed", "no", { member: 1 }]);
  expect(eventsOf(runId).filter((name) => terminal.includes(name))).toEqual(["tool:error"]);
});

test("a gate that replaces a result by one that is not JSON withholds it, with one terminal event", async () => {
  const { host, eventsOf } = world([tool(() => data(1))]);
  host.coordinator.hooks.gate("tool:post", () => ({
    action: "modify",
    data: { tool_result: { data: ownProto } },
  }));
  const { status, runId } = await host.call({ name: "probe" });

  expect(status).toBe("denied");
  expect(eventsOf(runId).filter((name) => terminal.includes(name))).toHaveLength(1);
});

test.each([
  [
    "a Proxy that throws",
    new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error("trap");
        },
        get: () => {
          throw new Error("trap");
        },
      },
    ),
  ],
  ["a revoked Proxy", revoked()],
  ["an error whose members throw", hostileError()],
])("a tool that throws %s has failed, and the host has not", async (_, thrown) => {
  const { host, eventsOf } = world([
    tool(() => {
      throw thrown as Error;
    }),
  ]);
  const { status, result, runId } = await host.call({ name: "probe" });

  expect([status, result.code]).toEqual(["failed", "TOOL_FAILED"]);
  expect(eventsOf(runId)).toEqual(["tool:pre", "tool:error"]);
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function hostileError(): Error {
  const error = new Error("x");
  for (const key of ["name", "message", "stack"])
    Object.defineProperty(error, key, {
      get: () => {
        throw new Error("trap");
      },
    });
  return error;
}

test("outputBytes counts warnings, MIME types and images", async () => {
  const image = (bytes: number): ContentBlock => ({
    type: "image",
    data: "A".repeat(bytes),
    mimeType: "image/png",
  });
  const options = { limits: { outputBytes: 10_000 } };
  const answer = async (given: unknown) => {
    const { host } = world([tool(() => given)], options);
    const { result } = await host.call({ name: "probe" });
    return JSON.stringify(result).length;
  };

  expect(
    await answer({ data: 1, warnings: Array.from({ length: 1_000 }, () => "w".repeat(1_000)) }),
  ).toBeLessThan(20_000);
  expect(
    await answer({ data: 1, content: [{ ...image(10), mimeType: "m".repeat(1_000_000) }] }),
  ).toBeLessThan(20_000);
  expect(await answer(failure("no", { code: "X".repeat(100_000) }))).toBeLessThan(20_000);
  expect(
    await answer({ data: 1, content: Array.from({ length: 100 }, () => image(1_000_000)) }),
  ).toBeLessThan(20_000_000);
});

test("the arguments of a tool are frozen, whether or not anyone watches", async () => {
  const seen: boolean[] = [];
  const probe = tool((params) => {
    seen.push(Object.isFrozen(params), Object.isFrozen(params["list"]));
    return data(1);
  });
  const given = { list: [1] };
  for (const record of [true, false])
    await world([probe], {}, "inline", record).host.call({ name: "probe", arguments: given });

  expect(seen).toEqual([true, true, true, true]);
  expect(Object.isFrozen(given)).toBe(false);
});

describe.each([{ traced: false }, { traced: true }])("an invalid request, traced: $traced", ({ traced }) => {
  beforeEach(() => {
    if (!traced) return;
    const listeners = { start: () => {} };
    tracingChannel(callChannelName).subscribe(listeners as never);
    onTestFinished(() => tracingChannel(callChannelName).unsubscribe(listeners as never));
  });
  const throwing = (key: string) =>
    Object.defineProperty({ name: "probe" }, key, {
      enumerable: true,
      get: () => {
        throw new Error("trap");
      },
    });
  test.each([
    ["null", null],
    ["undefined", undefined],
    ["a number", 1],
    ["a text", "probe"],
    ["a name that is no text", { name: { toString: null } }],
    ["a symbol as name", { name: Symbol("x") }],
    ["an id that is no text", { name: "probe", id: { a: 1 } }],
    ["a name that throws", throwing("name")],
    ["an id that throws", throwing("id")],
    ["arguments that throw", throwing("arguments")],
    ["a revoked Proxy", revoked()],
  ])("%s has a proper outcome and one event", async (_, request) => {
    const { host, events } = world([tool()]);
    const { status, result } = await host.call(request as never);

    expect(["invalid", "not_found"]).toContain(status);
    expect(["INVALID_ARGUMENTS", "TOOL_NOT_FOUND"]).toContain(result.code);
    expect(events.map(({ event }) => event)).toEqual(["tool:error"]);
  });

  test.each([
    ["null", null],
    ["a session id that is no text", { sessionId: 5 }],
    ["members that throw", throwing("sessionId")],
  ])("a context that is %s has a proper outcome and one event", async (_, context) => {
    const { host, events } = world([tool()], { store: createMemoryStore() });
    const { status, result } = await host.call({ name: "probe" }, context as never);

    expect([status, result.code]).toEqual(["invalid", "INVALID_ARGUMENTS"]);
    expect(events.map(({ event }) => event)).toEqual(["tool:error"]);
  });
});

test.each([
  [
    "throws",
    (signal: AbortSignal) =>
      signal.addEventListener("abort", () => {
        throw new Error("boom");
      }),
  ],
  [
    "rejects",
    (signal: AbortSignal) =>
      signal.addEventListener("abort", async () => {
        throw new Error("boom");
      }),
  ],
  [
    "throws in handleEvent",
    (signal: AbortSignal) =>
      signal.addEventListener("abort", {
        handleEvent: () => {
          throw new Error("boom");
        },
      }),
  ],
  [
    "throws as onabort",
    (signal: AbortSignal) =>
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the member is what is tested
      void (signal.onabort = () => {
        throw new Error("boom");
      }),
  ],
])("an abort listener of a tool that %s ends no process and is logged", async (_, listen) => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on("uncaughtException", note).on("unhandledRejection", note);
  const lines: string[] = [];
  const line = (_fields: object, message = "") => void lines.push(message);
  const logger = { trace: line, debug: line, info: line, warn: line, error: line, child: () => logger };
  const { host } = world(
    [
      tool((_params, { abortSignal }) => {
        listen(abortSignal);
        return new Promise((resolve) =>
          abortSignal.addEventListener("abort", () => resolve(data("stopped"))),
        );
      }),
    ],
    { logger },
  );
  const controller = new AbortController();
  const outcome = host.call({ name: "probe" }, { abortSignal: controller.signal });
  controller.abort();

  expect((await outcome).result).toMatchObject({ data: "stopped" });
  await new Promise((resolve) => setImmediate(resolve));
  process.off("uncaughtException", note).off("unhandledRejection", note);
  expect(uncaught).toEqual([]);
  expect(lines.some((message) => message.includes("abort"))).toBe(true);
});

test("a listener that a tool removes is not called", async () => {
  let called = 0;
  const { host } = world([
    tool((_params, { abortSignal }) => {
      const listener = () => void called++;
      abortSignal.addEventListener("abort", listener);
      abortSignal.removeEventListener("abort", listener);
      abortSignal.addEventListener("abort", listener, { once: true });
      return new Promise((resolve) => abortSignal.addEventListener("abort", () => resolve(data(1))));
    }),
  ]);
  const controller = new AbortController();
  const outcome = host.call({ name: "probe" }, { abortSignal: controller.signal });
  controller.abort();
  await outcome;

  expect(called).toBe(1);
});

describe("a schema with an asynchronous refinement", () => {
  const schemaOf = (check: (value: string) => Promise<boolean>) =>
    z.strictObject({ name: z.string().refine(check, "is not known") });

  test("that rejects ends its call, not the process", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    const schema = schemaOf(async () => Promise.reject(new Error("the directory is away")));
    const { host, events } = world([tool(() => data(1), { schema })]);
    const outcome = await host.call({ name: "probe", arguments: { name: "ada" } });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);

    expect(outcome.status).toBe("invalid");
    expect(unhandled).toEqual([]);
    expect(events.at(-1)?.event).toBe("tool:error");
  });

  test("runs it once a call", async () => {
    let runs = 0;
    const schema = schemaOf(async (name) => (runs++, name === "ada"));
    const { host } = world([tool((params) => data(params), { schema })]);
    await new Promise((resolve) => setImmediate(resolve)); // the probes of the mount have settled
    runs = 0;
    const good = await host.call({ name: "probe", arguments: { name: "ada" } });
    const afterGood = runs;
    const bad = await host.call({ name: "probe", arguments: { name: "bob" } });

    expect([good.status, afterGood]).toEqual(["ok", 1]);
    expect([bad.status, runs]).toEqual(["invalid", 2]);
    expect(bad.result.error).toContain("is not known");
  });

  test("a synchronous refinement runs once for valid arguments, and its schema is still probed at mount", async () => {
    let runs = 0;
    const schema = z.strictObject({ n: z.coerce.number().refine(() => (runs++, true)) });
    expect(() => world([tool(() => data(1), { schema })])).toThrow("accepts");
    const plain = z.strictObject({ n: z.number().refine(() => (runs++, true)) });
    const { host } = world([tool(() => data(1), { schema: plain })]);
    runs = 0;
    await host.call({ name: "probe", arguments: { n: 1 } });

    expect(runs).toBe(1);
  });
});

test("an answer with a date says where it is, and what to write instead", async () => {
  const { host } = world([tool(() => data({ orders: [{ at: new Date(0) }] } as never))]);

  const { result } = await host.call({ name: "probe" });
  expect(result.error).toBe(
    '"probe" broke the tool contract: its answer is a Date, not JSON (write its toISOString()): data.orders.0.at',
  );
});
