import {
  createHost,
  type Coordinator,
  type Host,
  type HostOptions,
  type MountPoints,
  type Undo,
} from "@toolmount/core";
import { data, defineTool, failure } from "@toolmount/core";

/** One thing that was mounted or unmounted. */
export interface MountRecord {
  readonly action: "mount" | "unmount";
  readonly point: string;
  readonly name: string;
  readonly thing?: unknown;
}

/** A real coordinator of a real host, which also remembers what was mounted and unmounted through it. */
export interface TestCoordinator extends Coordinator {
  readonly host: Host;
  readonly history: readonly MountRecord[];
  /** What was mounted at `tools`, as it was given. */
  readonly mountedTools: readonly unknown[];
}

/** Makes a coordinator to mount a module into, without a plan. */
export function createTestCoordinator(options: HostOptions = {}): TestCoordinator {
  const host = createHost(options);
  return recordMounts(host.coordinator, host);
}

/** A coordinator over another that remembers what went through it. */
export function recordMounts(coordinator: Coordinator, host: Host): TestCoordinator {
  const history: MountRecord[] = [];
  const facade: TestCoordinator = {
    ...coordinator,
    host,
    history,
    get mountedTools() {
      return history
        .filter(({ action, point }) => action === "mount" && point === "tools")
        .map(({ thing }) => thing);
    },
    mount(point: keyof MountPoints, thing: never, mounting?: { name?: string | undefined }): Undo {
      const undo = coordinator.mount(point, thing, mounting);
      history.push({ action: "mount", point, name: nameOf(thing, mounting), thing });
      return undo;
    },
    unmount(point: keyof MountPoints, name?: string): void {
      coordinator.unmount(point, name);
      history.push({ action: "unmount", point, name: name ?? "" });
    },
  };
  return facade;
}

function nameOf(thing: unknown, mounting: { name?: string | undefined } | undefined): string {
  const { name, ToolName } = thing as { name?: unknown; ToolName?: unknown };
  const named = [mounting?.name, ToolName, name].find((candidate) => typeof candidate === "string");
  return typeof named === "string" ? named : "";
}

/** A coordinator with two tools to try things out: `echo` returns its text, `fail` fails with its message. */
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
