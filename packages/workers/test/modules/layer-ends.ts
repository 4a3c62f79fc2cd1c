// A host with a layer, in a process of its own. The first word is the scene, the second the folder.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  createHost,
  silentLogger,
  type Logger,
  type Runner,
  type RunnerControl,
  type RunnerJob,
} from "@toolmount/core";
import { openLayers } from "../../src/layer/open-layers.ts";

const [scene, folder = ""] = process.argv.slice(2);
const warnings: string[] = [];
const logger: Logger = {
  ...silentLogger,
  warn: (_fields, words) => void warnings.push(String(words)),
  child: () => logger,
};
const host = createHost({ logger });
host.coordinator.registerCapability("session.working_dir", folder);
openLayers(host.coordinator, { name: "layer", in: "layer", folder: ".", startTimeoutMs: 60_000 });
const runner = host.coordinator.get("runners", "layer") as Runner;
const module = { specifier: join(import.meta.dirname, "counter.ts"), config: {} };

function call(runId: string, act: object, stopped = new AbortController()) {
  const info = { tool: "probe", callId: runId, runId, depth: 0 };
  const job = { runId, tool: "probe", info, arguments: act, timeoutMs: 0, module, rootSession: "s" };
  const session = { snapshot: () => ({}), get: () => undefined, set: () => {}, delete: () => true };
  const progress = () => stopped.abort(new DOMException("the test stops it", "AbortError"));
  const definition = { category: "write" };
  const control = {
    signal: stopped.signal,
    session,
    definition,
    progress: "act" in act ? progress : () => {},
  };
  return runner.run(job as unknown as RunnerJob, control as unknown as RunnerControl);
}

const numbers = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

/** The processes of the layer, without the one that holds it. */
function inside(): number {
  const file = join(folder, ".toolmount/layers/s/holder.json");
  const holder = (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid;
  const namespaceOf = (pid: number | string) => {
    try {
      return readlinkSync(`/proc/${pid}/ns/pid`);
    } catch {
      return "gone";
    }
  };
  return numbers().filter((pid) => Number(pid) !== holder && namespaceOf(pid) === namespaceOf(holder)).length;
}

const stateOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)![0];
  } catch {
    return "gone";
  }
};

await call("a", {});
const before = inside();
if (scene === "stuck") {
  const failure = await call("b", { act: "block" }).then(
    () => "none",
    (error: { code?: string }) => error.code,
  );
  // A process that is killed is there for a moment.
  for (let tries = 0; inside() > 0 && tries < 200; tries++) await setTimeout(50);
  const after = inside();
  await host.close();
  process.stdout.write(JSON.stringify({ before, failure, after, warnings }));
} else {
  await host.close();
  const zombies = numbers().filter((pid) => stateOf(pid) === "Z").length;
  process.stdout.write(JSON.stringify({ before, after: numbers().length - 1, zombies, warnings }));
}
