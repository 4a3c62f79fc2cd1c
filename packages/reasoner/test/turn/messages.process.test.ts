import { expect, test } from "vitest";
import { createMemoryStore, silentLogger, type Logger } from "@toolmount/core";
import { call, response, say, tool, world, type Request } from "../support/world.ts";

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

const users = (request: Request | undefined) =>
  request!.input.filter(({ role }) => role === "user").map(({ content }) => content);

test("a message is stored before its sender hears so: a process that ends with it loses nothing", async () => {
  const store = createMemoryStore();
  const wait = tool("wait", () => new Promise(() => {}), { idempotent: true });
  const first = await world([response([call("c", "wait")])], { tools: [wait], store, graceMs: 0 });
  const called = Promise.withResolvers<void>();
  const gone = first.run("list them", { onEvent: ({ type }) => type === "tool_call" && called.resolve() });
  gone.catch(() => {}); // as if its process had ended
  await called.promise;
  await first.reasoner.addMessage("s", "only the blue ones");
  first.reasoner.release("s");

  const look = tool("wait", () => "red, blue", { idempotent: true });
  const second = await world([response([say("blue")])], { tools: [look], store });
  expect(await second.resume()).toMatchObject({ status: "done", text: "blue" });
  expect(users(second.requests[0])).toEqual(["list them", "only the blue ones"]);
  expect(second.events).toContainEqual({ type: "message", text: "only the blue ones" });
});

test("a turn that is left to another process has not failed here", async () => {
  const lines: unknown[] = [];
  const error = (_: object, text?: string) => void lines.push(text);
  const logger: Logger = { ...silentLogger, error, child: () => logger };
  const look = tool("look", () => reasoner.release("s"));
  const { reasoner, run } = await world([response([call("c", "look")])], { tools: [look], host: { logger } });
  await expect(run("list them")).rejects.toMatchObject({ code: "SESSION_CONFLICT" });
  expect(lines).toEqual([]);
});

test("a message for which a cancelled turn had no round left is read by the next turn", async () => {
  const controller = new AbortController();
  const look = tool("look", async () => {
    await reasoner.addMessage("s", "stop, the green ones");
    controller.abort();
    return 1;
  });
  const { reasoner, run, requests } = await world([response([call("c", "look")]), response([say("green")])], {
    tools: [look],
  });
  expect(await run("list them", { abortSignal: controller.signal })).toMatchObject({ status: "cancelled" });
  expect(await run("go on")).toMatchObject({ status: "done" });
  expect(users(requests[1])).toEqual(["list them", "stop, the green ones", "go on"]);
});

test("of many messages around the end of a turn, each is read by it, or refused", async () => {
  const sent: Promise<string>[] = [];
  const { reasoner, run, requests } = await world(
    (_, at) => {
      if (at === 0) send();
      return response([say(`answer ${at}`)]);
    },
    { settings: { maxIterations: 1_000 } },
  );
  const outcomes: string[] = [];
  let isOver = false;
  const send = () => {
    const text = `message ${sent.length}`;
    const adding = reasoner.addMessage("s", text).then(
      () => `taken ${text}`,
      () => `refused ${text}`,
    );
    sent.push(adding);
    void adding.then(() => !isOver && sent.length < 40 && setImmediate(send));
  };
  await run("go");
  isOver = true;
  outcomes.push(...(await Promise.all(sent)));
  const read = users(requests.at(-1)).filter((content) => content !== "go");
  expect(outcomes.filter((one) => one.startsWith("taken")).map((one) => one.slice(6))).toEqual(read);
});
