// Does one thing with a layer in a process that kills itself before a change of the disk that it was given, 0 for none.
// Every change that this process makes counts: in the person's folder, in the layer's own, and of records.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { argv, env, exit, kill, pid, stdout } from "node:process";
import { openLayer, runInSandbox, type Layer, type LayerChange } from "../../src/index.ts";

const [, , what = "", folder = "", engine = "", dieAt = "0", sabotage = ""] = argv;

let steps = 0;
/** Whether the steps count now: to open a layer is no part of a keep. */
let isCounted = what === "open";
const step = () => void (isCounted && ++steps === Number(dieAt) && kill(pid, "SIGKILL"));

const changing = [
  "renameSync",
  "linkSync",
  "unlinkSync",
  "mkdirSync",
  "rmdirSync",
  "rmSync",
  "chmodSync",
  "utimesSync",
  "writeFileSync",
  "copyFileSync",
] as const;
const changes = fs as unknown as Record<string, (...given: unknown[]) => unknown>;

/** A record of the commit that is not written before the work is done: a death in between must be found out. */
let late: (() => unknown) | undefined;
const planted = (given: readonly unknown[], change: () => unknown) => {
  const target = String(given[1]);
  if (sabotage !== "late-commit") return change();
  if (target.endsWith("/commit")) return void (late = change);
  if (target.endsWith("/done")) late?.();
  return change();
};

for (const name of changing) {
  const change = changes[name]!;
  changes[name] = (...given) => {
    step();
    return planted(given, () => change(...given));
  };
}
syncBuiltinESMExports();

/** Keeps all, or every second change and the first part of each changed text. */
async function keep(layer: Layer, isHalf: boolean): Promise<string> {
  const { digest, changes: all } = await layer.difference();
  isCounted = true;
  const paths = isHalf ? all.filter((_, at) => at % 2 === 0).map(({ path }) => path) : undefined;
  const texts = all.filter((change) => hasParts(layer, change));
  const parts = isHalf ? Object.fromEntries(texts.map(({ path }) => [path, [0]])) : undefined;
  const sections = ["files", "deletions", "obeyed", "repository"] as const;
  const result = await layer.keep({ digest, sections, paths, parts });
  return result.status === "conflicts" ? JSON.stringify(result) : result.status;
}

/** Whether two texts differ, so that a part of the difference can be kept. */
function hasParts(layer: Layer, change: LayerChange): boolean {
  const { before, after } = layer.texts(change);
  const areFiles = change.former?.kind === "file" && change.next?.kind === "file";
  return areFiles && before !== undefined && after !== undefined && before !== after;
}

/** Starts a program that does not end, with one in its background, and dies. */
async function die(layer: Layer): Promise<never> {
  const args = ["-c", "sleep 1000 & echo began; sleep 1000"];
  const { launch } = await layer.enter({
    file: "/bin/bash",
    args,
    env: { PATH: env["PATH"]! },
    filter: undefined,
  });
  const child = spawn(launch.file, launch.args, {
    env: launch.env,
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"],
  });
  child.stdout.once("data", () => kill(pid, "SIGKILL"));
  return new Promise(() => {});
}

/** Runs a script of the environment to its end. */
async function run(layer: Layer): Promise<string> {
  const args = ["-euc", env["LAYER_SCRIPT"]!];
  const variables = { PATH: env["PATH"]! };
  const { launch } = await layer.enter({ file: "/bin/bash", args, env: variables, filter: undefined });
  const { code, stderr } = await runInSandbox(launch, { cwd: "/", timeoutMs: 60_000 });
  return code === 0 ? "ran" : stderr;
}

async function act(layer: Layer): Promise<string> {
  switch (what) {
    case "run":
      return run(layer);
    case "left":
      return JSON.stringify((await layer.difference()).left);
    case "keep":
      return keep(layer, false);
    case "keep-half":
      return keep(layer, true);
    case "undo":
      isCounted = true;
      return (await layer.undo(layer.keeps().at(-1)!)).status;
    case "die":
      return die(layer);
    default:
      return "opened";
  }
}

const layer = await openLayer({
  folder,
  name: "s",
  env,
  engine: engine === "" ? undefined : (engine as "overlay" | "copy"),
  obeyed: [],
});
if ("problem" in layer) throw new Error(layer.problem);
const said = await act(layer);
isCounted = false;
await layer.close();
stdout.write(JSON.stringify({ said, steps }));
exit(0);
