import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { Annotation, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { createHost, data, defineTool, systemClock, type ApprovalAnswer } from "@toolmount/core";
import { z } from "zod";

const payments = "payments.txt";
const checkpoints = "checkpoints.bin";

const pay = defineTool({
  name: "pay",
  description: "Pays an invoice. Use when a person asked to pay it. Not for refunds.",
  schema: z.strictObject({ invoice: z.string(), euros: z.number().positive() }),
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: true,
  execute: ({ invoice, euros }) => {
    appendFileSync(payments, `${invoice} ${euros}\n`);
    return data({ invoice, euros });
  },
});

/** What was paid until now, in euros. */
export function paidSoFar(): number {
  const lines = existsSync(payments) ? readFileSync(payments, "utf8").trim().split("\n") : [];
  return lines.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0);
}

/** LangGraph's checkpoints, kept in a file. In production use a checkpointer of LangGraph for your database. */
export function loadCheckpoints(): { saver: MemorySaver; save(): void } {
  const saver = new MemorySaver();
  if (existsSync(checkpoints)) Object.assign(saver, deserialize(readFileSync(checkpoints)));
  const save = () => writeFileSync(checkpoints, serialize({ storage: saver.storage, writes: saver.writes }));
  return { saver, save };
}

const State = Annotation.Root({ status: Annotation<string> });

/** The graph, and the host of its tool. `hoursLater` moves the host's clock. */
export function createAgent(saver: MemorySaver, hoursLater = 0) {
  const clock = { ...systemClock, now: () => Date.now() + hoursLater * 3_600_000 };
  const host = createHost({
    clock,
    approver: ({ tool, arguments: given }) =>
      interrupt<unknown, ApprovalAnswer>({ tool: tool.name, arguments: given }),
  });
  host.coordinator.mount("tools", pay);
  return new StateGraph(State)
    .addNode("act", async () => {
      const call = { name: "pay", arguments: { invoice: "INV-7", euros: 120 } };
      return { status: (await host.call(call, { sessionId: "payments", userId: "agent" })).status };
    })
    .addEdge(START, "act")
    .addEdge("act", END)
    .compile({ checkpointer: saver });
}

export const thread = { configurable: { thread_id: "payments" } };
