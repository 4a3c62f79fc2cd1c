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

const listing = (shape) => () => {
  const { folder } = generateWorld(shape);
  return {
    floor: () => run(folder, ["-e", "0"]),
    row: () => run(folder, [command, "list", "plan.yaml"]),
  };
};

function mounting() {
  const { folder, names, write } = generateWorld({ packages: 100, tools: 1 });
  const begin = 'import { enableCompileCache } from "node:module";\nenableCompileCache();\n';
  const imports = names.map((name) => `import("${name}")`).join(", ");
  write("floor.mjs", `${begin}await Promise.all([${imports}]);\nprocess.exit(0);\n`);
  const opens =
    'const { openHost } = await import("@toolmount/loader");\nconst host = await openHost("plan.yaml");\n';
  write("mount.mjs", `${begin}${opens}process.exit(host.tools().length === 100 ? 0 : 1);\n`);
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
  list: {
    title: "listing 1,000 tools of 100 packages, process",
    goal: 2,
    gate: 3.5,
    make: listing({ packages: 100, tools: 10 }),
  },
  listPackages: {
    title: "listing 1,000 tools of 1,000 packages, process",
    goal: 2,
    gate: 3.5,
    make: listing({ packages: 1_000, tools: 1 }),
  },
  mount: { title: "mounting 100 packages, process", goal: 1.2, gate: 1.5, make: mounting },
  reload: {
    title: "p99 of calls that overlap a reload, 200/s",
    goal: 1.2,
    gate: 2,
    make: reloading,
    pairs: 9,
    warmUp: 1,
  },
};
