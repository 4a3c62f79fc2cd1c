// The thread in which one program runs: QuickJS in WebAssembly, with nothing of the host except messages.
import { parentPort, workerData } from "node:worker_threads";
import { openEngine } from "./engine.ts";
import { Program } from "./program.ts";
import type { Opening, Start, ToSandbox } from "./messages.ts";

const port = parentPort!;
const engine = await openEngine(workerData as Opening);
const empty: Start = {
  type: "start",
  source: "return tools as object",
  names: [],
  now: null,
  seed: 0,
  maxSteps: 1_000,
};

let program: Program | null = null;

/** Loads in advance what a program needs first: the first program of an engine takes 20 ms longer, and stripping types 50 ms. */
function warmUp(): void {
  program ??= new Program(engine, empty, () => {});
}

port.on("message", (message: ToSandbox) => {
  if (message.type === "start") program = new Program(engine, message, (turn) => port.postMessage(turn, []));
  else program?.answer(message);
});
port.postMessage({ type: "ready" }, []);
// Delayed, so that a program which already waits for this thread does not wait for the warm-up, too.
setTimeout(warmUp, 20);
