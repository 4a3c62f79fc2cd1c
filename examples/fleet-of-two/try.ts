import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import * as interop from "@toolmount/interop";
import * as store from "@toolmount/store";
import * as workers from "@toolmount/workers";
import { openHost } from "@toolmount/loader";

/** Starts a worker that runs one call at a time, and waits until it takes calls. */
async function startWorker(): Promise<ChildProcess> {
  const child = spawn("toolmount", ["worker", "--json", "--concurrency", "1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(createInterface({ input: child.stdout }), "line");
  return child;
}

const machines = [await startWorker(), await startWorker()];
process.once("exit", () => machines.forEach((machine) => machine.kill("SIGKILL")));
const host = await openHost("mount-plan.yaml", {
  extensions: {
    "@toolmount/interop": interop,
    "@toolmount/store": store,
    "@toolmount/workers": workers,
  },
});

async function callTwelve(): Promise<Set<number>> {
  const calls = Array.from({ length: 12 }, (_, at) =>
    host.call({ name: "render", arguments: { page: at + 1 } }, { sessionId: `s-${at}` }),
  );
  const outcomes = await Promise.all(calls);
  const pids = new Set(outcomes.map(({ result }) => (result.data as { worker: number }).worker));
  const ok = outcomes.filter(({ status }) => status === "ok").length;
  console.log(`${ok} calls ok, by ${pids.size} worker${pids.size === 1 ? "" : "s"}`);
  return pids;
}

const [victim] = await callTwelve();
console.log("one worker is killed");
process.kill(victim!, "SIGKILL");
await callTwelve();

await host.close();
process.exit();
