import { messageOf } from "@toolmount/core/errors";
import type {
  Coordinator,
  JsonSchema,
  SchemaCompiler,
  StandardSchema,
  ToolDefinition,
} from "@toolmount/core";
import { authoredDefinition } from "@toolmount/core/internal";
import type { LoadedModule } from "../modules/recognize.ts";
import type { ManifestTool, ModuleManifest } from "../modules/manifest.ts";

/** Mounts the real module through a coordinator that keeps its tools back. */
export type Wake = (coordinator: Coordinator) => Promise<unknown>;

/**
 * Whether a module can be mounted by its manifest alone, and imported at the first call: it mounts only tools, always
 * the same ones, needs and brings nothing, and tells what each of them takes.
 */
export function canSleep(manifest: ModuleManifest | undefined): manifest is ModuleManifest {
  if (manifest?.tools === undefined || manifest.tools.length === 0 || !manifest.static) return false;
  const onlyTools = manifest.mounts.length === 1 && manifest.mounts[0] === "tools";
  const alone = manifest.needs.length === 0 && manifest.provides.length === 0;
  return (
    onlyTools &&
    alone &&
    manifest.tools.every(({ inputSchema, outputSchema }) => inputSchema && !outputSchema)
  );
}

/** A module that mounts what its manifest tells, and wakes the real one when a tool of it is first called. */
export function createSleeping({ tools = [] }: ModuleManifest, wake: Wake): LoadedModule {
  const mount = (coordinator: Coordinator) => {
    const sleeper = new Sleeper(coordinator, wake);
    for (const tool of tools) coordinator.mount("tools", sleeper.standIn(tool));
    sleeper.mounted = true;
  };
  return { kind: "mount", mount, config: undefined, onSessionReady: undefined, exports: {} };
}

class Sleeper {
  /** Until then schemas are only probed, which is nothing to wake for. */
  mounted = false;
  readonly #coordinator: Coordinator;
  readonly #wake: Wake;
  readonly #tools = new Map<string, ToolDefinition>();
  #awake = false;
  #waking: Promise<void> | undefined;

  constructor(coordinator: Coordinator, wake: Wake) {
    this.#coordinator = coordinator;
    this.#wake = wake;
  }

  standIn(manifest: ManifestTool): ToolDefinition {
    const { name, description, inputSchema = {}, timeoutMs, requiresConfirmation, ...facts } = manifest;
    const real = () => this.#real(manifest);
    return {
      ...facts,
      name,
      description,
      timeout: timeoutMs,
      schema: this.#schema(inputSchema, manifest),
      requiresConfirmation:
        requiresConfirmation === "dynamic" ? (params) => asks(real(), params) : requiresConfirmation,
      execute: (params, context) => real().execute(params, context),
    };
  }

  /** What it prints is the manifest's; what it parses by is the real tool's, which is why arguments wake it. */
  #schema(json: JsonSchema, manifest: ManifestTool): StandardSchema {
    const validate = (value: unknown) => {
      if (!this.mounted) return { issues: [{ message: "the tool is asleep" }] };
      if (this.#awake) return this.#parse(manifest, value);
      return this.#wakeUp().then(
        () => this.#parse(manifest, value),
        (error: unknown) => ({ issues: [{ message: `the tool cannot be woken: ${messageOf(error)}` }] }),
      );
    };
    const print = () => ({ ...json });
    return {
      "~standard": { version: 1, vendor: "toolmount", validate, jsonSchema: { input: print, output: print } },
    };
  }

  #parse(manifest: ManifestTool, value: unknown): ReturnType<StandardSchema["~standard"]["validate"]> {
    try {
      const { schema } = this.#real(manifest);
      if (isStandard(schema)) return schema["~standard"].validate(value);
      const compiler = this.#coordinator.get("schema-compiler") as SchemaCompiler | null;
      if (compiler === null)
        return { issues: [{ message: "nothing is mounted that reads its JSON Schema" }] };
      const result = compiler.compile(schema)(value);
      return result.ok ? { value: result.value } : { issues: result.issues };
    } catch (error) {
      return { issues: [{ message: `the tool cannot be woken: ${messageOf(error)}` }] };
    }
  }

  /** One at a time; a module that could not be woken is tried again by the next call. */
  #wakeUp(): Promise<void> {
    return (this.#waking ??= this.#wake(this.#keepingBack()).then(
      () => void (this.#awake = true),
      (err: unknown) => {
        this.#waking = undefined;
        this.#tools.clear();
        this.#coordinator.logger.error({ err }, "a module could not be woken");
        throw err;
      },
    ));
  }

  #keepingBack(): Coordinator {
    const keep = (thing: object) => {
      const tool = authoredDefinition(thing as ToolDefinition);
      if (typeof tool.execute !== "function" || tool.schema === undefined)
        throw new Error("a tool of another contract cannot sleep; leave out wake: call");
      this.#tools.set(tool.name, tool);
      return () => void this.#tools.delete(tool.name);
    };
    const coordinator = this.#coordinator;
    const mount: Coordinator["mount"] = (point, thing, options) =>
      point === "tools" ? keep(thing as object) : coordinator.mount(point, thing, options);
    return Object.freeze({ ...coordinator, mount });
  }

  /** The tool itself, if it is what was agreed to by its manifest. */
  #real(manifest: ManifestTool): ToolDefinition {
    const tool = this.#tools.get(manifest.name);
    if (tool === undefined)
      throw new Error(`its module has no tool "${manifest.name}", which its manifest tells of`);
    const { category, consequenceLevel, requiresConfirmation: asked = false } = tool;
    const confirmation = typeof asked === "function" ? "dynamic" : asked;
    const isTrue =
      category === manifest.category &&
      consequenceLevel === manifest.consequenceLevel &&
      confirmation === (manifest.requiresConfirmation ?? false);
    if (!isTrue) throw new Error(`"${manifest.name}" is classified otherwise than its manifest tells`);
    return tool;
  }
}

function asks({ requiresConfirmation = false }: ToolDefinition, params: unknown): boolean {
  return typeof requiresConfirmation === "function" ? requiresConfirmation(params) : requiresConfirmation;
}

function isStandard(schema: unknown): schema is StandardSchema {
  return (
    ((typeof schema === "object" && schema !== null) || typeof schema === "function") && "~standard" in schema
  );
}
