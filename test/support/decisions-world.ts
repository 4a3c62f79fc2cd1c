import * as interop from "@toolmount/interop";
import { openHost, type OpenedHost, type OpenHostOptions } from "@toolmount/loader";
import * as policy from "@toolmount/policy";
import { createEventRecorder, createWorkspace, type EventRecorder, type Workspace } from "@toolmount/testing";
import type { Coordinator, Logger, ToolContext, ToolDefinition } from "@toolmount/core";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** A line that was logged, with what its logger was bound to. */
export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface World {
  readonly host: OpenedHost;
  readonly workspace: Workspace;
  readonly lines: LogLine[];
  readonly events: EventRecorder;
}

type Module = Readonly<Record<string, unknown>>;

/** A host opened from a plan file on disk; modules that are no files are given as objects. */
export async function opened(
  plan: string,
  modules: Readonly<Record<string, Module>> = {},
  { files = {}, ...options }: OpenHostOptions & { files?: Readonly<Record<string, string>> } = {},
): Promise<World> {
  const workspace = await createWorkspace({
    "package.json": '{"type":"module"}',
    "plan.yaml": plan,
    ...files,
  });
  onTestFinished(() => workspace.remove());
  const lines: LogLine[] = [];
  const extensions = { "@toolmount/interop": interop, "@toolmount/policy": policy, ...modules };
  const host = await openHost(workspace.path("plan.yaml"), {
    env: {},
    logger: recordingLogger(lines),
    ...options,
    extensions,
  });
  onTestFinished(async () => void (await host.close()));
  return { host, workspace, lines, events: createEventRecorder(host.coordinator.hooks) };
}

/** The same, for a plan that must not open: why. */
export async function refused(
  plan: string,
  modules: Readonly<Record<string, Module>> = {},
  options: OpenHostOptions & { files?: Readonly<Record<string, string>> } = {},
): Promise<{
  readonly problems: readonly Readonly<Record<string, unknown>>[];
  readonly lines: readonly LogLine[];
}> {
  const lines: LogLine[] = [];
  const error: unknown = await opened(plan, modules, { ...options, logger: recordingLogger(lines) }).then(
    () => new Error("the plan opened"),
    (thrown: unknown) => thrown,
  );
  const { details } = error as { details?: { problems?: readonly Readonly<Record<string, unknown>>[] } };
  if (details?.problems === undefined) throw error;
  return { problems: details.problems, lines };
}

/** A logger that keeps every line, with the bindings of its children. */
function recordingLogger(lines: LogLine[], bound: object = {}): Logger {
  const at =
    (level: string) =>
    (fields: object, message = "") =>
      void lines.push({ level, fields: { ...bound, ...fields }, message });
  return {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (more: object) => recordingLogger(lines, { ...bound, ...more }),
  };
}

/** A module that mounts things. */
export function mounting(...things: readonly unknown[]): Module {
  return {
    config: z.strictObject({}), // a module with a config schema is written for toolmount
    mount: (coordinator: Coordinator) => {
      for (const thing of things) coordinator.mount("tools", thing as never);
    },
  };
}

/** A native tool; what a test does not care about has a default. */
export function native(
  execute: (params: Readonly<Record<string, unknown>>, context: ToolContext) => unknown,
  fields: Partial<ToolDefinition> = {},
): ToolDefinition {
  return {
    name: "probe",
    description: "Does what a test needs. Use it in tests. Not for anything else.",
    schema: z.looseObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    ...fields,
    execute: execute as ToolDefinition["execute"],
  };
}

/** A plan with one module. */
export const onePlan = "version: 1\ntools:\n  - module: m\n";

/** Source of an Aptix tool whose `ExecuteAsync` has this body, and whose class these members. */
export function aptixSource(body: string, members = "", name = "agent_probe"): string {
  return `
export class ProbeTool {
  static ToolName = "${name}";
  static ToolUsageMetadata = "${name}: probes. Use it when asked. Do not use it otherwise.\\n\\nArguments\\n- name (string, optional)";
  static GetSchema() {
    const parameters = { type: "object", properties: { name: { type: "string", description: "Whom" } }, required: [] };
    return { type: "function", name: "${name}", description: "Probes. Use when asked.", parameters };
  }
  ${members}
  get Name() { return "${name}"; }
  get IsToolFullyExecutedOnServer() { return true; }
  async ExecuteAsync(text, context, signal) { ${body} }
}
export async function mount(coordinator, config) {
  coordinator.mount("tools", ProbeTool);
}
`;
}

/** Source of an Amplifier module with one tool whose `execute` has this body. */
export function amplifierSource(body: string, before = "", more = ""): string {
  return `
export const __amplifier_module_type__ = "tool";
export async function mount(coordinator, config) {
  ${before}
  await coordinator.mount("tools", {
    name: "probe",
    description: "Probes.",
    input_schema: { type: "object", properties: {} },
    ${more}
    async execute(input) { ${body} },
  });
}
`;
}

/** Source of a Tool-Forge definition whose `execute` has this body. */
export function forgeSource(body: string, more = ""): string {
  return `
export async function mount(coordinator, config) {
  coordinator.mount("tools", {
    name: "get_probe",
    description: "Probes. Use when asked.",
    schema: { type: "object", properties: {} },
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    ${more}
    async execute(params, context) { ${body} },
  });
}
`;
}
