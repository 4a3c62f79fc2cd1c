import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock, ToolmountError } from "@toolmount/core";
import { tapeHeader } from "@toolmount/tape";
import type { OpenedHost, OpenHostOptions, PlanInput } from "@toolmount/loader";
import type { AskedModel, Asking, OpenReasoner } from "./asking.ts";
import type { PlanEval } from "./read.ts";
import { createEvalBench, type EvalBench, type EvalReport, type RunOptions } from "./run.ts";
import { openEvalTape, type EvalTape } from "./tape.ts";
import { createWorldOpener } from "./world.ts";

/** The model that is asked, how often, and where its answers are recorded. */
export interface SideOptions extends AskedModel, RunOptions {
  readonly asking: Asking;
  /** The tape from which answers that are still fresh are taken, and to which new answers are added. */
  readonly recordTo: EvalTape | null;
}

/** Opens a plan for evaluations and runs them. The host stays open; none of its tools ran. */
export async function runSide(
  input: PlanInput,
  given: OpenHostOptions,
  choose: (host: OpenedHost) => readonly PlanEval[],
  options: SideOptions,
): Promise<{ readonly host: OpenedHost; readonly reports: readonly EvalReport[] }> {
  const { openHost } = await import("@toolmount/loader");
  const bench = createEvalBench(createWorldOpener(given), given.clock ?? systemClock);
  const { recordTo } = options;
  const record = recordTo === null ? undefined : (line: string) => recordTo.append(line);
  const host = await openHost(input, { ...given, ...bench.options, record });
  try {
    const tests = choose(host);
    const opened = await openAnswers(host, bench, options);
    try {
      return { host, reports: await bench.runAll(host, opened, tests, options) };
    } finally {
      await opened.close();
    }
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** Opens the source of answers. A tape answers by digest, so turns may overlap; a list of exchanges answers in its order. */
async function openAnswers(host: OpenedHost, bench: EvalBench, options: SideOptions): Promise<OpenReasoner> {
  const { model, baseUrl, parallel, recordTo, asking } = options;
  const file = model?.startsWith("replay:") === true ? model.slice("replay:".length) : undefined;
  const path = file === undefined ? undefined : resolve(asking.cwd, file);
  if (path !== undefined && (await isTape(path))) {
    bench.answerFrom(host, (await openEvalTape(path)).createFinder(), true);
    asking.note(`replaying ${file}: no model is asked`);
    const opened = await asking.open(host, { model: "replay", baseUrl: noServer });
    return { ...opened, settings: { ...opened.settings, stream: false, retries: 0 } };
  }
  if (path !== undefined && parallel > 1)
    throw new ToolmountError("USAGE_INVALID", {
      problem:
        "more than one turn at a time (--concurrency) needs a model or a tape; a list of exchanges is answered in its order",
    });
  if (recordTo !== null) bench.answerFrom(host, recordTo.createFinder(), false);
  return asking.open(host, { model, baseUrl });
}

/** An address that is never used, because the tape answers before any server is asked. */
const noServer = "http://127.0.0.1:9/v1";

async function isTape(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.startsWith(tapeHeader);
}
