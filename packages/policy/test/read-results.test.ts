import type { CallHistory, PendingCall, ToolInfo } from "@toolmount/core";
import { expect, test } from "vitest";
import { createFlows } from "../src/flows/flow-policy.ts";
import { flows } from "../src/flows/schema.ts";

const config = flows.parse({
  into: [{ match: { tool: "send" }, control: ["to"], content: ["body"], from: ["user"] }],
});
const tool = { name: "send", owner: "m", inputSchema: {} } as unknown as ToolInfo;
const words = (count: number) =>
  Array.from({ length: count }, (_, at) => `w${(at * 7919) % 100_003}`).join(" ");

function callAfter(results: number, body: string): PendingCall {
  const value = { body: words(35_000) };
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
    arguments: { to: "bob@corp.example", body },
    info: {},
    history,
    prompts: ["bob@corp.example"],
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
  expect(judge(callAfter(1, "see you at noon then"))).not.toHaveProperty("then");
});

test("what is read in pauses is compared as what is read at once", async () => {
  const judge = createFlows(config).prepare(tool)!;
  expect(await judge(callAfter(30, words(20)))).toMatchObject({ answer: "ask" });
  expect(await judge(callAfter(30, "see you at noon then, my friend"))).toMatchObject({ answer: "none" });
});
