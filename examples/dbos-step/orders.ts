import { setTimeout as delay } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";

const { DATABASE_URL, TOOLMOUNT_URL, TOOLMOUNT_TOKEN } = process.env;

/**
 * Makes a call as a step of a workflow. DBOS runs a step again whose end it has not stored, and the key is the same then: the
 * server gives the answer of the first time, and no tool runs twice.
 */
async function call(tool: string, given: object): Promise<object> {
  const headers = {
    authorization: `Bearer ${TOOLMOUNT_TOKEN}`,
    "content-type": "application/json",
    "idempotency-key": `${DBOS.workflowID}/${DBOS.stepID}`,
  };
  const body = JSON.stringify({ tool, arguments: given });
  for (;;) {
    const answer = await fetch(`${TOOLMOUNT_URL}/api/v1/hosts/default/calls`, {
      method: "POST",
      headers,
      body,
    });
    // 409: the call of the first time still runs.
    if (answer.status !== 409) return (await answer.json()) as object;
    await delay(1_000);
  }
}

const sell = DBOS.registerWorkflow(
  async (order: string) => DBOS.runStep(() => call("pay", { order }), { name: "pay" }),
  { name: "sell" },
);

DBOS.setConfig({ name: "orders", ...(DATABASE_URL !== undefined && { systemDatabaseUrl: DATABASE_URL }) });
// Workflows that a process did not end go on here.
await DBOS.launch();
const handle = await DBOS.startWorkflow(sell, { workflowID: "order-1" })("a book");
const outcome = (await handle.getResult()) as { status: string };
console.log(`the order is ${outcome.status}`);
await DBOS.shutdown();
