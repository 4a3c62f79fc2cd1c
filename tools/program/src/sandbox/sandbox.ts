// The thread in which one program runs: QuickJS in WebAssembly, with nothing of the host but messages.
import { parentPort } from "node:worker_threads";
import variant from "@jitl/quickjs-ng-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, type QuickJSSyncVariant } from "quickjs-emscripten-core";
import { Program } from "./program.ts";
import type { ToSandbox } from "./messages.ts";

const port = parentPort!;
// Its types describe the CommonJS file, whose default is a member; Node imports the other one.
const engine = await newQuickJSWASMModuleFromVariant(variant as unknown as QuickJSSyncVariant);
let program: Program | undefined;

port.on("message", (message: ToSandbox) => {
  if (message.type === "start") program = new Program(engine, message, (turn) => port.postMessage(turn, []));
  else program?.answer(message);
});
port.postMessage({ type: "ready" }, []);
