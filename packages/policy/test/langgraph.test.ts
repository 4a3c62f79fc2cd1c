import {
  Annotation,
  Command,
  END,
  INTERRUPT,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { createHost, data, type ApprovalAnswer } from "@toolmount/core";
import { expect, test } from "vitest";
import { tool } from "./world.ts";

test("FORGE-19: an approver may be LangGraph's interrupt: the graph stops, asks, and continues with the answer", async () => {
  const ran: unknown[] = [];
  const host = createHost({
    approver: ({ tool: asked, arguments: given }) =>
      interrupt<unknown, ApprovalAnswer>({ tool: asked.name, arguments: given }),
  });
  host.coordinator.mount(
    "tools",
    tool("pay", { requiresConfirmation: true, execute: (params) => data(ran.push(params)) }),
  );
  const State = Annotation.Root({ status: Annotation<string> });
  const graph = new StateGraph(State)
    .addNode("act", async () => ({
      status: (await host.call({ name: "pay", arguments: { amount: 5 } })).status,
    }))
    .addEdge(START, "act")
    .addEdge("act", END)
    .compile({ checkpointer: new MemorySaver() });

  for (const [thread, decision, status] of [
    ["a", "approve", "ok"],
    ["b", "deny", "denied"],
  ] as const) {
    const config = { configurable: { thread_id: thread } };
    const stopped = await graph.invoke({ status: "" }, config);
    expect(stopped).toMatchObject({ [INTERRUPT]: [{ value: { tool: "pay", arguments: { amount: 5 } } }] });
    const resumed = await graph.invoke(new Command({ resume: { decision, by: "bob" } }), config);
    expect(resumed.status).toBe(status);
  }
  expect(ran).toEqual([{ amount: 5 }]);
});
