// A host with programs of every kind that it can start, each busy: busy-host.ts <folder> <mark>. It says when all of them run,
// and then ends as its input says.
import { argv, env, execPath, stdin, stdout } from "node:process";
import { silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";

const [, , folder = "", mark = ""] = argv;
const bash = "@toolmount/tool-bash";
const busy = (prefix: string, border: string) => ({
  module: "./busy.mjs",
  prefix,
  run: { in: "process", border, env: ["BUSY_MARK"] },
});
env["BUSY_MARK"] = mark;
const host = await openHost(
  {
    tools: [
      { module: bash, config: { isolation: "none" } },
      { module: bash, prefix: "boxed_", config: { isolation: "bubblewrap" } },
      busy("plain_", "none"),
      busy("belt_", "permission"),
      busy("wall_", "bubblewrap"),
      { module: "server", source: { mcp: { command: execPath, args: ["server.mjs", mark] } } },
    ],
  },
  {
    cwd: folder,
    logger: silentLogger,
    approver: () => ({ decision: "approve" }),
    extensions: {
      [bash]: () => import("@toolmount/tool-bash"),
      "@toolmount/interop": () => import("@toolmount/interop"),
      "@toolmount/workers": () => import("@toolmount/workers"),
      "@toolmount/mcp": () => import("@toolmount/mcp"),
    },
  },
);

const commands = [
  `sleep ${mark} & sleep ${mark}`,
  `trap '' TERM INT HUP; while :; do sleep ${mark}; done`,
  `setsid sleep ${mark} & nohup sleep ${mark} >/dev/null 2>&1`,
];
for (const name of ["bash", "boxed_bash"])
  for (const command of commands) {
    const { result } = await host.call({ name, arguments: { command, run_in_background: true } });
    if (result.error !== undefined) throw new Error(`${name}: ${result.error}`);
  }
const calls = [
  { name: "plain_busy", arguments: { border: "none" } },
  { name: "belt_busy", arguments: { border: "permission" } },
  { name: "wall_busy", arguments: { border: "bubblewrap" } },
  { name: "busy", arguments: {} },
];
const begun = calls.map(
  (call) =>
    new Promise<void>((resolve, reject) => {
      void host
        .call(call, { onProgress: () => resolve() })
        .then(({ result }) => reject(new Error(`${call.name}: ${result.error}`)));
    }),
);
await Promise.all(begun);
const kept: unknown[] = [];
const ends: Readonly<Record<string, () => void>> = {
  exit: () => process.exit(0),
  abort: () => process.abort(),
  throw: () => {
    throw new Error("nothing catches it");
  },
  reject: () => void Promise.reject(new Error("nothing catches it")),
  "fill the heap": () => {
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, at) => at));
  },
};
stdin.once("data", (how) => ends[String(how)]?.());
stdout.write("ready\n");
