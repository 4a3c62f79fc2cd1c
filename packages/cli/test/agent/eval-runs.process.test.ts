import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { call, response } from "../support/exchange.ts";
import { oneTool, workspace } from "../support/workspace.ts";

const tool = (name: string, description: string) =>
  oneTool({ name, schema: "text: z.string().optional()", body: `throw new Error("a tool ran");` }).replace(
    "Does what a test wants.",
    description,
  );

const planOf = (list: string) => `version: 1
tools:
  - module: ./find.ts
  - module: ./${list}.ts
tests:
  - name: lists
    prompt: List the orders of Ada.
    requests: 1
    expect: { tools: [list] }
  - { name: finds, prompt: Find the order of Ada., requests: 1, expect: { tools: [find] } }
`;

const files = {
  "plan.yaml": planOf("vague"),
  "clear.yaml": planOf("clear"),
  "find.ts": tool("find", "Finds an order."),
  "vague.ts": tool("list", "Does things with orders."),
  "clear.ts": tool("list", "Lists all orders of a customer."),
};

interface Request {
  readonly input: readonly { readonly content?: unknown }[];
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly model: string;
}

/**
 * A model whose preferences are known. Asked to list, it calls `find` in 40 % of its answers (as "sharp" in 10 %), unless the
 * description of `list` says that it lists. The n-th answer to it is the same in each test.
 */
async function startConfused(): Promise<string> {
  let count = 0;
  const server = createServer(async (incoming, outgoing) => {
    const { input, tools, model } = (await json(incoming)) as Request;
    const isList = JSON.stringify(input.at(-1)).includes("List");
    const isClear = tools.some(({ name, description }) => name === "list" && description.includes("Lists"));
    count += isList ? 1 : 0;
    const draw = Math.imul(count, 2_654_435_761) >>> 0;
    const share = isClear || model === "sharp" ? 0.1 : 0.4;
    const chosen = isList && draw / 2 ** 32 >= share ? "list" : "find";
    const { response: body } = response(call("c", chosen));
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.end(`data: ${JSON.stringify({ type: "response.completed", response: body })}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const words = async (...more: string[]) => [
  "eval",
  "plan.yaml",
  "--model",
  "dull",
  "--base-url",
  await startConfused(),
  ...more,
];

test("several runs show a share with its interval, mark what is flaky, and are written for CI", async () => {
  const { here: run, read } = await workspace(files);
  const reports = ["--out", "evals.xml", "--out", "evals.md"];
  const ended = await run(
    await words("--runs", "20", "--concurrency", "4", "--record", "evals.tape", ...reports),
  );
  const again = await run(["eval", "plan.yaml", "--model", "replay:evals.tape", "--runs", "20", "--json"]);
  const more = await run(["eval", "plan.yaml", "--model", "replay:evals.tape", "--runs", "21", "--json"]);

  expect(ended.code).toBe(1);
  expect(ended.stdout).toMatch(/~ plan\.yaml:\d+:\d+ lists: 12\/20 flaky/);
  expect(ended.stdout).toContain(
    "32 of 40 runs pass: 80 %, 95 % interval 65 % to 90 %; pass^20 50 %, 1 flaky",
  );
  expect(await read("evals.xml")).toContain('<failure message="12 of 20 runs pass, flaky">');
  expect(await read("evals.md")).toContain("| lists | 12/20 flaky | the model called find, not list |");
  expect(again.json()).toMatchObject({ passed: 32, runs: 40, flaky: ["lists"], stale: [] });
  // One run more than the tape has: it cannot be answered, and no recorded answer counts twice.
  expect(more.json()).toMatchObject({ stale: ["lists", "finds"] });
});

test("a gate below 1 is about the lower end of the interval, and says how many runs it takes", async () => {
  const { here: run } = await workspace(files);
  const few = await run(await words("--text", "finds", "--runs", "5", "--min-pass", "0.9"));
  const enough = await run(await words("--text", "finds", "--runs", "35", "--min-pass", "0.9"));

  expect([few.code, few.stdout]).toEqual([1, expect.stringContaining("it takes 35 runs that all pass")]);
  expect(enough.code, enough.stdout).toBe(0);
});

test("two plans, and two models, are compared pair by pair, with the test and its p", async () => {
  const { here: run } = await workspace(files);
  const compared = await run(await words("--runs", "40", "--compare", "clear.yaml"));
  const models = await run(await words("--runs", "40", "--model", "sharp"));
  const same = await run(await words("--runs", "40", "--model", "dull", "--json"));

  expect([compared.code, compared.stdout]).toEqual([1, expect.stringContaining("clear.yaml is better")]);
  expect(compared.stdout).toMatch(/exact McNemar test, two-sided, p = [\d.e-]+\)/);
  expect(models.stdout).toContain("sharp is better");
  expect([same.code, same.json()]).toMatchObject([0, { comparisons: [{ pairs: 80, better: null }] }]);
});
