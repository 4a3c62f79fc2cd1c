import {
  systemClock,
  type Clock,
  type Logger,
  type Runner,
  type RunnerControl,
  type RunnerHost,
  type RunnerJob,
  type RunnerModule,
  type ToolReturn,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { createLimitMark, createProgramGuard, type ProgramGuard } from "@toolmount/sandbox";
import { canonicalJson } from "@toolmount/core/json";
import type { Border, Grants as BorderGrants, NodeProgram } from "@toolmount/sandbox";
import { codeFolders, secretsBeside, toPerson } from "@toolmount/sandbox";
import { findTsconfig } from "@toolmount/core/import";
import { unavailable } from "../run-failures.ts";
import type { Grants, Question } from "../far/messages.ts";
import { FarProcess } from "./far-process.ts";
import { ModulePool } from "./module-pool.ts";
import { describedModule } from "./described-module.ts";
import { GivenCapabilities, type NearServices } from "./near-services.ts";
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The border of a process runner, what its processes may use, and how many each module has. */
export interface ProcessRunnerOptions {
  readonly border: Border;
  readonly grants: BorderGrants;
  readonly processes: number;
  readonly startTimeoutMs: number;
  readonly logger: Logger;
  readonly clock?: Clock | undefined;
  /** What modules may do besides mounting tools. Default: nothing. */
  readonly granted?: Granted | undefined;
  /**
   * The folder of the layer in which the border starts processes. The modules in them are trusted like the host, and see every
   * file there.
   */
  readonly layer?: string | undefined;
}

/** Events whose hooks a module may register, and capabilities that it may register and use. */
interface Granted {
  readonly hooks: readonly string[];
  readonly capabilities: readonly string[];
}

const noGrants: Granted = { hooks: [], capabilities: [] };

/** A runner whose processes have to be ended. */
export type ProcessRunner = Runner & Required<Pick<Runner, "close" | "describe">>;

/** Runs calls in separate processes behind a border, with a pool of warm processes for each module. */
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
    describe: async (module, host) => {
      const pool = pools.describing(module, host);
      const { logger, clock = systemClock, granted = noGrants } = options;
      const ask = (question: Question, signal: AbortSignal) => askProcess(pool, question, signal);
      return describedModule(await pool.describe(host.announce), { granted, ask, clock, logger });
    },
    close: async () => {
      await pools.close();
      guard?.close();
    },
  };
}

/**
 * Adds a guard if there is neither a border nor a layer, because the kernel then does not end what a tool started. The guard
 * does so when the runner closes or its host is killed; it finds the processes by a limit that all of them have.
 */
function guarded(options: ProcessRunnerOptions): ProcessRunnerOptions & { readonly guard?: ProgramGuard } {
  if (options.border.name !== "none" || options.layer !== undefined) return options;
  const { border } = options;
  const mark = createLimitMark();
  const guard = createProgramGuard({ mark, path: options.grants.env["PATH"] });
  const launch: Border["launch"] = async (program, grants) => {
    const plain = await border.launch(program, grants);
    return { ...plain, ...mark.launch(plain.file, plain.args) };
  };
  return { ...options, border: { ...border, launch }, guard };
}

/** The pools of a runner, one for each module. */
class Pools {
  readonly #options: ProcessRunnerOptions;
  readonly #pools = new Map<string, ModulePool>();
  /** Pools by the object that the host has for a module, which is the same for each of its calls. */
  readonly #known = new WeakMap<RunnerModule, ModulePool>();
  /** The parts of the host that a module may use, by the module's pool. They belong to the newest generation of the plan. */
  readonly #hosts = new WeakMap<ModulePool, RunnerHost>();
  /** The pool of the newest revision of each module, by the module's specifier, config and exports. */
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

  /** Returns the pool of a module that the host does not import. */
  describing(module: RunnerModule, host: RunnerHost): ModulePool {
    const pool = this.#pools.get(canonicalJson(module)) ?? this.#add(module, true);
    this.#hosts.set(pool, host);
    this.#makeNewest(module, pool);
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  #add(module: RunnerModule, describe: boolean): ModulePool {
    const { processes, granted = noGrants } = this.#options;
    const given = new GivenCapabilities(granted.capabilities, (name) =>
      this.#hosts.get(pool)?.getCapability(name),
    );
    const services: NearServices = {
      announce: (event, data) => pool.announce(event, data),
      use: (used) => given.use(used),
    };
    let program: NodeProgram | undefined;
    const start = () => {
      // Finding the code follows thousands of links, so it is done once for all processes of a module.
      program ??= farProgram(module.specifier);
      const grants = { ...granted, given: describe ? given.shapes() : {} };
      return startProcess(module, program, { describe, grants, services }, this.#options);
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

/** Asks the only process of a module with hooks or capabilities. */
async function askProcess(pool: ModulePool, question: Question, signal: AbortSignal): Promise<unknown> {
  const far = await pool.take(0);
  try {
    signal.throwIfAborted();
    return await far.ask(question, signal);
  } finally {
    pool.give(far, 0);
  }
}

/** Runs a preview in the process that has the staged effects of its rehearsal. */
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
  { services, ...how }: MountedHow,
  options: ProcessRunnerOptions,
): Promise<FarProcess> {
  const { border, startTimeoutMs, logger, clock = systemClock, layer } = options;
  const beside = layer === undefined ? secretsBeside(program.code) : [];
  const secret = [...(options.grants.secret ?? []), ...beside];
  const grants = { ...options.grants, secret };
  const { cwd, denied, memoryMb } = grants;
  const launch = await border.launch(program, grants);
  const paths = { folder: cwd, protectedPaths: denied, secretPaths: secret };
  // Commands may have changed what the layer shows, so code is imported from the person's own folder.
  const specifier = layer === undefined ? module.specifier : toPerson(layer, realpathSync(module.specifier));
  const mount = { type: "mount", module: { ...module, specifier }, ...how, ...paths, layer } as const;
  return new FarProcess({ launch, mount, memoryMb, startTimeoutMs, cwd, clock, logger, services });
}

/** How a process mounts its module, and the host's services for it. */
interface MountedHow {
  readonly describe: boolean;
  readonly grants: Grants;
  readonly services: NearServices;
}

const file = fileURLToPath(import.meta.resolve("#far-process"));

/** Whether this code runs from its sources; the process then imports sources, too. */
const isSource = file.endsWith(".ts");

/** Returns the program that runs the calls of a module in a process. */
function farProgram(module: string): NodeProgram {
  return {
    node: realpathSync(process.execPath),
    // With this option, another process cannot open the inspector by a signal.
    options: ["--disable-sigusr1", ...(isSource ? ["--conditions=@toolmount/source"] : [])],
    file,
    code: [...codeFolders([file, module]), ...(findTsconfig(module)?.files ?? [])],
  };
}
