import { ToolmountError, type FleetDepth, type FleetMember } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";
import { writeTable } from "../../screen/table.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/** The current state of one queue. */
interface QueueReport extends FleetDepth {
  readonly queue: string;
  readonly workers: readonly FleetMember[];
  /** Names of the plan's tools that no worker of the queue has in the same version. */
  readonly missing: readonly string[];
}

/** `toolmount fleet [plan]`: shows the queues of a plan with their waiting calls and their workers. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await showFleet(plan, options, shell));
    });
  addExamples(command, ["toolmount fleet mount-plans/coding.yaml"]);
}

async function showFleet(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { openHost } = await import("@toolmount/loader");
  const host = await openHost(plan, loaderOptions(options, shell));
  try {
    const queues = await readQueues(host);
    if (options.json === true) shell.out.json(queues);
    else for (const report of queues) writeQueue(report, shell);
    return queues.every(({ missing }) => missing.length === 0) ? exitCodes.done : exitCodes.failed;
  } finally {
    await host.close();
  }
}

async function readQueues(host: OpenedHost): Promise<readonly QueueReport[]> {
  const { fleetQueues } = await import("@toolmount/workers");
  const queues = fleetQueues(host);
  const source = host.coordinator.getCapability("fleet.ledger");
  if (queues.size === 0 || source === null)
    throw new ToolmountError("USAGE_INVALID", { problem: 'no entry of the plan has "run: { in: fleet }"' });
  const ledger = await source.open({ connections: 1 });
  try {
    const reports: QueueReport[] = [];
    for (const [queue, tools] of queues) {
      const members = await ledger.members(queue);
      const workers = members.filter(({ role }) => role === "worker");
      const hasTool = ([name, digest]: [string, string]) =>
        workers.some((worker) => worker.tools[name] === digest);
      const missing = Object.entries(tools)
        .filter((tool) => !hasTool(tool))
        .map(([name]) => name);
      reports.push({ queue, ...(await ledger.depth(queue)), workers, missing });
    }
    return reports;
  } finally {
    await ledger.close();
  }
}

function writeQueue(report: QueueReport, { out }: Shell): void {
  const { queue, waiting, running, oldestMs, oldestTool, workers, missing } = report;
  const oldest =
    oldestTool === undefined
      ? ""
      : `, the oldest (${printable(oldestTool)}) for ${(oldestMs / 1000).toFixed(1)} s`;
  out.line(
    `queue ${out.paint("bold", printable(queue))}: ${countOf(workers, "worker")}, ${running} running, ${waiting} waiting${oldest}`,
  );
  if (workers.length > 0)
    writeTable(
      out,
      [
        { title: "worker", cell: ({ name }) => out.paint("bold", printable(name)) },
        { title: "machine", cell: ({ facts }) => fact(facts, "machine") },
        { title: "process", cell: ({ facts }) => fact(facts, "pid") },
        { title: "version", cell: ({ group }) => printable(group.slice(0, 8)) },
        { title: "load", cell: ({ facts }) => `${fact(facts, "running")}/${fact(facts, "concurrency")}` },
        { title: "done", cell: ({ facts }) => fact(facts, "done") },
        { title: "seen", cell: ({ seenMs }) => `${(seenMs / 1000).toFixed(1)} s ago` },
      ],
      workers,
    );
  if (missing.length > 0)
    out.line(
      out.paint(
        "yellow",
        `No worker has this plan's version of ${printable(missing.join(", "))}; start one: toolmount fleet work --queue ${printable(queue)}`,
      ),
    );
}

function fact(facts: FleetMember["facts"], name: string): string {
  const value = facts[name];
  return typeof value === "string" || typeof value === "number" ? printable(String(value)) : "–";
}
