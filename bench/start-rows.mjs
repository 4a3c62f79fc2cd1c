// What a start costs, whole processes beside whole processes, and what a reload does to the calls that overlap it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { generateWorld, planOf } from "./start-world.mjs";

const command = join(import.meta.dirname, "../packages/cli/bin/toolmount.js");

/** A process of its own, to its end. */
function run(cwd, words) {
  const { status, stderr } = spawnSync(process.execPath, words, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  if (status !== 0) throw new Error(`node ${words.join(" ")} ended with ${status}: ${stderr.toString()}`);
}

/** What a process prints. */
function output(words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${words.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

const listing = (shape) => () => {
  const { folder } = generateWorld(shape);
  return {
    floor: () => run(folder, ["-e", "0"]),
    row: () => run(folder, [command, "list", "plan.yaml"]),
  };
};

/** One read of a small file by `toolmount call`. */
function calling() {
  const { folder, install, write } = generateWorld({ packages: 0, tools: 0 });
  install("@toolmount/tool-filesystem", join(import.meta.dirname, "../tools/filesystem"));
  write("note.txt", "one line\n");
  write(
    "plan.yaml",
    'version: 1\nname: bench\ntools:\n  - module: filesystem\n    config: { allowed_read_paths: ["."] }\n',
  );
  const words = ["call", "plan.yaml", "read_file", '{"file_path":"note.txt"}'];
  return { floor: () => run(folder, ["-e", "0"]), row: () => run(folder, [command, ...words]) };
}

/** `toolmount check` of a local server that does not start: its script has 400 imports in a chain, or none. */
function checking() {
  const { folder, write } = generateWorld({ packages: 0, tools: 0 });
  const planFor = (script) =>
    `version: 1\ntools:\n  - { module: local, required: false, source: { mcp: { command: node, args: [./${script}] } } }\n`;
  write("one.yaml", planFor("f400.mjs"));
  write("many.yaml", planFor("f0.mjs"));
  for (let at = 0; at < 400; at++) write(`f${at}.mjs`, `import "./f${at + 1}.mjs";\n`);
  write("f400.mjs", "process.exit(3);\n");
  return {
    floor: () => run(folder, [command, "check", "one.yaml"]),
    row: () => run(folder, [command, "check", "many.yaml"]),
  };
}

const version = () => ({
  floor: () => run(import.meta.dirname, ["-e", "0"]),
  row: () => run(import.meta.dirname, [command, "--version"]),
});

/** 1,000 tools in one process: how long a process takes, or how much memory it holds at the end. */
const thousandTools = (measure) => () => {
  const program = (side) => join(import.meta.dirname, "thousand-tools.mjs") + ` ${side} ${measure}`;
  const figure = (side) => () => Number(output(["--expose-gc", ...program(side).split(" ")]));
  return { floor: figure("zod"), row: figure("host") };
};

function mounting() {
  const { folder, names, path, write } = generateWorld({ packages: 100, tools: 1 });
  // Each has the compiled functions of its own runs: the cache of the floor has none of a package's `mount`.
  const begin = (cache) =>
    `import { enableCompileCache } from "node:module";\nenableCompileCache("${path(cache)}");\n`;
  const imports = names.map((name) => `import("${name}")`).join(", ");
  write("floor.mjs", `${begin("floor-cache")}await Promise.all([${imports}]);\nprocess.exit(0);\n`);
  const opens =
    'const { openHost } = await import("@toolmount/loader");\nconst host = await openHost("plan.yaml");\n';
  write("mount.mjs", `${begin("mount-cache")}${opens}process.exit(host.tools().length === 100 ? 0 : 1);\n`);
  return { floor: () => run(folder, ["floor.mjs"]), row: () => run(folder, ["mount.mjs"]) };
}

/** The p99 of 300 calls of 10 ms, 200 a second: alone, and while the plan is reloaded continuously and mounts one of 20 entries again. */
async function reloading() {
  const { names, path, write } = generateWorld({ packages: 20, tools: 1, waitMs: 10 });
  const { openHost } = await import("@toolmount/loader");
  const host = await openHost(path("plan.yaml"));
  let turn = 0;
  const reload = async () => {
    turn++;
    write("plan.yaml", planOf(names, `notes${turn % 2}`));
    const { mounted } = await host.reload();
    if (mounted.length !== 1) throw new Error(`a reload mounted ${mounted.length} modules again`);
  };
  return {
    floor: async () => percentile(await callsAtPace(host)),
    row: async () => {
      const state = { over: false };
      const reloads = (async () => {
        while (!state.over) await reload();
      })();
      const took = await callsAtPace(host);
      state.over = true;
      await reloads;
      return percentile(took);
    },
  };
}

const pace = { everyMs: 5, count: 300 };

/** How long each call took from the moment at which it was due. */
async function callsAtPace(host) {
  const began = performance.now();
  const calls = Array.from({ length: pace.count }, async (_, at) => {
    const due = began + at * pace.everyMs;
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    const { status } = await host.call({ name: "read_note_0_0", arguments: { path: "a", kind: "note" } });
    if (status !== "ok") throw new Error(`a call ended ${status}`);
    return performance.now() - due;
  });
  return Promise.all(calls);
}

function percentile(times) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)];
}

export const startRows = {
  version: { title: "toolmount --version, process", goal: 1.5, gate: 2, make: version },
  call: { title: "toolmount call of one read, process", goal: 3, gate: 5, make: calling },
  checkImports: {
    title: "toolmount check, a local server of 400 files, process",
    goal: 1.5,
    gate: 2.5,
    make: checking,
    pairs: 9,
    warmUp: 1,
  },
  list: {
    title: "listing 1,000 tools of 100 packages, process",
    goal: 3,
    gate: 4.5,
    make: listing({ packages: 100, tools: 10 }),
  },
  listPackages: {
    title: "listing 1,000 tools of 1,000 packages, process",
    goal: 3,
    gate: 7,
    make: listing({ packages: 1_000, tools: 1 }),
  },
  mount: { title: "mounting 100 packages, process", goal: 1.2, gate: 1.9, make: mounting },
  tools: {
    title: "1,000 tools in one process, CPU time",
    goal: 1.3,
    gate: 1.8,
    make: thousandTools("time"),
  },
  memory: {
    title: "memory of a host with 1,000 tools",
    goal: 1.15,
    gate: 1.3,
    make: thousandTools("memory"),
    pairs: 5,
    warmUp: 1,
  },
  reload: {
    title: "p99 of calls that overlap a reload, 200/s",
    goal: 1.2,
    gate: 1.6,
    make: reloading,
    pairs: 9,
    warmUp: 1,
  },
};
