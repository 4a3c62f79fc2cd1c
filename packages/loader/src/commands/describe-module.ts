import {
  contractVersion,
  createHost,
  ToolmountError,
  type Coordinator,
  type JsonObject,
  type JsonSchema,
  type ToolInfo,
} from "@toolmount/core";
import type { ModuleExports } from "../modules/source.ts";
import { isRecord } from "../diagnostics/json.ts";
import { readIssues } from "../diagnostics/schema-issues.ts";
import {
  manifestFacts,
  someTexts,
  waitsForPlan,
  type ManifestTool,
  type ModuleManifest,
} from "../modules/manifest.ts";
import { adaptModule, recogniseModule, type LoadedModule } from "@toolmount/core/modules";
import { validateStandard } from "@toolmount/core/schemas";
import { mountModule } from "../mount/recording-coordinator.ts";

/** What `describeModule` cannot know from the code of a module. */
export interface DescribeOptions {
  /** Default `{}`. */
  readonly config?: JsonObject | undefined;
  /** The `toolmount` part of the module's `package.json`. Only `type`, `static`, `needs` and `hostOnly` are taken from it. */
  readonly manifest?: Partial<ModuleManifest> | undefined;
  /** The name of the module in messages. Default `module`. */
  readonly name?: string | undefined;
  /**
   * Mounts adapters that recognise modules of other libraries and compile JSON Schemas, as `mount` of `@toolmount/interop` does.
   * By default, only modules of toolmount with Zod schemas can be described.
   */
  readonly adapters?: ((coordinator: Coordinator) => unknown) | undefined;
  /** The value of the capability `session.working_dir`. Default: not registered. */
  readonly workingDir?: string | undefined;
}

/**
 * Mounts a module in a separate host, and returns the manifest that describes it. Then closes the host. Throws `CONFIG_INVALID`,
 * `MODULE_INVALID`, and the errors of the module.
 */
export async function describeModule(
  exports: ModuleExports,
  options: DescribeOptions = {},
): Promise<ModuleManifest> {
  const { name = "module", manifest = {} } = options;
  const module = recogniseModule(name, exports);
  const config = await parse(name, module, options.config ?? {});
  const host = createHost();
  if (options.workingDir !== undefined)
    host.coordinator.registerCapability("session.working_dir", options.workingDir);
  try {
    const draft = host.draft();
    await options.adapters?.(draft.addModule({ id: "adapters" }).coordinator);
    const mounted = draft.addModule({ id: name, config });
    const adapted = adaptModule(name, module, mounted.coordinator);
    const recording = await mountModule(name, adapted, mounted.coordinator, config);
    await draft.commit();
    const schema = printConfig(module);
    return {
      type: manifest.type ?? "tool",
      contract: contractVersion,
      mounts: [...recording.points],
      static: manifest.static ?? false,
      ...(schema !== undefined && { config: schema }),
      provides: [...recording.capabilities],
      needs: manifest.needs ?? [],
      ...someTexts("hooks", [...recording.hooks]),
      ...someTexts("context", [...recording.context]),
      ...hostOnly(manifest, adapted),
      tools: host.tools({ includeDeprecated: true }).map(describeTool),
    };
  } finally {
    await host.close();
  }
}

/**
 * Returns why a module must run in the host: the manifest's reason, or that it exports `onSessionReady`, which is not called
 * behind a border. Empty if it need not.
 */
function hostOnly({ hostOnly: reason }: Partial<ModuleManifest>, module: LoadedModule) {
  if (reason !== undefined) return { hostOnly: reason };
  const waits = module.kind === "mount" && module.onSessionReady !== undefined;
  return waits ? { hostOnly: waitsForPlan } : {};
}

async function parse(name: string, module: LoadedModule, config: JsonObject): Promise<JsonObject> {
  if (module.kind !== "mount" || module.config === undefined) return config;
  const parsed = await validateStandard(module.config, config);
  if (parsed.issues === undefined) return parsed.value as JsonObject;
  const problem = readIssues(module.config, parsed.issues)
    .map((issue) => issue.problem)
    .join("; ");
  throw new ToolmountError("CONFIG_INVALID", { module: name, problem });
}

function printConfig(module: LoadedModule): JsonSchema | undefined {
  const printer = module.kind === "mount" ? module.config?.["~standard"].jsonSchema : undefined;
  const schema: unknown = printer?.input({ target: "draft-2020-12" });
  return isRecord(schema) ? schema : undefined;
}

export function describeTool(tool: ToolInfo): ManifestTool {
  const facts = manifestFacts.filter((fact) => tool[fact] !== undefined).map((fact) => [fact, tool[fact]]);
  return Object.fromEntries(facts) as ManifestTool;
}
