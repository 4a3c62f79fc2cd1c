import { argv } from "node:process";
import { Command } from "@langchain/langgraph";
import { createAgent, loadCheckpoints, paidSoFar, thread } from "./agent.ts";

const { saver, save } = loadCheckpoints();
const agent = createAgent(saver, 24);
const { next } = await agent.getState(thread);
if (next.length === 0) console.log("nothing waits");
else {
  const ended = await agent.invoke(new Command({ resume: { decision: argv[2], by: "ann" } }), thread);
  console.log(`24 hours later: ${ended.status}`);
  save();
}
console.log(`paid so far: ${paidSoFar()}`);
