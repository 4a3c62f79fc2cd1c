// The other side of the fleet's rows, in a process of its own: fleet-worker.mjs <role> [URL…]. It sends "ready".
import { silentLogger } from "@toolmount/core";
import { openLedger } from "@toolmount/store";
import { fleetHost } from "../packages/workers/test/fleet/fleet-world.ts";

const [role, database, engine] = process.argv.slice(2);

/** Answers each message: the floor of a call in a process. */
function answerMessages() {
  process.on("message", (message) => process.send(message));
}

/** Takes and answers rows of the ledger, as soon as it is notified: the floor of a call on a fleet. */
async function answerRows() {
  const ledger = await openLedger(database, { connections: 16 });
  await ledger.watch("floor-worker", async ({ runId }) => {
    const [call] = await ledger.take([runId], "floor-worker", ["digest"], 60_000);
    const { text } = call.job.arguments;
    const answer = { type: "returned", runId, value: { data: { text } } };
    await ledger.answer("floor-worker", [{ runId, answer }]);
  });
}

/** Answers jobs of a queue of BullMQ, and nothing else. */
async function answerJobs() {
  const { Worker } = await import("bullmq");
  const options = { connection: { url: engine }, concurrency: 64, removeOnComplete: { count: 5_000 } };
  await new Worker("floor", async ({ data }) => data, options).waitUntilReady();
}

/** A worker of toolmount, as `toolmount fleet work` opens it. */
async function work() {
  const { openWorkers } = await import("@toolmount/workers");
  const module = new URL("fleet-tools.mjs", import.meta.url).href;
  const concurrency = Number(process.argv[5] ?? 64);
  const host = await fleetHost({ database, run: engine === "-" ? {} : { engine }, module });
  await openWorkers(host, { concurrency, logger: silentLogger });
}

const roles = { messages: answerMessages, ledger: answerRows, bullmq: answerJobs, toolmount: work };
await roles[role]();
process.send("ready");
