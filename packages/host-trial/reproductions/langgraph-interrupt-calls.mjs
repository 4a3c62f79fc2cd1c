// LangGraph's interrupt(): of two calls of one answer, each asked and approved, the first runs twice.
// Rows of langgraph-interrupt: twins-both, right-call, right-call-reversed, five, free-call-once
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { model } from "./model.mjs";

const calls = ["a", "b"].map((to) => ["pay", JSON.stringify({ to })]);
const baseURL = await model(calls);
const llm = new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL } });
const act = ({ to }) => (interrupt(to) && console.log("paid", to), "ended");
const pay = tool(act, { name: "pay", schema: z.object({ to: z.string() }) });
const graph = createReactAgent({ llm, tools: [pay], checkpointSaver: new MemorySaver() });
const thread = { configurable: { thread_id: "t" } };
await graph.invoke({ messages: [{ role: "user", content: "pay a and b" }] }, thread);
for (let answer = 1; answer <= 2; answer += 1) {
  const [task] = (await graph.getState(thread)).tasks;
  console.log("asked", task.interrupts[0].value);
  await graph.invoke(new Command({ resume: true }), thread);
}
//> asked a
//> paid a
//> asked b
//> paid a
//> paid b
