import type { Workers } from "@toolmount/workers";
import { InvalidArgumentError, type Command } from "commander";
import { createTerminalLogger } from "../../host/terminal-logger.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, collect, jsonOption, planArgument } from "../../options/common.ts";
import { readMilliseconds } from "../../options/milliseconds.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { waitForStores } from "../../process/wait-for-stores.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly queue?: readonly string[];
  readonly concurrency?: number;
  readonly grace?: number;
}

/** `toolmount fleet work [plan]`: runs the calls that other hosts send to the queues of the plan, until it is asked to end. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--queue <name>", "only calls of this queue; may be given again", collect)
    .option("--concurrency <count>", "calls of a queue that run at the same time; default 4", readCount)
    .option(
      "--grace <ms>",
      "how long running calls have when the worker ends; default 10000",
      readMilliseconds,
    )
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await work(plan, options, shell));
    });
  addExamples(command, [
    "toolmount fleet work mount-plans/coding.yaml",
    "toolmount fleet work plan.yaml --queue heavy --concurrency 2",
  ]);
}

function readCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 1_000) return count;
  throw new InvalidArgumentError("It is a whole number from 1 to 1000.");
}

async function work(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  return shell.interruptible(async ({ signal }) => {
    const onWait = (reason: string) => shell.err.line(`toolmount fleet work waits: ${printable(reason)}`);
    const opened = await waitForStores(() => open(plan, options, shell), { signal, onWait });
    if (opened === undefined) return exitCodes.done;
    try {
      await runUntil(opened.workers, options, shell, signal);
      return exitCodes.done;
    } finally {
      await opened.host.close();
    }
  });
}

async function open(plan: string | undefined, options: Options, shell: Shell) {
  const { openHost } = await import("@toolmount/loader");
  const { openWorkers } = await import("@toolmount/workers");
  const host = await openHost(plan, loaderOptions(options, shell));
  try {
    const { file, name } = host.plan;
    const workers = await openWorkers(host, {
      queues: options.queue,
      concurrency: options.concurrency,
      facts: { plan: name ?? file ?? "" },
      logger: createTerminalLogger(shell.err, shell.settings.verbosity),
    });
    return { host, workers };
  } catch (error) {
    await host.close();
    throw error;
  }
}

async function runUntil(
  workers: Workers,
  { grace, json }: Options,
  shell: Shell,
  signal: AbortSignal,
): Promise<void> {
  for (const worker of workers.workers) {
    if (json === true) shell.out.line(JSON.stringify({ ready: true, ...worker }));
    else
      shell.out.line(
        `${printable(worker.name)} runs ${countOf(worker.tools, "tool")} of the queue ${printable(worker.queue)}`,
      );
  }
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await workers.close({ graceMs: grace });
}
