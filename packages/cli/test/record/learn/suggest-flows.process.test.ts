import { openHost } from "@toolmount/loader";
import type { Reasoner } from "@toolmount/reasoner";
import { expect, test } from "vitest";
import { extensions } from "../../../src/host/extensions.ts";
import { call, say } from "../../support/exchange.ts";
import { startModel, type Script } from "../../support/scripted-model.ts";
import { oneTool, workspace } from "../../support/workspace.ts";

const orders = [
  { id: "ORDER-11", title: "Emma" },
  { id: "ORDER-12", title: "Ivanhoe, a novel" },
];

const list = oneTool({ name: "list_orders", body: `return data(${JSON.stringify(orders)});` }).replace(
  "side_effect",
  "read",
);
const refund = oneTool({
  name: "refund_order",
  schema: "order: z.string()",
  body: "return data(params);",
}).replace('category: "side_effect"', 'category: "side_effect", control: ["order"]');

const plan = (baseUrl: string) => `# The plan of a shop.
version: 1
state: sqlite:./state.db
tools:
  - module: ./list.ts
  - module: ./refund.ts # gives money back
policy:
  level: paranoid
agent: { model: scripted, baseUrl: "${baseUrl}" }
`;

/** The user asks without an id, so the model looks it up. */
const turn = (order: string) => [
  [call("a", "list_orders")],
  [call("b", "refund_order", { order })],
  [say("Done.")],
];

const script: Script = {
  "Refund my last order.": turn("ORDER-12"),
  "Please refund the order of Emma.": turn("ORDER-11"),
  "Refund the oldest order.": turn("ORDER-11"),
  "Is Ivanhoe on its way?": turn("ORDER-12"),
};

/** Runs each prompt in a session; the person says no to the last refund. */
async function recorded(isDenied: boolean) {
  const { folder, here, read } = await workspace({
    "plan.yaml": plan(await startModel(script)),
    "list.ts": list,
    "refund.ts": refund,
  });
  let prompt = "";
  const host = await openHost(`${folder}/plan.yaml`, {
    extensions,
    approver: ({ info }) => ({
      decision: isDenied && info.tool === "refund_order" && prompt.startsWith("Is") ? "deny" : "approve",
      by: "ada",
    }),
  });
  const reasoner = host.coordinator.get("orchestrator") as Reasoner;
  for (prompt of Object.keys(script))
    expect(await reasoner.run(host, { prompt })).toMatchObject({ status: "done" });
  await host.close();
  return { folder, here, read };
}

test("policy suggest --from sessions writes flows and the lines that rely on them, and the plan asks about what was denied", async () => {
  const { folder, here: run, read } = await recorded(true);
  const found = await run(["policy", "suggest", "plan.yaml", "--from", "sessions", "--yes"]);
  expect(found.code, found.stderr).toBe(0);
  expect(found.stdout).toContain("flows results list_orders: fields {*.id: structured}: 3 calls");
  expect(found.stdout).toContain("flows into refund_order: from [user, structured], intent user: 3 calls");
  expect(found.stdout).toContain("flows ask about 0 of the approved calls; without these lines, about 3");
  expect(await read("plan.yaml")).toContain(`  - module: ./refund.ts # gives money back
policy:
  level: paranoid
  allow:
    - list_orders
    - refund_order
`);
  expect(await read("plan.yaml")).toContain(`  flows:
    results:
      - match: { tool: list_orders }
        fields: { "*.id": structured }
    into:
      - match: { tool: refund_order }
        from: [ user, structured ]
        intent: user
`);
  const check = await run(["check", "plan.yaml"]);
  expect(check.code, check.stdout + check.stderr).toBe(0);

  // Another prompt that asks for it runs; one that does not is asked about.
  const asked: string[] = [];
  const host = await openHost(`${folder}/plan.yaml`, {
    extensions,
    approver: ({ reasons }) => {
      asked.push(reasons.map(({ reason }) => reason).join());
      return { decision: "deny" };
    },
  });
  for (const prompt of ["Please refund order number two.", "What did I order?"]) {
    const context = { sessionId: prompt, prompts: [prompt] };
    await host.call({ name: "list_orders" }, context);
    await host.call({ name: "refund_order", arguments: { order: "ORDER-12" } }, context);
  }
  await host.close();
  expect(asked).toEqual(["the user did not name this action"]);

  // With the lines in the plan, nothing is left to suggest.
  const again = await run(["policy", "suggest", "plan.yaml", "--from", "sessions"]);
  expect(again.stdout).not.toContain("nothing is written");
});

test("sessions that show nothing leave the plan as it is", async () => {
  const { here: run } = await workspace({
    "plan.yaml": "version: 1\ntools: [{ module: ./list.ts }]\n",
    "list.ts": list,
  });
  const found = await run(["policy", "suggest", "plan.yaml", "--from", "sessions", "--json"]);
  expect(found.json()).toMatchObject({ lines: [], flows: null, answered: 0 });
});
