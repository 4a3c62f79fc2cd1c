// The thread in which one program runs: QuickJS in WebAssembly, with nothing of the host but messages.
import { parentPort } from "node:worker_threads";
import variant from "@jitl/quickjs-ng-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, type QuickJSSyncVariant } from "quickjs-emscripten-core";
import { Program } from "./program.ts";
import type { Start, ToSandbox } from "./messages.ts";

const port = parentPort!;
// Its types describe the CommonJS file, whose default is a member; Node imports the other one.
const engine = await newQuickJSWASMModuleFromVariant(variant as unknown as QuickJSSyncVariant);
const empty: Start = {
  type: "start",
  source: "return tools",
  names: [],
  now: null,
  seed: 0,
  memoryMb: 4,
  maxSteps: 1_000,
};

// The first program of an engine takes 20 ms longer than the next: an empty one goes before that of a model.
let program = new Program(engine, empty, () => {});

port.on("message", (message: ToSandbox) => {
  if (message.type === "start") program = new Program(engine, message, (turn) => port.postMessage(turn, []));
  else program.answer(message);
});
port.postMessage({ type: "ready" }, []);
