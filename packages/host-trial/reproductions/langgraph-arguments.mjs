// LangGraph: an integer beyond 2^53 is changed, and a member __proto__ is lost.
// Rows of langgraph, langgraph-interrupt: big-integer, proto
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([
  ["store", '{"amount":9007199254740993,"value":{"__proto__":{"paid":true},"a":1}}'],
]);
const llm = new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL } });
const schema = z.object({ amount: z.number(), value: z.looseObject({}) });
const store = tool((given) => (console.log(JSON.stringify(given)), "stored"), { name: "store", schema });
await createReactAgent({ llm, tools: [store] }).invoke({ messages: [{ role: "user", content: "store" }] });
//> {"amount":9007199254740992,"value":{"a":1}}
