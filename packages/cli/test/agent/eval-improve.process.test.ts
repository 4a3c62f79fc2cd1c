import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { oneTool, workspace } from "../support/workspace.ts";

const tool = (name: string, description: string) =>
  oneTool({ name, schema: "text: z.string().optional()", body: `throw new Error("a tool ran");` }).replace(
    "Does what a test wants.",
    description,
  );

const evals = ["Ada", "Bob", "Carol", "Dan", "Eve", "Frank"].map(
  (name) => `  - { prompt: List the orders of ${name}., requests: 1, expect: { tools: [list] } }\n`,
);

const plan = `version: 1 # the plan of a shop
tools:
  - module: ./find.ts
  - module: ./list.ts
tests:
${evals.join("")}`;

const files = {
  "plan.yaml": plan,
  "find.ts": tool("find", "Finds an order."),
  "list.ts": tool("list", "Does things with orders."),
};

interface Request {
  readonly input: readonly object[];
  readonly tools?: readonly { readonly name: string; readonly description: string }[];
}

/** A model that prefers `list` by one word of its description, and proposes the descriptions that it is given. */
async function startPreferring(word: string, proposals: readonly string[]) {
  const asked: string[] = [];
  let count = 0;
  const server = createServer(async (incoming, outgoing) => {
    const { input, tools = [] } = (await json(incoming)) as Request;
    const isClear = tools.some(({ name, description }) => name === "list" && description.includes(word));
    const draw = Math.imul(++count, 2_654_435_761) >>> 0;
    const chosen = draw / 2 ** 32 >= (isClear ? 0.05 : 0.5) ? "list" : "find";
    const isAsked = tools.length === 0;
    if (isAsked) asked.push(JSON.stringify(input));
    const output = isAsked ? say(`Here they are: ${JSON.stringify(proposals)}`) : call("c", chosen);
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    const completed = { type: "response.completed", response: response(output).response };
    outgoing.end(`data: ${JSON.stringify(completed)}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const words = ["--model", "dull", "--base-url", baseUrl, "--runs", "20", "--json"];
  return { asked, words: ["test", "improve", "list", "plan.yaml", ...words] };
}

test("a description that the model prefers is found, on prompts that it was not made for, and the plan stays as it is", async () => {
  const { here: run, read } = await workspace(files);
  const better = "Lists all orders of a customer.";
  const { asked, words } = await startPreferring("Lists", [
    "Makes coffee.",
    better,
    "Does things with orders.",
  ]);
  const { code, stdout } = await run(words);
  const found = JSON.parse(stdout) as { readonly heldOut: { readonly changed: readonly { name: string }[] } };

  expect(code).toBe(0);
  expect(found).toMatchObject({
    before: expect.stringContaining("Does things with orders."),
    after: better,
    isBetter: true,
    heldOut: { pairs: 60, better: "new" },
  });
  // The model that proposes has not seen the prompts by which the proposals are judged.
  expect(asked).toHaveLength(1);
  for (const { name } of found.heldOut.changed) expect(asked[0]).not.toContain(name);
  expect(await read("plan.yaml")).toBe(plan);
});

test("where no description matters, none is found to be better", async () => {
  const { here: run } = await workspace(files);
  const { words } = await startPreferring("no such word", [
    "Lists all orders.",
    "Shows every order.",
    "Orders.",
  ]);
  const { code, stdout } = await run(words);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { tried: 3, isBetter: false }]);
});

test("an answer without proposals, and a tool that is not mounted, are reported", async () => {
  const { here: run } = await workspace(files);
  const { words } = await startPreferring("Lists", []);
  const none = await run(words.filter((word) => word !== "--json"));
  const gone = await run(words.map((word) => (word === "list" ? "gone" : word)));

  expect([none.code, none.stdout]).toEqual([0, "list: none of 0 proposed descriptions passes more often\n"]);
  expect(gone.code).toBe(2);
});
