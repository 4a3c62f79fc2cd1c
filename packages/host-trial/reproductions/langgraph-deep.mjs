// LangGraph: a question with arguments of 400 levels is stored, and cannot be read again.
// Rows of langgraph, langgraph-interrupt: deep
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([["store", `{"value":${'{"a":'.repeat(400)}1${"}".repeat(400)}}`]]);
const llm = new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL } });
const act = (given) => (interrupt(given), console.log("stored"), "stored");
const store = tool(act, { name: "store", schema: z.object({ value: z.looseObject({}) }) });
const graph = createReactAgent({ llm, tools: [store], checkpointSaver: new MemorySaver() });
const thread = { configurable: { thread_id: "t" } };
const run = (input) => graph.invoke(input, thread).catch(({ message }) => console.log(message.slice(0, 61)));
await run({ messages: [{ role: "user", content: "store" }] });
await run(new Command({ resume: true }));
//> Maximum recursion depth (50) exceeded during deserialization.
