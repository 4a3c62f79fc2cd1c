#!/usr/bin/env node
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { holdHost } from "./judge/child.ts";
import { judgeHost, machine, type HostReport } from "./judge/judge.ts";
import { countsOf, htmlOf } from "./report.ts";
import type { Row } from "./row.ts";
import { rows } from "./rows.ts";

const help = `host-trial --host ./adapter.ts [--host ./other.ts] [--rows 1-10,waits] [--json] [--html report.html]

Holds hosts of LLM tools to what they promise about approvals, resumes and effects. An adapter is a file that exports
one host as "adapter"; the package's README says how to write it.

  --host <file>    an adapter; may be given again
  --rows <list>    numbers, ranges and names of rows; all without it
  --json           prints everything as JSON
  --html <file>    writes the report as one page
  --list           prints the rows

Ends with 0 when all rows held, with 1 when one was broken, and with 2 when it was called wrongly.
`;

const adapter = process.env["HOST_TRIAL_ADAPTER"];
if (adapter !== undefined && process.send !== undefined) await holdHost(adapter);
else process.exitCode = await run();

async function run(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (typeof options === "string") return refuse(options);
  if (options.help === true) return say(help);
  if (options.list === true) return say(`${rows.map(lineOf).join("\n")}\n`);
  const chosen = choose(options.rows);
  if (typeof chosen === "string") return refuse(chosen);
  const hosts = options.host ?? [];
  if (hosts.length === 0) return refuse("name a host: --host ./adapter.ts");
  const missing = hosts.find((host) => !existsSync(host));
  if (missing !== undefined) return refuse(`there is no adapter at ${missing}`);
  const reports: HostReport[] = [];
  try {
    for (const host of hosts) reports.push(await judge(host, chosen, options.json === true));
  } catch (error) {
    // Only errors at the start of an adapter come here: what a host does in a row is the result of that row.
    return refuse((error as Error).message);
  }
  if (options.json === true)
    say(`${JSON.stringify({ machine: machine(), rows: chosen.map(factsOf), hosts: reports }, null, 2)}\n`);
  if (options.html !== undefined) writeFileSync(options.html, htmlOf(reports, chosen));
  return reports.some(({ results }) => results.some(({ verdict }) => verdict === "broken")) ? 1 : 0;
}

function optionsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        host: { type: "string", multiple: true },
        rows: { type: "string" },
        json: { type: "boolean" },
        html: { type: "string" },
        list: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the rows of a list such as `1-10,waits`, or a sentence about a part that names no row. */
function choose(list: string | undefined): readonly Row[] | string {
  if (list === undefined) return rows;
  const chosen = new Set<Row>();
  for (const part of list.split(",")) {
    const [, from = "", to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    const found =
      from === "" ? rows.filter(({ name }) => name === part) : rows.slice(Number(from) - 1, Number(to));
    if (found.length === 0 || from === "0") return `there is no row "${part}"; --list prints them`;
    for (const row of found) chosen.add(row);
  }
  return [...chosen];
}

async function judge(host: string, chosen: readonly Row[], isQuiet: boolean): Promise<HostReport> {
  const launch = { program: fileURLToPath(import.meta.url), adapter: resolve(host) };
  const marks = { held: "✔", broken: "✖", "–": "–" };
  const report = await judgeHost(launch, chosen, ({ row, verdict, problem }) => {
    if (!isQuiet) say(`${marks[verdict]} ${row}${problem === undefined ? "" : `: ${problem}`}\n`);
  });
  if (!isQuiet) say(`${report.host} ${report.version}: ${countsOf(report)}\n`);
  return report;
}

function lineOf({ name, holds }: Row, at: number): string {
  return `${String(at + 1).padStart(2)} ${name}: ${holds}`;
}

function factsOf({ name, holds, tried, thread, needs = [] }: Row) {
  return { name, holds, tried, thread: thread ?? null, needs };
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(problem: string): number {
  process.stderr.write(`${problem}\n`);
  return 2;
}
