import { expect, test } from "vitest";
import { call, response, say, tool, world } from "../support/world.ts";

test("a message during a turn is read after the calls that run, and the turn ends after its answer", async () => {
  const look = tool("look", async (): Promise<string> => {
    await reasoner.addMessage("s", "only the blue ones");
    return "red, blue";
  });
  const { reasoner, run, requests, events } = await world(
    async ({ input }, at) => {
      // The last answer of the turn is on its way.
      if (at === 1) await reasoner.addMessage("s", "and the green ones");
      return at === 0 ? response([call("c", "look")]) : response([say(`answer to ${input.length} items`)]);
    },
    { tools: [look] },
  );
  const turn = await run("list them");

  expect(turn).toMatchObject({ status: "done", iterations: 3 });
  const users = requests.map(({ input }) =>
    input.filter(({ role }) => role === "user").map(({ content }) => content),
  );
  expect(users).toEqual([
    ["list them"],
    ["list them", "only the blue ones"],
    ["list them", "only the blue ones", "and the green ones"],
  ]);
  expect(requests[1]!.input.map(({ type, role }) => role ?? type)).toEqual([
    "user",
    "function_call",
    "function_call_output",
    "user",
  ]);
  expect(events).toContainEqual({ type: "message", text: "only the blue ones" });
  await expect(reasoner.addMessage("s", "too late")).rejects.toMatchObject({ code: "SESSION_CONFLICT" });
});

test("a session ends its turn when its budget of cost is used up, and the budget needs prices", async () => {
  const answers = () =>
    response([call(`c${Math.random()}`, "look")], { usage: { input_tokens: 1_000_000, output_tokens: 0 } });
  const settings = { budgets: { cost: 2 }, prices: { input: 1, output: 1 } };
  const { run } = await world(answers, { tools: [tool("look", () => 1)], settings });
  expect(await run("go")).toMatchObject({
    status: "failed",
    iterations: 2,
    cost: { amount: 2, currency: "USD" },
    error: { code: "AGENT_BUDGET_EXHAUSTED", details: { budget: "cost", limit: 2 } },
  });

  const { run: priceless } = await world(answers, { settings: { budgets: { cost: 2 } } });
  await expect(priceless("go")).rejects.toThrow("budgets.cost needs prices");
});

test("calls after an added message know it as the user's words, and calls after a rewind no longer do", async () => {
  const words: (readonly string[] | undefined)[] = [];
  const add = tool("add", () => reasoner.addMessage("s", "and the green ones"));
  const look = tool("look", () => 1);
  const { host, reasoner, run } = await world(
    [
      response([call("c1", "add")]),
      response([call("c2", "look")]),
      response([say("done")]),
      response([call("c3", "look")]),
      response([say("done")]),
    ],
    { tools: [add, look] },
  );
  host.coordinator.mount("policies", {
    name: "listener",
    seesResults: true,
    prepare: () => (facts: { readonly prompts?: readonly string[] | undefined }) => {
      words.push(facts.prompts);
      return { answer: "allow" };
    },
  });
  await run("list them");
  await reasoner.rewind(host, "s", 1);
  await run("start again");
  expect(words).toEqual([["list them"], ["list them", "and the green ones"], ["start again"]]);
});
