import {
  createHost,
  type Coordinator,
  type Host,
  type HostOptions,
  type MountPoints,
  type Undo,
} from "@toolmount/core";
import { data, defineTool, failure } from "@toolmount/core";
import { mountAdapters } from "@toolmount/interop/mount";

/** A record that something was mounted or unmounted. */
export interface MountRecord {
  readonly action: "mount" | "unmount";
  readonly point: string;
  readonly name: string;
  readonly thing?: unknown;
}

/** The members that {@link recordMounts} adds to a coordinator: its host, and a record of what was mounted and unmounted. */
export interface Recorded {
  readonly host: Host;
  readonly history: readonly MountRecord[];
  /** The values that were mounted at `tools`, as they were given. */
  readonly mountedTools: readonly unknown[];
}

/** The coordinator that a plan gives to a module: toolmount's, with Amplifier's names as well. */
export type TestCoordinator = ReturnType<typeof mountAdapters> & Recorded;

/** Makes a coordinator into which a test can mount a module without a plan. Tools of all contracts can be mounted. */
export function createTestCoordinator(options: HostOptions = {}): TestCoordinator {
  const host = createHost(options);
  return recordMounts(mountAdapters(host.coordinator), host);
}

/** Makes a coordinator like {@link createTestCoordinator}, but with `new TestCoordinator()`, as in Amplifier's tests. */
export const TestCoordinator = function (options: HostOptions = {}): TestCoordinator {
  return createTestCoordinator(options);
} as unknown as new (options?: HostOptions) => TestCoordinator;

/** Wraps a coordinator so that it remembers what is mounted and unmounted through it. */
export function recordMounts<Given extends Coordinator>(coordinator: Given, host: Host): Given & Recorded {
  const history: MountRecord[] = [];
  const recorded = {
    host,
    history,
    get mountedTools() {
      return history
        .filter(({ action, point }) => action === "mount" && point === "tools")
        .map(({ thing }) => thing);
    },
    mount(point: keyof MountPoints, thing: never, mounting?: Mounting): Undo {
      const undo = coordinator.mount(point, thing, mounting as { name?: string | undefined });
      history.push({ action: "mount", point, name: nameOf(thing, mounting), thing });
      return undo;
    },
    unmount(point: keyof MountPoints, name?: string): void {
      coordinator.unmount(point, name);
      history.push({ action: "unmount", point, name: name ?? "" });
    },
  };
  // Copying descriptors keeps members that are computed by getters.
  const members = {
    ...Object.getOwnPropertyDescriptors(coordinator),
    ...Object.getOwnPropertyDescriptors(recorded),
  };
  return Object.defineProperties({}, members) as Given & Recorded;
}

/** Options of `mount`. Amplifier's modules pass only the name. */
type Mounting = string | { readonly name?: string | undefined };

function nameOf(thing: unknown, mounting: Mounting | undefined): string {
  const { name, ToolName } = thing as { name?: unknown; ToolName?: unknown };
  const given = typeof mounting === "string" ? mounting : mounting?.name;
  const named = [given, ToolName, name].find((candidate) => typeof candidate === "string");
  return typeof named === "string" ? named : "";
}

/** Makes a coordinator with two tools for experiments: `echo` returns its text, `fail` fails with its text. */
export function createReadyCoordinator(options: HostOptions = {}): TestCoordinator {
  const coordinator = createTestCoordinator(options);
  const schema = {
    "~standard": {
      version: 1,
      vendor: "toolmount-testing",
      validate: (value: unknown) =>
        typeof (value as { text?: unknown } | null)?.text === "string"
          ? { value: value as { text: string } }
          : { issues: [{ message: "text is required", path: ["text"] }] },
      jsonSchema: { input: printed, output: printed },
    },
  } as const;
  const common = { schema, category: "read", consequenceLevel: "low", requiresConfirmation: false } as const;
  coordinator.mount(
    "tools",
    defineTool({
      ...common,
      name: "echo",
      description: "Returns its text.",
      execute: ({ text }) => data(text),
    }),
  );
  coordinator.mount(
    "tools",
    defineTool({
      ...common,
      name: "fail",
      description: "Fails with its text.",
      execute: ({ text }) => failure(text),
    }),
  );
  return coordinator;
}

function printed(): Record<string, unknown> {
  const text = { type: "string", description: "Any text" };
  return { type: "object", properties: { text }, required: ["text"] };
}
