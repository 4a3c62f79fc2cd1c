import { INTERRUPT, isInterrupted } from "@langchain/langgraph";
import { createAgent, loadCheckpoints, paidSoFar, thread } from "./agent.ts";

const { saver, save } = loadCheckpoints();
const stopped = await createAgent(saver).invoke({ status: "" }, thread);
save();
if (isInterrupted<{ tool: string; arguments: unknown }>(stopped))
  for (const { value } of stopped[INTERRUPT])
    console.log(`the graph waits: ${value?.tool} ${JSON.stringify(value?.arguments)}`);
console.log(`paid so far: ${paidSoFar()}`);
