import { dirname } from "node:path";
import { createMemoryStore, ToolmountError, type JsonObject } from "@toolmount/core";
import type { OpenedHost, OpenHostOptions } from "@toolmount/loader";
import type { ExpectedCall } from "@toolmount/testing/evals";

/** The tools of a world's plan, with a state that no other run shares. */
export interface World {
  /** Calls a tool of the world. If the world lacks the tool, the result is an error. */
  call(tool: string, given: JsonObject): Promise<JsonObject>;
  /** Resolves to the present state as JSON; undefined if no module of the world shows a state. */
  state(): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens a fresh world from its plan. Each world is a separate host, so state that a module keeps in its `mount` begins again. */
export type OpenWorld = (plan: string) => Promise<World>;

/** The capability by which a module of a world shows its state. */
const stateCapability = "world.state";

/** Returns a function that opens worlds. Questions there are approved, because the evaluated plan has already decided. */
export function createWorldOpener(given: OpenHostOptions): OpenWorld {
  return async (plan) => {
    const { openHost } = await import("@toolmount/loader");
    const host = await openHost(plan, {
      ...given,
      cwd: dirname(plan),
      overlays: [],
      store: createMemoryStore(),
      approver: () => ({ decision: "approve", by: "the evaluation" }),
    });
    return {
      call: async (name, args) => {
        const { result } = await host.call({ name, arguments: args }, { sessionId: "world" });
        return result as unknown as JsonObject;
      },
      state: () => readState(host),
      close: async () => void (await host.close()),
    };
  };
}

async function readState({ coordinator }: OpenedHost): Promise<unknown> {
  const read = coordinator.getCapability(stateCapability);
  if (typeof read !== "function") return undefined;
  return JSON.parse(JSON.stringify((await read()) ?? null));
}

/** Resolves to the state of a fresh world after these calls. Throws `USAGE_INVALID` if the world shows no state. */
export async function stateAfter(
  openWorld: OpenWorld,
  plan: string,
  calls: readonly ExpectedCall[],
): Promise<unknown> {
  const world = await openWorld(plan);
  try {
    for (const { tool, arguments: given = {} } of calls) await world.call(tool, given as JsonObject);
    const state = await world.state();
    if (state !== undefined) return state;
    throw new ToolmountError("USAGE_INVALID", {
      problem: `the world ${plan} shows no state: a module of it registers the capability ${stateCapability}`,
    });
  } finally {
    await world.close();
  }
}
