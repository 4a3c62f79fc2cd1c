// Strands Agents over Chat Completions: of several calls of one answer, only the last is seen.
// Rows of strands: twins-both, five, free-call-once
import { Agent, tool } from "@strands-agents/sdk";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([
  ["pay", '{"to":"a"}'],
  ["pay", '{"to":"b"}'],
]);
const chat = new OpenAIModel({ api: "chat", modelId: "m", apiKey: "k", clientConfig: { baseURL } });
const callback = ({ to }) => (console.log("paid", to), "paid");
const pay = tool({ name: "pay", description: "Pays.", inputSchema: z.object({ to: z.string() }), callback });
await new Agent({ model: chat, tools: [pay], printer: false }).invoke("pay a and b");
//> paid b
