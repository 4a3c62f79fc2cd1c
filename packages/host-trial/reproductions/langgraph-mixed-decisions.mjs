// LangChain's middleware for people over LangGraph: of two calls, one denied and one approved, the approved one does not run.
// Rows of langgraph: twins-one, right-call, right-call-reversed, five
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, humanInTheLoopMiddleware } from "langchain";
import { z } from "zod";
import { model } from "./model.mjs";

const calls = ["a", "b"].map((to) => ["pay", JSON.stringify({ to })]);
const baseURL = await model(calls);
const chat = new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL } });
const schema = z.object({ to: z.string() });
const pay = tool(({ to }) => (console.log("paid", to), "paid"), { name: "pay", schema });
const middleware = [humanInTheLoopMiddleware({ interruptOn: { pay: true } })];
const agent = createAgent({ model: chat, tools: [pay], middleware, checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: "t" } };
await agent.invoke({ messages: [{ role: "user", content: "pay a and b" }] }, thread);
const decisions = [{ type: "reject" }, { type: "approve" }];
const { messages } = await agent.invoke(new Command({ resume: { decisions } }), thread);
console.log(messages.at(-1).text);
//> Done.
