import {
  systemClock,
  type Clock,
  type Logger,
  type Runner,
  type RunnerControl,
  type RunnerJob,
  type RunnerModule,
  type ToolReturn,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { canonicalJson } from "@toolmount/core/internal";
import type { Border, Grants } from "../border/border.ts";
import { placeholder } from "../far/described-tool.ts";
import { unavailable } from "../run-failures.ts";
import { FarProcess } from "./far-process.ts";
import { farProgram } from "./far-program.ts";
import { ModulePool } from "./module-pool.ts";

/** What a process runner needs of its host. */
export interface ProcessRunnerOptions {
  readonly border: Border;
  readonly grants: Grants;
  readonly processes: number;
  readonly startTimeoutMs: number;
  readonly logger: Logger;
  readonly clock?: Clock | undefined;
}

/** A runner that has processes to end. */
export type ProcessRunner = Runner & Required<Pick<Runner, "close" | "describe">>;

/** Runs calls in processes of their own, behind a border: a pool of warm processes for each module. */
export function createProcessRunner(options: ProcessRunnerOptions): ProcessRunner {
  const pools = new Map<string, ModulePool>();
  const poolOf = (module: RunnerModule, describe: boolean): ModulePool => {
    const key = canonicalJson(module);
    const known = pools.get(key);
    if (known !== undefined) return known;
    const pool = new ModulePool({
      processes: options.processes,
      start: () => startProcess(module, describe, options),
    });
    pools.set(key, pool);
    return pool;
  };
  return {
    run: (job, control) => runInProcess(poolOf(requireModule(job), false), job, control),
    async describe(module) {
      return (await poolOf(module, true).describe()).map(placeholder);
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

async function runInProcess(pool: ModulePool, job: RunnerJob, control: RunnerControl): Promise<ToolReturn> {
  const far = await pool.take(job.info.depth > 0).catch((error: unknown) => {
    throw unavailable(job, messageOf(error));
  });
  try {
    control.signal.throwIfAborted();
    return await far.run(job, control);
  } finally {
    pool.give(far);
  }
}

function requireModule(job: RunnerJob): RunnerModule {
  if (job.module !== undefined) return job.module;
  throw unavailable(job, "it was mounted by code of the host, so no other process can import it");
}

async function startProcess(
  module: RunnerModule,
  describe: boolean,
  options: ProcessRunnerOptions,
): Promise<FarProcess> {
  const { border, grants, startTimeoutMs, logger, clock = systemClock } = options;
  const { cwd, denied, memoryMb } = grants;
  const launch = await border.launch(farProgram(module.specifier), grants);
  const mount = { type: "mount", module, folder: cwd, protectedPaths: denied, describe } as const;
  return new FarProcess({ launch, mount, memoryMb, startTimeoutMs, cwd, clock, logger });
}
