// What a run has found: a row for each check and ring, what failed, and the table that closes every run, also one that is
// stopped.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { againOf, nameOf } from "./rings.mjs";

const counts = ["passed", "failed", "skipped"];

/** The rows of a run, in the order in which they began. */
export class Table {
  rows = [];
  failures = [];
  unsteady = [];

  /** Adds what a step, a check or a part of a ring came to; parts of one ring are one row. */
  add(name, seconds, seen) {
    const row = this.rows.find((other) => other.name === name) ?? emptyRow(name, seen.files);
    if (!this.rows.includes(row)) this.rows.push(row);
    row.seconds += seconds;
    for (const count of counts) row[count] += seen[count] ?? 0;
    row.files?.push(...(seen.files ?? []));
    this.failures.push(...(seen.failures ?? []));
    this.unsteady.push(...(seen.unsteady ?? []));
  }

  sum(count) {
    return this.rows.reduce((total, row) => total + row[count], 0);
  }

  print() {
    console.log();
    printRow("", "files", "passed", "failed", "skipped", "seconds");
    for (const { name, files, passed, failed, skipped, seconds } of this.rows)
      printRow(name, files?.length ?? "", passed, failed, files ? skipped : "", seconds.toFixed(0));
    this.#printSlowest();
    printTests("failed, then passed alone: something in them depends on the moment", this.unsteady);
    printTests("failed", this.failures);
  }

  /** Writes the rows and every file as JSON, for a machine. */
  write(file, job) {
    const { rows, failures, unsteady } = this;
    const name = relative(process.cwd(), file) || file;
    try {
      writeFileSync(file, JSON.stringify({ job, rows, failures, unsteady }, undefined, 1));
      console.log(`the table and every file: ${name}`);
    } catch (error) {
      // On a full disk, too, the last line of a run is its counts.
      console.log(`⚠ the table could not be written: ${error.message}`);
    }
  }

  #printSlowest() {
    const tested = this.rows.flatMap(({ files = [] }) => files);
    const slowest = tested.toSorted((left, right) => right.seconds - left.seconds).slice(0, 10);
    if (slowest.length > 0) console.log("\nslowest files");
    for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(8)} s  ${file}`);
  }
}

/** Prints which services the tests have started on this machine, and how often. */
export function printServices(file) {
  const started = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  for (const [name, each] of Map.groupBy(started, (service) => service))
    console.log(`started ${each.length} times: ${name}`);
}

function emptyRow(name, files) {
  return { name, seconds: 0, passed: 0, failed: 0, skipped: 0, ...(files && { files: [] }) };
}

function printRow(...cells) {
  console.log(
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(22) : String(cell).padStart(9))).join(""),
  );
}

/** Names tests at the end again, because the place where they failed may be a thousand lines above. */
function printTests(what, tests) {
  if (tests.length > 0) console.log(`\n${what}`);
  for (const { file, title } of tests.slice(0, 30)) {
    console.log(`  ✗ ${nameOf(file, title)}`);
    if (file !== undefined) console.log(`    again: ${againOf(file, title)}`);
  }
  if (tests.length > 30) console.log(`  and ${tests.length - 30} more`);
}
