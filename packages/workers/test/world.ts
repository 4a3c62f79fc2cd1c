import { fileURLToPath } from "node:url";
import {
  createHost,
  type CallContext,
  type Coordinator,
  type EventData,
  type Host,
  type HostOptions,
  type JsonObject,
  type Logger,
  type ToolOutcome,
} from "@toolmount/core";
import { config, mount } from "../src/index.ts";

/** A host whose tools run in processes. */
export interface World extends AsyncDisposable {
  readonly host: Host;
  readonly events: { readonly event: string; readonly data: EventData }[];
  /** Calls the probe of `modules/probes.ts`. */
  act(name: string, value?: unknown, context?: CallContext): Promise<ToolOutcome>;
}

/** A process may take its time to start on a machine under load. */
const startTimeoutMs = 900_000;

/** The file of a module for tests. */
const moduleFile = (name: string) => fileURLToPath(new URL(`modules/${name}.ts`, import.meta.url));

interface WorldOptions extends HostOptions {
  readonly module?: string | undefined;
  readonly folder?: string | undefined;
  readonly logger?: Logger | undefined;
}

/** Mounts a module whose calls run as `run` says; null: in this process. */
export async function world(run: JsonObject | null, options: WorldOptions = {}): Promise<World> {
  const { module: name = "probes", folder = "/tmp", ...rest } = options;
  const host = createHost(rest);
  const events: World["events"][number][] = [];
  host.coordinator.registerCapability("session.working_dir", folder);
  host.coordinator.hooks.observe("*", (event, payload) => void events.push({ event, data: payload }));
  const draft = host.draft();
  if (run !== null) {
    const settings = config.parse({ runners: [{ name: "process", in: "process", startTimeoutMs, ...run }] });
    await mount(draft.addModule({ id: "@toolmount/workers" }).coordinator, settings);
  }
  const specifier = moduleFile(name);
  const shapeTool = () => (run === null ? {} : { runner: "process" });
  const { coordinator } = draft.addModule({ id: "tests", module: { specifier, config: {} }, shapeTool });
  const module = (await import(specifier)) as { mount(coordinator: Coordinator): void };
  module.mount(coordinator);
  await draft.commit();
  return {
    host,
    events,
    act: (act, value, context) =>
      host.call({ name: "probe", arguments: value === undefined ? { act } : { act, value } }, context),
    async [Symbol.asyncDispose]() {
      await host.close({ graceMs: 1 });
    },
  };
}
