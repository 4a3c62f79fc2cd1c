// The process in which documents are read. Reading blocks a thread, so it is done in a worker. This thread stays free to notice
// that memory runs out or that the host has gone, even if the host was killed.
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { ReadJob } from "./job.ts";

/** Milliseconds between two checks of the memory. */
const checkMs = 25;

const maxBytes = Number(process.argv[2]) * 1024 * 1024;
const worker = new Worker(fileURLToPath(import.meta.resolve("#read-worker")));

process.on("message", (job: ReadJob) => worker.postMessage(job, []));
process.on("disconnect", end);
worker.on("message", (answer: unknown) => process.send!(answer));
worker.on("error", end);
setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes) end();
}, checkMs);

/** Ends the process even while the worker is busy in native code. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}
