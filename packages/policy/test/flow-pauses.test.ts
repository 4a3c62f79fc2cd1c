import type { CallHistory, PendingCall, ToolInfo } from "@toolmount/core";
import { expect, test } from "vitest";
import { createFlows } from "../src/flows/flow-policy.ts";
import { Meter, type Steps } from "../src/flows/meter.ts";
import { flows } from "../src/flows/schema.ts";

const config = flows.parse({
  into: [{ match: { tool: "send" }, control: ["to"], content: ["body"], from: ["user"] }],
});
const tool = { name: "send", owner: "m", inputSchema: {} } as unknown as ToolInfo;
const words = (count: number) =>
  Array.from({ length: count }, (_, at) => `w${(at * 7919) % 100_003}`).join(" ");

interface Given {
  readonly body?: string;
  readonly to?: string | readonly string[];
  readonly prompt?: string;
  /** Words of each result. */
  readonly said?: number;
}

function callAfter(results: number, given: Given | string): PendingCall {
  const { body, to, prompt, said } = {
    body: "see you at noon then",
    to: "bob@corp.example",
    prompt: "bob@corp.example",
    said: 35_000,
    ...(typeof given === "string" ? { body: given } : given),
  };
  const value = { body: words(said) };
  const history: CallHistory = {
    isPartial: false,
    results: Array.from({ length: results }, (_, at) => ({
      call: at + 1,
      tool: "read",
      owner: "m",
      arguments: {},
      value: { ...value },
      isError: false,
    })),
  };
  const call = {
    tool,
    arguments: { to, body },
    info: {},
    history,
    prompts: [prompt],
  };
  return call as unknown as PendingCall;
}

/** How often other work of the host could run before the answer. */
async function turnsUntil(answer: unknown): Promise<number> {
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await Promise.resolve(answer).finally(() => (isDone = true));
  return turns;
}

test("a long history is read with pauses, once, and a short one at once", async () => {
  const judge = createFlows(config).prepare(tool)!;
  const call = callAfter(30, "see you at noon then");
  expect(await turnsUntil(judge(call))).toBeGreaterThanOrEqual(14);
  expect(judge(call)).not.toHaveProperty("then");
  expect(judge(callAfter(1, { said: 5_000 }))).not.toHaveProperty("then");
});

test("what is read in pauses is compared as what is read at once", async () => {
  const judge = createFlows(config).prepare(tool)!;
  expect(await judge(callAfter(30, words(20)))).toMatchObject({ answer: "ask" });
  expect(await judge(callAfter(30, "see you at noon then, my friend"))).toMatchObject({ answer: "none" });
});

test("what a call itself brings is compared with pauses, too", async () => {
  const judge = createFlows(config).prepare(tool)!;
  const pauses = async (results: number, given: Given) => {
    await judge(callAfter(results, {}));
    return turnsUntil(judge(callAfter(results, given)));
  };
  const many = Array.from({ length: 1_000 }, (_, at) => `u${at}@x.example`);

  expect(await pauses(1, { body: words(40_000) })).toBeGreaterThanOrEqual(2);
  expect(await pauses(1, { body: "\u4e2d\u6587\u5b57".repeat(15_000) })).toBeGreaterThanOrEqual(2);
  expect(
    await pauses(1, { body: words(9), prompt: `bob@corp.example ${words(40_000)}` }),
  ).toBeGreaterThanOrEqual(2);
  expect(await pauses(5, { to: many })).toBeGreaterThanOrEqual(10);
});

test("a pause comes after each 33,554,432 characters of work, at the end of a step", () => {
  const meter = new Meter();
  const steps = function* (): Steps<string> {
    yield meter.work(33_554_432);
    yield meter.work(1);
    return "done";
  };
  const early = function* (): Steps<string> {
    yield meter.work(33_554_432);
    return "at once";
  };
  expect(new Meter().run(early())).toBe("at once");
  expect(meter.run(steps())).toBeInstanceOf(Promise);
});
