import { expect, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { oneTool, workspace } from "../support/workspace.ts";

/** A shop whose orders are in its mount: a fresh host has fresh orders. */
const shop = `import { data, defineTool } from "@toolmount/core";
import { z } from "zod";

export function mount(coordinator) {
  const orders = { "7": { status: "delivered", items: ["lamp"] }, "8": { status: "pending", items: [] } };
  const change = (name, status) =>
    coordinator.mount(
      "tools",
      defineTool({
        name,
        description: \`Makes an order \${status}. Use when the customer asks for it.\`,
        schema: z.strictObject({ id: z.string() }),
        category: "write",
        consequenceLevel: "high",
        requiresConfirmation: true,
        execute: ({ id }) => {
          if (orders[id] === undefined) return { error: \`there is no order \${id}\` };
          orders[id].status = status;
          return data(orders[id]);
        },
      }),
    );
  change("return_order", "returned");
  change("cancel_order", "cancelled");
  coordinator.registerCapability("world.state", () => ({ orders }));
}
`;

const planOf = (evals: string) => `version: 1
tools:
  - module: ./shop.mjs
tests:
${evals}`;

const returned = `  - name: returns
    prompt: I want to return my lamp.
    replies:
      - { when: [sure, confirm], say: "Yes." }
      - { when: order, say: "Order 7." }
    world: ./plan.yaml
    expect:
      state: { orders: { "7": { status: returned } } }
      stateAfter: [{ return_order: { id: "7" } }]
      text: { contains: [done] }
`;

const talk = (tool: string) => [
  response(say("Which order is it?")),
  response(say("Are you sure?")),
  response(call("c1", tool, { id: "7" })),
  response(say("It is done.")),
];

test("tools of a world run, a scripted user answers, and the end state decides, fresh for each run", async () => {
  const { run } = await workspace({
    "plan.yaml": planOf(returned),
    "shop.mjs": shop,
    "good.json": JSON.stringify([...talk("return_order"), ...talk("return_order")]),
    "bad.json": JSON.stringify(talk("cancel_order")),
  });
  const good = await run(["eval", "plan.yaml", "--model", "replay:good.json", "--runs", "2", "--json"]);
  const bad = await run(["eval", "plan.yaml", "--model", "replay:bad.json", "--json"]);

  expect(good.code, good.stdout + good.stderr).toBe(0);
  const one = { calls: [{ tool: "return_order", status: "ok" }], tokens: 20, problems: [] };
  expect(good.json()).toMatchObject({ passed: 2, evals: [{ problems: [], runs: [one, one] }] });
  expect(bad.code).toBe(1);
  // Once by the members that are named, once by the whole state.
  expect(bad.json()).toMatchObject({
    evals: [
      {
        problems: [`the state at orders.7.status is "cancelled", not "returned"`],
        runs: [{ calls: [{ status: "ok" }] }],
      },
    ],
  });
});

test("the whole end state counts with stateAfter, and another way to it passes", async () => {
  const cancels = `  - name: cancels
    prompt: Cancel order 8.
    world: ./plan.yaml
    expect: { stateAfter: [{ cancel_order: { id: "8" } }], errors: false }
`;
  const { here: run } = await workspace({
    "plan.yaml": planOf(cancels),
    "shop.mjs": shop,
    "long.json": JSON.stringify([
      response(call("c1", "return_order", { id: "8" })),
      response(call("c2", "cancel_order", { id: "8" })),
      response(say("Cancelled.")),
    ]),
    "more.json": JSON.stringify([
      response(call("c1", "cancel_order", { id: "8" }), call("c2", "cancel_order", { id: "7" })),
      response(say("Cancelled.")),
    ]),
    "gone.json": JSON.stringify([response(call("c1", "cancel_order", { id: "9" })), response(say("Hm."))]),
  });
  const evaluate = async (file: string) => {
    const { code, stdout } = await run(["eval", "plan.yaml", "--model", `replay:${file}`, "--json"]);
    const { evals } = JSON.parse(stdout) as { evals: { problems: string[] }[] };
    return [code, evals[0]!.problems];
  };
  expect(await evaluate("long.json")).toEqual([0, []]);
  expect(await evaluate("more.json")).toEqual([
    1,
    [`the state at orders.7.status is "cancelled", not "delivered"`],
  ]);
  expect(await evaluate("gone.json")).toEqual([
    1,
    [
      "cancel_order ended failed: Error: there is no order 9",
      `the state at orders.8.status is "pending", not "cancelled"`,
    ],
  ]);
});

test("answers of given come before the world's, policy and schema before both", async () => {
  const evals = `  - name: mixed
    prompt: Return orders 7 and 8, and cancel 8.
    world: ./world.yaml
    given: { cancel_order: { data: { status: kept } } }
    expect: { stateAfter: [{ return_order: { id: "7" } }] }
`;
  const { here: run } = await workspace({
    "plan.yaml": `${planOf(evals)}policy:\n  deny: ["return_order(8)"]\n`,
    "world.yaml": planOf("").replace("tests:\n", ""),
    "shop.mjs": shop,
    "talk.json": JSON.stringify([
      response(
        call("c1", "return_order", { id: "7" }),
        call("c2", "return_order", { id: "8" }),
        call("c3", "return_order", { id: 8 }),
        call("c4", "cancel_order", { id: "8" }),
      ),
      response(say("Done.")),
    ]),
  });
  const { code, stdout } = await run(["eval", "plan.yaml", "--model", "replay:talk.json", "--json"]);
  const { evals: found } = JSON.parse(stdout) as { evals: { runs: { calls: { status: string }[] }[] }[] };
  expect(code, stdout).toBe(0);
  expect(found[0]!.runs[0]!.calls.map(({ status }) => status)).toEqual(["ok", "denied", "invalid", "ok"]);
});

test("a world that cannot be opened, one without a state, and wrong keys are refused", async () => {
  const evaluate = async (evals: string) => {
    const { here: run } = await workspace({
      "plan.yaml": planOf(evals),
      "still.yaml": "version: 1\ntools:\n  - module: ./still.ts\n",
      "still.ts": oneTool({ name: "still", schema: "", body: "return data(1);" }),
      "shop.mjs": shop,
      "talk.json": JSON.stringify([response(say("Done."))]),
    });
    const { code, stderr } = await run(["eval", "plan.yaml", "--model", "replay:talk.json"]);
    return `${code} ${stderr}`;
  };
  const item = (keys: string, expected: string) => `  - { prompt: x, ${keys}expect: { ${expected} } }\n`;

  expect(await evaluate(item("", "state: { a: 1 }"))).toMatch(/plan\.yaml:5:.*state needs a world/);
  expect(await evaluate(item("world: ./gone.yaml, ", "tools: []"))).toContain("gone.yaml");
  expect(await evaluate(item("world: ./still.yaml, ", "stateAfter: []"))).toContain("shows no state");
  expect(await evaluate(item("world: ./plan.yaml, ", "stateAfter: 3"))).toMatch(/:5:.*a list of calls/);
  expect(await evaluate(item("replies: [{ sey: x }], ", "tools: []"))).toMatch(/:5:.*unknown key "sey"/);
  expect(await evaluate(item("replies: yes, ", "tools: []"))).toContain("replies is a list");
});
