import { tracingChannel } from "node:diagnostics_channel";
import { ToolmountError } from "@toolmount/core";
import { turnChannelName } from "@toolmount/core/tracing";
import { expect, onTestFinished, test } from "vitest";
import { traceTurnOf } from "../../src/turn/trace.ts";

type Traced = Parameters<typeof traceTurnOf>[0];

/** Runs a turn that takes seven milliseconds, and returns what the tracing channel says of it at its end. */
async function traced(turn: Partial<Traced>, act: () => object = () => ({})) {
  const heard: object[] = [];
  const end = (message: unknown) => void heard.push({ ...(message as object) });
  tracingChannel(turnChannelName).asyncEnd.subscribe(end);
  onTestFinished(() => tracingChannel(turnChannelName).asyncEnd.unsubscribe(end));
  let now = 100;
  const facts = { id: "s", parentId: null, userId: null, agent: null, depth: 0, allowed: [] };
  const given = {
    hostId: "h",
    turnId: "t",
    facts,
    place: { provider: "p", model: "m" },
    agent: null,
    userId: undefined,
    traceparent: undefined,
    began: null,
    now: () => now,
    ...turn,
  } as Traced;
  const result = await traceTurnOf(given, async () => {
    now += 7;
    return act() as never;
  }).catch((error: unknown) => error);
  return { said: heard[0], result, facts };
}

const common = {
  hostId: "h",
  sessionId: "s",
  turnId: "t",
  model: "m",
  server: "p",
  agent: null,
  depth: 0,
  resumed: false,
  durationMs: 7,
};
const ended = { status: "done", iterations: 2, calls: 3, usage: { requests: 2 } };

test("a turn is traced with its facts, how it ended and how long it took", async () => {
  const { said } = await traced({}, () => ended);

  expect(said).toMatchObject({ ...common, ...ended });
  for (const key of ["parentSessionId", "userId", "resumedBy", "failure"])
    expect(said).not.toHaveProperty(key);
});

test("the turn of a sub-agent has its parent, its user and its agent; and one that is resumed who resumed it", async () => {
  const facts = { id: "s", parentId: "parent", userId: null, agent: "helper", depth: 1, allowed: [] };
  const { said } = await traced(
    {
      facts,
      userId: "ada",
      agent: { description: "Helps." } as never,
      began: "00-began",
      traceparent: "00-now",
    },
    () => ({ ...ended, status: "failed", error: { code: "C", message: "m" } }),
  );

  expect(said).toMatchObject({
    ...common,
    ...ended,
    status: "failed",
    depth: 1,
    resumed: true,
    agent: { name: "helper", description: "Helps." },
    parentSessionId: "parent",
    userId: "ada",
    traceparent: "00-began",
    resumedBy: "00-now",
    failure: { code: "C", message: "m" },
  });
});

test.each([
  [
    new ToolmountError("HOST_CLOSED", {}),
    { code: "HOST_CLOSED", message: "the host is closed; open a new one" },
  ],
  [new Error("secret"), { code: "INTERNAL", message: "the host failed" }],
])("a turn that throws %o is traced as failed, without words that are not ours", async (error, failure) => {
  const { said, result } = await traced({}, () => {
    throw error;
  });

  expect(result).toBe(error);
  expect(said).toMatchObject({ ...common, status: "failed", failure });
});
