import {
  systemClock,
  type Announce,
  type Clock,
  type Logger,
  type Runner,
  type RunnerControl,
  type RunnerJob,
  type RunnerModule,
  type ToolReturn,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { createLimitMark, createProgramGuard, type ProgramGuard } from "@toolmount/paths/system";
import { canonicalJson } from "@toolmount/core/internal";
import type { Border, Grants, NodeProgram } from "../border/border.ts";
import { secretsBeside } from "../border/code-folders.ts";
import { unavailable } from "../run-failures.ts";
import { FarProcess } from "./far-process.ts";
import { farProgram } from "./far-program.ts";
import { ModulePool } from "./module-pool.ts";
import { placeholder } from "./placeholder.ts";

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
export function createProcessRunner(given: ProcessRunnerOptions): ProcessRunner {
  const { guard, ...options } = guarded(given);
  const pools = new Pools(options);
  return {
    undoes: true,
    run: (job, control) => {
      guard?.start();
      const pool = pools.of(requireModule(job));
      const { rehearsal } = control;
      return rehearsal !== undefined && job.instead !== undefined
        ? rehearseInProcess(pool, job, control, rehearsal)
        : runInProcess(pool, job, control);
    },
    describe: async (module, announce) => {
      const { tools, contributions } = await pools.describing(module).describe(announce);
      return { tools: tools.map(placeholder), contributions };
    },
    close: async () => {
      await pools.close();
      guard?.close();
    },
  };
}

/**
 * Without a border the kernel does not end what a tool started. A guard does when the runner closes or its host is killed:
 * it finds those processes by a limit that all of them have.
 */
function guarded(options: ProcessRunnerOptions): ProcessRunnerOptions & { readonly guard?: ProgramGuard } {
  if (options.border.name !== "none") return options;
  const { border } = options;
  const mark = createLimitMark();
  const guard = createProgramGuard({ mark, path: options.grants.env["PATH"] });
  const launch: Border["launch"] = async (program, grants) => {
    const plain = await border.launch(program, grants);
    return { ...plain, ...mark.launch(plain.file, plain.args) };
  };
  return { ...options, border: { ...border, launch }, guard };
}

/** The pools of a runner, by module. */
class Pools {
  readonly #options: ProcessRunnerOptions;
  readonly #pools = new Map<string, ModulePool>();
  /** By the object that the host has for a module, which is the same for each of its calls. */
  readonly #known = new WeakMap<RunnerModule, ModulePool>();
  /** The pool of a module's newest revision. */
  readonly #newest = new Map<string, ModulePool>();

  constructor(options: ProcessRunnerOptions) {
    this.#options = options;
  }

  of(module: RunnerModule): ModulePool {
    const known =
      this.#known.get(module) ?? this.#pools.get(canonicalJson(module)) ?? this.#add(module, false);
    this.#known.set(module, known);
    return known;
  }

  /** The pool of a module that the host does not import. */
  describing(module: RunnerModule): ModulePool {
    const pool = this.#pools.get(canonicalJson(module)) ?? this.#add(module, true);
    this.#makeNewest(module, pool);
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  #add(module: RunnerModule, describe: boolean): ModulePool {
    const { processes } = this.#options;
    let program: NodeProgram | undefined;
    const start = () => {
      // To find the code follows thousands of links: once for all processes of a module.
      program ??= farProgram(module.specifier);
      const onEvent: Announce = (event, data) => pool.announce(event, data);
      return startProcess(module, program, describe, this.#options, onEvent);
    };
    const pool = new ModulePool({ processes, start });
    this.#pools.set(canonicalJson(module), pool);
    this.#makeNewest(module, pool);
    return pool;
  }

  #makeNewest({ specifier, config, exports }: RunnerModule, pool: ModulePool): void {
    const key = canonicalJson({ specifier, config, ...(exports !== undefined && { exports }) });
    const before = this.#newest.get(key);
    this.#newest.set(key, pool);
    if (before !== pool) before?.retire();
    pool.isRetired = false;
  }
}

async function runInProcess(pool: ModulePool, job: RunnerJob, control: RunnerControl): Promise<ToolReturn> {
  const { depth } = job.info;
  const far = pool.takeNow(depth) ?? (await takeProcess(pool, job));
  try {
    control.signal.throwIfAborted();
    return await far.run(job, control);
  } finally {
    pool.give(far, depth);
  }
}

/** Runs a preview in the process that holds the staged effects of its rehearsal. */
async function rehearseInProcess(
  pool: ModulePool,
  job: RunnerJob,
  control: RunnerControl,
  rehearsal: object,
): Promise<ToolReturn> {
  const far = await pool.stageOf(rehearsal, job.info.depth).catch((error: unknown) => {
    throw unavailable(job, messageOf(error));
  });
  control.signal.throwIfAborted();
  return far.run(job, control);
}

function takeProcess(pool: ModulePool, job: RunnerJob): Promise<FarProcess> {
  return pool.take(job.info.depth).catch((error: unknown) => {
    throw unavailable(job, messageOf(error));
  });
}

function requireModule(job: RunnerJob): RunnerModule {
  if (job.module !== undefined) return job.module;
  throw unavailable(job, "it was mounted by code of the host, so no other process can import it");
}

async function startProcess(
  module: RunnerModule,
  program: NodeProgram,
  describe: boolean,
  options: ProcessRunnerOptions,
  onEvent: Announce,
): Promise<FarProcess> {
  const { border, startTimeoutMs, logger, clock = systemClock } = options;
  const secret = [...(options.grants.secret ?? []), ...secretsBeside(program.code)];
  const grants = { ...options.grants, secret };
  const { cwd, denied, memoryMb } = grants;
  const launch = await border.launch(program, grants);
  const paths = { folder: cwd, protectedPaths: denied, secretPaths: secret };
  const mount = { type: "mount", module, describe, ...paths } as const;
  return new FarProcess({ launch, mount, memoryMb, startTimeoutMs, cwd, clock, logger, onEvent });
}
