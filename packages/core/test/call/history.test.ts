import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createCancellation,
  data,
  failure,
  type CallContext,
  type PendingCall,
  type Policy,
} from "../../src/index.ts";
import { tool, world } from "../world.ts";

/** What a policy gets at this moment: the history grows. */
const factsOf = ({ history, prompts }: PendingCall) => [
  history?.results.map(({ tool: name, value }) => [name, value]) ?? null,
  history?.isPartial ?? null,
  prompts ?? null,
];

/** A host whose one policy keeps what it gets of each call. */
function watched(seesResults = true) {
  const seen: unknown[] = [];
  const made = world([
    tool((given) => data(given)),
    tool(() => failure("no"), { name: "fails" }),
    tool(undefined, { name: "asks", requiresConfirmation: true }),
  ]);
  const policy: Policy = {
    name: "watch",
    seesResults,
    prepare: () => (call) => {
      seen.push(factsOf(call));
      return null;
    },
  };
  made.host.coordinator.mount("policies", policy);
  const call = (name: string, context: CallContext) => made.host.call({ name, arguments: { a: 1 } }, context);
  return { ...made, seen, call };
}
describe("a policy that asks for results", () => {
  test("gets what its session and the parents of it have seen, and the user's words", async () => {
    const { seen, call } = watched();
    await call("probe", { sessionId: "p" });
    await call("fails", { sessionId: "s" });
    await call("asks", { sessionId: "s" });
    await call("gone", { sessionId: "s" });
    await call("probe", { sessionId: "s", parentSessionIds: ["p"], prompts: ["do it"] });
    await call("probe", { parentSessionIds: ["p"] });
    await call("probe", {});

    expect(seen).toEqual([
      [[], false, null],
      [[], false, null],
      [[["fails", "no"]], false, null],
      [
        [
          ["probe", { a: 1 }],
          ["fails", "no"],
        ],
        false,
        ["do it"],
      ],
      [[["probe", { a: 1 }]], false, null],
      [[], false, null],
    ]);
  });

  test("and one that does not gets neither", async () => {
    const { seen, call } = watched(false);
    await call("probe", { sessionId: "s", prompts: ["do it"] });
    await call("probe", { sessionId: "s" });

    expect(seen).toEqual([
      [null, null, null],
      [null, null, null],
    ]);
  });
});

describe("a graceful cancel", () => {
  test("lets a running tool and the calls that it makes end, and stops those that have not begun", async () => {
    const cancellation = createCancellation();
    const { host } = world([
      tool(
        async (_, context) => {
          cancellation.requestGraceful();
          return data((await context.call({ name: "inner" })).status);
        },
        { name: "outer" },
      ),
      tool(() => data(1), { name: "inner" }),
    ]);
    const outcome = await host.call({ name: "outer" }, { cancellation });

    expect([outcome.status, outcome.result.data]).toEqual(["ok", "ok"]);
    expect(await host.call({ name: "inner" }, { cancellation })).toMatchObject({
      status: "cancelled",
      result: { error: "Request was cancelled", details: { cancelled: true } },
    });
  });

  test("and an immediate one stops them, too", async () => {
    const cancellation = createCancellation();
    const { host } = world([
      tool(
        async (_, context) => {
          cancellation.requestImmediate();
          return data((await context.call({ name: "inner" })).status);
        },
        { name: "outer" },
      ),
      tool(() => data(1), { name: "inner" }),
    ]);

    expect((await host.call({ name: "outer" }, { cancellation })).result).toMatchObject({
      data: "cancelled",
    });
  });
});

test("a schema with functions of its author is parsed once where it accepts, and its words are ours where not", async () => {
  let parsed = 0;
  const schema = (isAsync: boolean) =>
    z.looseObject({ a: z.number(), b: z.string().optional() }).refine(
      isAsync
        ? async () => {
            parsed++;
            return true;
          }
        : () => {
            parsed++;
            return true;
          },
    );
  for (const isAsync of [false, true]) {
    const { host } = world([tool((given) => data(given), { schema: schema(isAsync) })]);
    const call = (given: object) => host.call({ name: "probe", arguments: given as never });
    parsed = 0;
    expect((await call({ a: 1 })).result.data).toEqual({ a: 1 });
    expect(parsed).toBe(1);
    expect((await call({ a: "x" })).result.error).toBe("a must be a number, not a string");
    expect((await call({ a: 1, b: 2 })).result.error).toBe("b must be a string, not a number");
    parsed = 0;
    expect((await call({ a: 2 })).result.data).toEqual({ a: 2 });
    expect(parsed).toBe(1);
  }
});
