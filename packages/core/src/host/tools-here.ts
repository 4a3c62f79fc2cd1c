import type { CallInfo, ToolContext } from "../contract/context.ts";
import type { Coordinator } from "../contract/coordinator.ts";
import type { ToolDefinition, ToolInfo } from "../contract/tool.ts";
import type { RunnerModule } from "../contract/runner.ts";
import { addProvided } from "../call/tool-context.ts";
import { hiddenBy, offerMark } from "../sessions/offer.ts";
import type { HostState } from "./host-state.ts";
import { generationOf } from "../registry/generation.ts";

/** A mounted tool, for a worker that runs it for calls of other hosts. */
export interface ToolHere {
  readonly info: ToolInfo;
  readonly definition: ToolDefinition;
  /** Name of the tool's runner; null for this process. */
  readonly runner: string | null;
  /** The module to import in another process; absent for tools that were mounted by hand. */
  readonly module: RunnerModule | undefined;
  /** Names of the members that this host's modules provide to a context. */
  readonly provided: readonly string[];
  /** Adds the provided members to a context. */
  provide(context: ToolContext, info: CallInfo): ToolContext;
}

const states = new WeakMap<Coordinator, HostState>();

export function rememberState(coordinator: Coordinator, state: HostState): void {
  states.set(coordinator, state);
}

/**
 * Returns the tools of a host's current generation, with what is needed to run them. Running a definition directly skips every
 * check of a call, so the host that sent the call must have made these checks.
 */
export function toolsHere(host: { readonly coordinator: Coordinator }): readonly ToolHere[] {
  const state = stateOf(host);
  const { tools, providers } = generationOf(state.moduleSet);
  return [...tools.values()].map(({ info, definition, runner, module }) => ({
    info,
    definition,
    runner,
    module: module.options.module,
    provided: [...providers.keys()],
    provide(context, about) {
      addProvided(context, providers, () => about);
      return context;
    },
  }));
}

/**
 * Returns small values on which the offer of a session depends: as long as they are deeply equal, the session is offered the
 * same tools. It reads no store.
 */
export function offerMarkOf(
  host: { readonly coordinator: Coordinator },
  sessionId: string,
): readonly unknown[] {
  return offerMark(stateOf(host), sessionId);
}

/** Sets how many servers of one store serve the host's plan, and the rank of this server, so that each gets its share of rates. */
export function shareRates(
  host: { readonly coordinator: Coordinator },
  share: { readonly servers: number; readonly rank: number },
): void {
  Object.assign(stateOf(host).share, share);
}

/** Whether a client sees an internal tool: it is mounted, equals what the lock file has, and no policy hides it. */
export function isAvailable(host: { readonly coordinator: Coordinator }, tool: string): boolean {
  const { moduleSet } = stateOf(host);
  const mounted = moduleSet.registry.tools.get(tool);
  return mounted !== undefined && mounted.drifted?.() !== true && !hiddenBy(moduleSet.registry)(mounted.info);
}

/** Whether data fits the tool's `outputSchema`; true for a tool without a schema. It checks whatever `outputCheck` says. */
export async function fitsOutputSchema(
  host: { readonly coordinator: Coordinator },
  tool: string,
  data: unknown,
): Promise<boolean> {
  const check = generationOf(stateOf(host).moduleSet).find(tool)?.checkOutput ?? null;
  return check === null || (await check(data)).ok;
}

function stateOf({ coordinator }: { readonly coordinator: Coordinator }): HostState {
  const state = states.get(coordinator);
  if (state === undefined) throw new Error("this is not a host that createHost made");
  return state;
}
