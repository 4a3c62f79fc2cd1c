import type { Logger, RunnerControl, RunnerJob, ToolReturn } from "@toolmount/core";
import { plainBorder, type Border, type Grants, type Layer } from "@toolmount/sandbox";
import { messageOf } from "@toolmount/core/errors";
import { unavailable } from "../run-failures.ts";
import { createProcessRunner, type ProcessRunner } from "../process/process-runner.ts";

/** The session of calls that name none. */
export const mainSession = "main";

/** What the processes of a layer are started with. */
export interface LayerPrograms {
  readonly grants: Grants;
  /** The folder of the layer. */
  readonly folder: string;
  readonly startTimeoutMs: number;
  readonly logger: Logger;
}

/** The calls of a session in its layer. */
export interface SessionCalls {
  run(job: RunnerJob, control: RunnerControl): Promise<ToolReturn>;
  /** Whether a call runs. */
  isWorking(): boolean;
  /** Does something while no call runs or begins; nothing where one runs. */
  alone(act: () => Promise<void>): Promise<void>;
  /** Ends the processes that wait for calls. */
  end(): Promise<void>;
}

/** Processes that wait for calls, in one mount of the view. They end with it. */
interface Mounted {
  readonly view: string;
  readonly runner: ProcessRunner;
}

/**
 * Runs calls in processes inside a layer. Before a call, what the person changed meanwhile is shown, unless another call or a
 * command in the background runs; then the call has a warning.
 */
export function createSessionCalls(open: () => Promise<Layer>, programs: LayerPrograms): SessionCalls {
  let running = 0;
  let mounted: Mounted | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const begin = async () => {
    const layer = await open();
    const { folder: view, changedBelow, isCurrent } = await layer.renew();
    if (view !== mounted?.view) {
      await mounted?.runner.close();
      mounted = { view, runner: runnerIn(layer, programs) };
    }
    running += 1;
    return { runner: mounted.runner, unseen: isCurrent ? [] : changedBelow };
  };
  return {
    isWorking: () => running > 0,
    async run(job, control) {
      // The view must not change between the look at it and the start of a process in it.
      const began = last.then(begin);
      last = began.catch(() => {});
      const { runner, unseen } = await began.catch((error: unknown) => {
        throw unavailable(job, messageOf(error));
      });
      try {
        return withWarning(await runner.run(job, control), unseen);
      } finally {
        running -= 1;
      }
    },
    alone(act) {
      const done = last.then(() => (running > 0 ? undefined : act()));
      last = done.catch(() => {});
      return done;
    },
    async end() {
      await mounted?.runner.close();
      mounted = undefined;
    },
  };
}

/** A border that starts what runs as the host, inside the layer. */
function runnerIn(layer: Layer, { grants, folder, startTimeoutMs, logger }: LayerPrograms): ProcessRunner {
  const border: Border = {
    name: "none",
    async launch(program, own) {
      const plain = await plainBorder.launch(program, own);
      const { launch } = await layer.enter({ ...plain, filter: undefined }, true);
      return launch;
    },
  };
  const env = { ...grants.env, TMPDIR: layer.temporary };
  return createProcessRunner({
    border,
    grants: { ...grants, env },
    processes: 2,
    startTimeoutMs,
    logger,
    layer: folder,
  });
}

/** Most paths that a warning names. */
const maxNamed = 5;

function withWarning(returned: ToolReturn, unseen: readonly string[]): ToolReturn {
  if (unseen.length === 0 || typeof returned !== "object" || returned === null) return returned;
  const warning = `the user changed files that this session does not see while a command runs: ${named(unseen, maxNamed)}`;
  const { warnings = [] } = returned as { readonly warnings?: readonly string[] };
  return { ...returned, warnings: [...warnings, warning] };
}

/** Lists the first so many paths, and says how many more there are. */
export function named(paths: readonly string[], most: number): string {
  const more = paths.length > most ? ` and ${paths.length - most} more` : "";
  return `${paths.slice(0, most).join(", ")}${more}`;
}
