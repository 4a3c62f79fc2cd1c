// One turn of a task in a process that may be killed at any moment: its session and the state of its world are in files.
import { argv } from "node:process";
import { openStore } from "@toolmount/store";
import { openHost } from "@toolmount/loader";
import { createTaskReasoner } from "./world-model.ts";

const [, , act = "run", plan = "", database = "", baseUrl = ""] = argv;
const store = await openStore(`sqlite:${database}`);
const host = await openHost(plan, { store, approver: () => ({ decision: "approve", by: "the test" }) });
host.coordinator.mount("session-store", store.sessions);
const reasoner = createTaskReasoner(host, baseUrl);
const sessionId = "task";
await (act === "run"
  ? reasoner.run(host, { sessionId, prompt: "Do the task." })
  : reasoner.resume(host, { sessionId }));
await host.close();
await store.close();
