// Runs the tests beside twelve busy loops, and in an order that is drawn each time, three times by default:
// `pnpm under-load` or `pnpm under-load --times 1 --loops 4 packages/core`. The seed of an order is printed; run
// `vitest run --sequence.shuffle --sequence.seed=<n>` to see it again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";

const root = dirname(import.meta.dirname);
const { values, positionals } = parseArgs({
  options: {
    loops: { type: "string", default: "12" },
    times: { type: "string", default: "3" },
    seed: { type: "string" },
  },
  allowPositionals: true,
});

// Threads of this process, so that they end with it however it ends.
for (let at = 0; at < Number(values.loops); at++) new Worker("for (;;);", { eval: true }).unref();
console.log(`${values.loops} busy loops beside the tests`);

const env = { ...process.env, TOOLMOUNT_BUSY: "1" };
const first = Number(values.seed ?? Date.now() % 1_000_000);
let failed = 0;
for (let at = 0; at < Number(values.times); at++) {
  const seed = first + at;
  console.log(`run ${at + 1} of ${values.times}, --sequence.seed=${seed}`);
  const words = ["run", "--sequence.shuffle", `--sequence.seed=${seed}`, ...positionals];
  const [code] = await once(spawn("vitest", words, { cwd: root, stdio: "inherit", env }), "close");
  if (code !== 0) failed++;
}
console.log(`${Number(values.times) - failed} of ${values.times} runs passed`);
process.exit(failed === 0 ? 0 : 1);
