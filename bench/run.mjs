#!/usr/bin/env node
// What a call costs, beside its floor: both in turn in one process, the ratio of each pair, the median of the ratios.
// Use: pnpm bench [--gate] [--json] [--only ROW] [--picture FILE]
// --gate: exit 1 when a median is above its gate. --picture: draws the table as SVG.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify, styleText } from "node:util";
import { fleetRows } from "./fleet-rows.mjs";
import { flowRows } from "./flow-rows.mjs";
import { gatewayRows } from "./gateway-rows.mjs";
import { historyRows } from "./history-rows.mjs";
import { httpRows } from "./http-rows.mjs";
import { layerRows } from "./layer-rows.mjs";
import { mcpRows } from "./mcp-rows.mjs";
import { drawTable } from "./picture.mjs";
import { programRows } from "./program-rows.mjs";
import { rows as callRows } from "./rows.mjs";
import { startRows } from "./start-rows.mjs";
import { worldRows } from "./world-rows.mjs";

const rows = {
  ...callRows,
  ...startRows,
  ...mcpRows,
  ...gatewayRows,
  ...worldRows,
  ...fleetRows,
  ...flowRows,
  ...historyRows,
  ...httpRows,
  ...programRows,
  ...layerRows,
};

const { values } = parseArgs({
  options: {
    gate: { type: "boolean" },
    json: { type: "boolean" },
    only: { type: "string" },
    picture: { type: "string" },
    row: { type: "string" },
  },
});
if (values.row !== undefined) {
  console.log(JSON.stringify(await measure(rows[values.row])));
  // A row may leave a server open.
  process.exit();
}
process.exitCode = await report();

/** Pairs of floor and row; the first few warm the compiler up and do not count. */
async function measure({ make, pairs = 21, warmUp = 5 }) {
  const { floor, row } = await make();
  const ratios = [];
  const least = { bare: Infinity, whole: Infinity };
  for (let pair = -warmUp; pair < pairs; pair++) {
    const bare = await time(floor);
    const whole = await time(row);
    if (pair < 0) continue;
    ratios.push(whole / bare);
    least.bare = Math.min(least.bare, bare);
    least.whole = Math.min(least.whole, whole);
  }
  return { ratios: ratios.toSorted((a, b) => a - b), least: least.whole / least.bare };
}

/** What the work says that it measured, else the time it took. */
async function time(work) {
  const began = process.hrtime.bigint();
  const measured = await work();
  return typeof measured === "number" ? measured : Number(process.hrtime.bigint() - began);
}

async function report() {
  const names = values.only === undefined ? Object.keys(rows) : [values.only];
  const figures = [];
  for (const name of names) {
    const { title, goal, gate } = rows[name];
    const { ratios, least } = await measureApart(name);
    const median = ratios[Math.floor(ratios.length / 2)];
    figures.push({
      name,
      title,
      median,
      low: ratios[Math.floor(ratios.length / 10)],
      high: ratios[Math.ceil(ratios.length * 0.9) - 1],
      least,
      goal,
      gate,
      passed: median <= gate,
    });
    if (!values.json) print(figures.at(-1));
  }
  if (values.picture !== undefined) writeFileSync(values.picture, drawTable(figures));
  if (values.json) console.log(JSON.stringify(figures, null, 2));
  return values.gate && figures.some(({ passed }) => !passed) ? 1 : 0;
}

/** Each row in a process of its own, so that no row runs on code that another one shaped. */
async function measureApart(name) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(import.meta.url),
    "--row",
    name,
  ]);
  return JSON.parse(stdout);
}

function print({ title, median, low, high, least, goal, gate, passed }) {
  const verdict = !passed
    ? styleText("red", "above its gate")
    : median <= goal
      ? styleText("green", "goal reached")
      : "within its gate";
  const x = (ratio) => `${ratio.toFixed(2)}×`.padStart(7);
  console.log(
    `${title.padEnd(46)} ${x(median)}  (${x(low).trim()}–${x(high).trim()}, least ${x(least).trim()})  goal ${x(goal)}  gate ${x(gate)}  ${verdict}`,
  );
}
