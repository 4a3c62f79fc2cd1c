import { z } from "zod";
import {
  createHost,
  createRunnerContext,
  data,
  defineTool,
  silentLogger,
  type EventData,
  type Host,
  type HostOptions,
  type Runner,
  type ToolContext,
  type ToolReturn,
  type ToolSpecification,
} from "../src/index.ts";

type AnyTool = ToolSpecification<ReturnType<typeof z.looseObject>, unknown>;

/** A tool for tests: what a test does not care about has a default. */
export function tool(
  execute: (params: Readonly<Record<string, unknown>>, context: ToolContext) => unknown = (params) =>
    data(params),
  fields: Partial<AnyTool> = {},
) {
  return defineTool({
    name: "probe",
    description: "Does what a test needs. Use it in tests. Not for anything else.",
    schema: z.looseObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    ...fields,
    execute: execute as (params: unknown, context: ToolContext) => Promise<ToolReturn>,
  });
}

export interface World {
  readonly host: Host;
  /** Every event that observers of `*` received, in order. */
  readonly events: { readonly event: string; readonly data: EventData }[];
  /** Names of the events of one run. */
  eventsOf(runId: string): string[];
}

/** How the tools of a world run: in place, or through a runner that lets only JSON through. */
export type Where = "inline" | "cloned";

/** A host with tools mounted and every event recorded. */
export function world(
  tools: readonly { readonly name: string }[],
  options: HostOptions = {},
  where: Where = "inline",
  record = true,
): World {
  const host = createHost(options);
  const events: World["events"][number][] = [];
  if (record)
    host.coordinator.hooks.observe("*", (event, payload) => void events.push({ event, data: payload }));
  if (where === "cloned") host.coordinator.mount("runners", cloningRunner, { name: "cloned" });
  const draft = host.draft();
  const module = draft.addModule({
    id: "tests",
    shapeTool: () => (where === "cloned" ? { runner: "cloned" } : {}),
  });
  for (const one of tools) module.coordinator.mount("tools", one);
  void draft.commit();
  return {
    host,
    events,
    eventsOf: (runId) =>
      events.filter(({ data: payload }) => payload["run_id"] === runId).map(({ event }) => event),
  };
}

/** Runs a tool here, but lets nothing pass that JSON could not hold. */
const cloningRunner: Runner = {
  async run(job, control) {
    const far = structuredClone(job);
    const context = createRunnerContext(far.info, {
      abortSignal: control.signal,
      logger: silentLogger,
      progress: (progress) => control.progress(structuredClone(progress)),
      call: async (request) => structuredClone(await control.call(structuredClone(request))),
      session: control.session,
    });
    const returned = await control.definition.execute(far.arguments, context);
    return structuredClone(returned);
  },
};
