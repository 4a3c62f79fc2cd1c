// Set-up of the quick ring, the test files named `*.test.ts`: they start no process, no thread and no server, and are short.
// What they must not do throws here, so the ring holds itself. A file that needs it is named `*.process.test.ts`.
import { createHash } from "node:crypto";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll } from "vitest";

const require = createRequire(import.meta.url);

/** Kept over all files of a worker: how much processor time a unit of work takes, and what was refused. */
const name = Symbol.for("toolmount.quick-ring");
if (globalThis[name] === undefined) {
  globalThis[name] = { unitMs: measureUnit(), refused: [] };
  guard();
}
const kept = globalThis[name];

let begin;
beforeAll(() => {
  kept.refused = [];
  begin = process.cpuUsage();
});
// oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a hook wants from the pattern
afterAll(({}, { file }) => {
  const { user, system } = process.cpuUsage(begin);
  file.meta.work = (user + system) / 1000 / kept.unitMs;
  if (kept.refused.length > 0) throw new Error(refusal(kept.refused[0]));
});

/** Milliseconds of processor time for a fixed piece of work, so that a slow or busy machine changes no verdict. */
function measureUnit() {
  const bytes = Buffer.alloc(65_536, "work");
  const before = process.cpuUsage();
  for (let round = 0; round < 200; round++) {
    createHash("sha256").update(bytes).digest("hex");
    JSON.parse(JSON.stringify(Array.from({ length: 2000 }, (_, at) => ({ at, text: `${at}` }))));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / 100;
}

/** Makes what starts processes, threads and servers throw, also for those that imported it by name. */
function guard() {
  const processes = require("node:child_process");
  for (const start of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"])
    processes[start] = refuse(start);
  require("node:worker_threads").Worker = refuse("new Worker");
  require("node:net").Server.prototype.listen = refuse("listen");
  require("node:dgram").Socket.prototype.bind = refuse("bind");
  syncBuiltinESMExports();
}

function refuse(start) {
  return function refused() {
    kept.refused.push(start);
    throw new Error(refusal(start));
  };
}

function refusal(start) {
  return `a file named *.test.ts starts no process, thread or server, but this one called ${start}: rename it to *.process.test.ts`;
}
