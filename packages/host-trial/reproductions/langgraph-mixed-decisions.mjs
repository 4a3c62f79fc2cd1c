// LangChain's middleware for people over LangGraph: of two calls, one denied and one approved, the approved one does not run.
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, humanInTheLoopMiddleware } from "langchain";
import { z } from "zod";

const calls = ["a", "b"].map((to) => ({ id: to, name: "pay", args: { to }, type: "tool_call" }));
const replies = [
  new AIMessage({ content: "", tool_calls: calls }),
  new AIMessage("Done."),
  new AIMessage("Done."),
];
const model = Object.assign(new FakeListChatModel({ responses: [] }), {
  bindTools: () => model,
  invoke: async () => replies.shift(),
});
const pay = tool(({ to }) => (console.log("paid", to), "paid"), {
  name: "pay",
  schema: z.object({ to: z.string() }),
});
const middleware = [humanInTheLoopMiddleware({ interruptOn: { pay: true } })];
const agent = createAgent({ model, tools: [pay], middleware, checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: "t" } };
await agent.invoke({ messages: [{ role: "user", content: "pay a and b" }] }, thread);
const decisions = [{ type: "reject" }, { type: "approve" }];
const { messages } = await agent.invoke(new Command({ resume: { decisions } }), thread);
console.log(messages.at(-1).text);
