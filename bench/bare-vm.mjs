// The floor of programs: the bare engine that runs one program. As a thread it answers when it has run it, and then sends back what it gets.
import { parentPort } from "node:worker_threads";
import variant from "@jitl/quickjs-ng-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant } from "quickjs-emscripten-core";

export const openEngine = () => newQuickJSWASMModuleFromVariant(variant);

/** Runs `return 1` as the body of an async function, in a context of its own. */
export function runBare(engine) {
  const context = engine.newContext();
  context.runtime.setMemoryLimit(67_108_864);
  const main = context.unwrapResult(context.evalCode("(async () => {\nreturn 1\n})"));
  const promise = context.unwrapResult(context.callFunction(main, context.undefined));
  context.runtime.executePendingJobs();
  const { value } = context.getPromiseState(promise);
  const result = context.getNumber(value);
  for (const handle of [value, promise, main]) handle.dispose();
  context.dispose();
  return result;
}

if (parentPort !== null) {
  parentPort.postMessage(runBare(await openEngine()), []);
  parentPort.on("message", (message) => parentPort.postMessage(message, []));
}
