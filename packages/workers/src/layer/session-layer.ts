import type { Logger, RunnerControl, RunnerJob, ToolReturn } from "@toolmount/core";
import { plainBorder, type Border, type Grants, type Layer, type LeftLayer } from "@toolmount/sandbox";
import { messageOf } from "@toolmount/core/errors";
import { z } from "zod";
import { unavailable } from "../run-failures.ts";
import { createProcessRunner, type ProcessRunner } from "../process/process-runner.ts";

/** Session of calls that name no session. */
export const mainSession = "main";

/** Settings with which the processes of a layer are started. */
export interface LayerPrograms {
  readonly grants: Grants;
  /** The folder whose changes wait in the layer. */
  readonly folder: string;
  readonly startTimeoutMs: number;
  readonly logger: Logger;
}

/** Runs and records the calls of a session in its layer. */
export interface SessionCalls {
  run(job: RunnerJob, control: RunnerControl): Promise<ToolReturn>;
  /** Whether a call of the session runs in the layer now. */
  isWorking(): boolean;
  /** Runs `act` while no call runs or begins. Returns undefined if a call is running. */
  alone<Result>(act: () => Promise<Result>): Promise<Result | undefined>;
  /** Runs `act` while no call begins. */
  between<Result>(act: () => Promise<Result>): Promise<Result>;
  /** Returns the calls since the last keep or drop of everything, without those that only read: at most the last 1,000. */
  made(): readonly MadeCall[];
  /** Forgets the calls that `made` returns. The result of the next call gets the warning, if there is one. */
  begin(warning: string | undefined): void;
  /** Ends the processes that wait for calls. */
  end(): Promise<void>;
}

/** The layers of a host, one for each session. */
export interface SessionLayers {
  /**
   * Opens the layer of a session, by the session's id. Rejects with `SANDBOX_UNAVAILABLE`, or with `SESSION_CONFLICT` if
   * another process works in it.
   */
  of(session: string): Promise<Layer>;
  /** Whether the layer of a session is open in this process. */
  isOpen(session: string): boolean;
  /** Runs `act` with the layer of a session while no call of the session begins. */
  look<Result>(session: string, act: (layer: Layer, calls: SessionCalls) => Promise<Result>): Promise<Result>;
  /** Returns the layers on the disk; `owner` is the session. */
  sessions(): readonly LeftLayer[];
}

declare module "@toolmount/core" {
  interface Capabilities {
    /** The layers of a host whose plan has `layer`. */
    "host.layers": SessionLayers;
  }
}

/** A call that may have changed the layer. */
export interface MadeCall {
  readonly tool: string;
  readonly runId: string;
  /** Hosts of the network that the call says it reached, as `host:port`. */
  readonly network?: readonly string[] | undefined;
}

/** Maximum number of calls that are remembered, which are the last ones. */
const mostMade = 1_000;

/** Processes that wait for calls in one mounted view, and end with it. */
interface Mounted {
  readonly view: string;
  /** The grants with which the processes were started, as JSON. */
  readonly grants: string;
  readonly runner: ProcessRunner;
  running: number;
}

/**
 * Runs calls in processes inside of a layer. Before each call, the view is updated with what the person changed meanwhile. If
 * another call or a command in the background is running, that is not possible, and the call gets a warning.
 */
export function createSessionCalls(open: () => Promise<Layer>, programs: () => LayerPrograms): SessionCalls {
  let running = 0;
  let mounted: Mounted | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let made: readonly MadeCall[] = [];
  const toSay: string[] = [];
  const begin = async () => {
    const layer = await open();
    const { folder: view, changedBelow, isCurrent } = await layer.renew();
    const wanted = programs();
    const grants = JSON.stringify(wanted.grants);
    if (view !== mounted?.view || grants !== mounted.grants) {
      const old = mounted;
      mounted = { view, grants, runner: runnerIn(layer, wanted), running: 0 };
      await closeUnused(old);
    }
    running += 1;
    mounted.running += 1;
    return { own: mounted, warnings: [...toSay.splice(0), ...unseenWarning(isCurrent ? [] : changedBelow)] };
  };
  /** Ends processes of an earlier view when their last call has ended. */
  const closeUnused = async (own: Mounted | undefined) => {
    if (own !== mounted && own?.running === 0) await own.runner.close();
  };
  const between = <Result>(act: () => Promise<Result>) => {
    const done = last.then(act);
    last = done.catch(() => {});
    return done;
  };
  return {
    isWorking: () => running > 0,
    async run(job, control) {
      // The view must not change between the look at it and the start of a process in it.
      const { own, warnings } = await between(begin).catch((error: unknown) => {
        throw unavailable(job, messageOf(error));
      });
      if (control.definition.category !== "read") made = [...made, madeBy(job)].slice(-mostMade);
      try {
        const returned = await own.runner.run(job, control);
        made = withHosts(made, job, returned);
        return withWarnings(returned, warnings);
      } finally {
        running -= 1;
        own.running -= 1;
        await closeUnused(own);
      }
    },
    alone: (act) => between(async () => (running > 0 ? undefined : act())),
    between,
    made: () => made,
    begin(warning) {
      made = [];
      if (warning !== undefined) toSay.push(warning);
    },
    async end() {
      await mounted?.runner.close();
      mounted = undefined;
    },
  };
}

function madeBy({ tool, runId }: RunnerJob): MadeCall {
  return { tool, runId };
}

/** Records the hosts that a tool such as `bash` says it reached, in its data or in the details of its failure. */
function withHosts(
  made: readonly MadeCall[],
  { runId }: RunnerJob,
  returned: ToolReturn,
): readonly MadeCall[] {
  const { data, details } = returned as { readonly data?: unknown; readonly details?: unknown };
  const { success, data: found } = withNetwork.safeParse(data ?? details);
  return success ? made.map((each) => (each.runId === runId ? { ...each, ...found } : each)) : made;
}

const withNetwork = z.object({ network: z.array(z.string()).min(1).max(1_000) });

/** Makes a runner whose border starts processes with the host's rights, inside of the layer. */
function runnerIn(layer: Layer, { grants, folder, startTimeoutMs, logger }: LayerPrograms): ProcessRunner {
  const border: Border = {
    name: "none",
    async launch(program, own) {
      const plain = await plainBorder.launch(program, own);
      const { launch } = await layer.enter({ ...plain, filter: undefined }, true);
      return { ...launch, isEntered: true };
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

/** Maximum number of paths that a warning names. */
const maxNamed = 5;

function unseenWarning(unseen: readonly string[]): readonly string[] {
  if (unseen.length === 0) return [];
  return [
    `the user changed files that this session does not see while a command runs: ${named(unseen, maxNamed)}`,
  ];
}

function withWarnings(returned: ToolReturn, added: readonly string[]): ToolReturn {
  if (added.length === 0 || typeof returned !== "object" || returned === null) return returned;
  const { warnings = [] } = returned as { readonly warnings?: readonly string[] };
  return { ...returned, warnings: [...warnings, ...added] };
}

/** Lists the first paths, up to `most`, and says how many more there are. */
export function named(paths: readonly string[], most: number): string {
  const more = paths.length > most ? ` and ${paths.length - most} more` : "";
  return `${paths.slice(0, most).join(", ")}${more}`;
}
