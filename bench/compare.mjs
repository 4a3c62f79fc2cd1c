#!/usr/bin/env node
// The short form for CI: compares this tree with another one, built beside it on the same machine, and fails only on a
// clear loss. Each row is measured in pairs of processes, one of each tree, in turn; a row has lost when even the lower
// bound of the ratio (95 %, one side) is above 1.1.
// Use: node bench/compare.mjs FOLDER_OF_THE_BASE [--pairs 9] [--rows full,json]
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const allowed = 1.1;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: "string", default: "9" },
    rows: { type: "string", default: "full,listeners,json" },
  },
});
const [base] = positionals;
if (base === undefined)
  throw new Error("name the folder of the base commit, built: node bench/compare.mjs ../base");
const here = join(import.meta.dirname, "..");

let lost = false;
for (const row of values.rows.split(",")) {
  const ratios = Array.from(
    { length: Number(values.pairs) },
    () => medianOf(here, row) / medianOf(base, row),
  );
  const { middle, lower, upper } = boundsOf(ratios);
  const isLoss = lower > allowed;
  lost ||= isLoss;
  const [m, l, u] = [middle, lower, upper].map((ratio) => ratio.toFixed(3));
  console.log(
    `${row.padEnd(14)} ${m}× of the base (${l} to ${u})  ${isLoss ? "a clear loss" : "no clear loss"}`,
  );
}
process.exitCode = lost ? 1 : 0;

/** The median of a row in one process of a tree, as a ratio to its floor in the same process. */
function medianOf(tree, row) {
  const printed = execFileSync(process.execPath, [join(tree, "bench/run.mjs"), "--row", row], {
    encoding: "utf8",
  });
  const { ratios } = JSON.parse(printed);
  return ratios[Math.floor(ratios.length / 2)];
}

/** The geometric mean of paired ratios, and its bounds by Student's t. */
function boundsOf(ratios) {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const reach = studentT(logs.length - 1) * Math.sqrt(variance / logs.length);
  return { middle: Math.exp(mean), lower: Math.exp(mean - reach), upper: Math.exp(mean + reach) };
}

/** The 95 % quantile of Student's t, close enough from 3 degrees of freedom on. */
function studentT(freedom) {
  return 1.645 + 1.52 / freedom + 1.4 / freedom ** 2;
}
