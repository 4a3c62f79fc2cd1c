import type {
  Coordinator,
  JsonSchema,
  SchemaCompiler,
  StandardSchema,
  ToolContext,
  ToolDefinition,
  ToolReturn,
  UndoRequest,
} from "@toolmount/core";
import { authoredDefinition, strictest, type LoadedModule } from "@toolmount/core/modules";
import { isStandardSchema } from "@toolmount/core/schemas";
import { messageOf } from "@toolmount/core/errors";
import type { ManifestTool, ModuleManifest } from "../modules/manifest.ts";

/** Imports the real module and mounts it through a coordinator that only collects its tools. */
export type Wake = (coordinator: Coordinator) => Promise<unknown>;

/**
 * Tests whether a manifest is enough to mount a module: the module mounts only tools, always the same ones, and registers nothing
 * else. Each tool has a schema for its arguments, and none for its result.
 */
export function canLoadLazily(manifest: ModuleManifest | undefined): manifest is ModuleManifest {
  if (manifest?.tools === undefined || manifest.tools.length === 0 || !manifest.static) return false;
  const onlyTools = manifest.mounts.length === 1 && manifest.mounts[0] === "tools";
  const { needs, provides, hooks = [], context = [] } = manifest;
  const alone = [needs, provides, hooks, context].every((names) => names.length === 0);
  const isComplete = manifest.tools.every(({ inputSchema, outputSchema }) => inputSchema && !outputSchema);
  return onlyTools && alone && isComplete;
}

/**
 * Creates a module with the tools of a manifest. The first call of one of them imports the real module; `isAsleep` returns true
 * until that has succeeded.
 */
export function createLazyModule(
  { tools = [] }: ModuleManifest,
  wake: Wake,
): { readonly module: LoadedModule; readonly isAsleep: () => boolean } {
  let lazy: LazyModule | undefined;
  const mount = (coordinator: Coordinator) => {
    const mounting = (lazy = new LazyModule(coordinator, wake));
    for (const tool of tools) coordinator.mount("tools", mounting.placeholder(tool));
    mounting.mounted = true;
  };
  return {
    module: { kind: "mount", mount, config: undefined, onSessionReady: undefined, exports: {} },
    isAsleep: () => lazy?.awake !== true,
  };
}

class LazyModule {
  /** False while core only tests the schemas, which must not import the module. */
  mounted = false;
  /** True once the real module is imported and mounted. */
  awake = false;
  readonly #coordinator: Coordinator;
  readonly #wake: Wake;
  readonly #tools = new Map<string, ToolDefinition>();
  #waking: Promise<void> | undefined;

  constructor(coordinator: Coordinator, wake: Wake) {
    this.#coordinator = coordinator;
    this.#wake = wake;
  }

  placeholder(manifest: ManifestTool): ToolDefinition {
    const {
      name,
      description,
      inputSchema = {},
      timeoutMs,
      requiresConfirmation,
      undoable,
      previews,
      ...facts
    } = manifest;
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
      ...(previews === true && { preview: (params, context) => real().preview!(params, context) }),
      ...(undoable === true && { undo: (change, context) => this.#undo(manifest, change, context) }),
    };
  }

  /** Undoes a change. It imports the module if necessary, because an undo does not parse arguments, which would do that. */
  async #undo(manifest: ManifestTool, change: UndoRequest, context: ToolContext): Promise<ToolReturn> {
    await this.#wakeUp();
    const tool = this.#real(manifest);
    if (tool.undo === undefined) throw new Error(`the module's tool "${manifest.name}" has no undo`);
    return tool.undo(change, context);
  }

  /**
   * Creates a schema that prints the manifest's schema, but parses with the real tool's. The first arguments that are parsed
   * import the module.
   */
  #schema(json: JsonSchema, manifest: ManifestTool): StandardSchema {
    const validate = (value: unknown) => {
      if (!this.mounted) return fail("the module of the tool is not imported yet");
      if (this.awake) return this.#parse(manifest, value);
      return this.#wakeUp().then(
        () => this.#parse(manifest, value),
        (error: unknown) => fail(`the module of the tool could not be imported: ${messageOf(error)}`),
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
      if (isStandardSchema(schema)) return schema["~standard"].validate(value);
      const compiler = this.#coordinator.get("schema-compiler") as SchemaCompiler | null;
      if (compiler === null) return fail("no module is mounted that compiles its JSON Schema");
      const result = compiler.compile(schema)(value);
      return result.ok ? { value: result.value } : { issues: result.issues };
    } catch (error) {
      return fail(messageOf(error));
    }
  }

  /** Imports the real module. Calls at the same time share one import. After a failure, the next call tries again. */
  #wakeUp(): Promise<void> {
    return (this.#waking ??= this.#wake(this.#collectingCoordinator()).then(
      () => void (this.awake = true),
      (err: unknown) => {
        this.#waking = undefined;
        this.#tools.clear();
        this.#coordinator.logger.error({ err }, "a module with wake: call could not be imported");
        throw err;
      },
    ));
  }

  #collectingCoordinator(): Coordinator {
    const keep = (thing: object) => {
      const tool = authoredDefinition(thing as ToolDefinition);
      if (typeof tool.execute !== "function" || tool.schema === undefined)
        throw new Error("a tool of another contract cannot be imported at its first call; remove wake: call");
      this.#tools.set(tool.name, tool);
      return () => void this.#tools.delete(tool.name);
    };
    const coordinator = this.#coordinator;
    const mount: Coordinator["mount"] = (point, thing, options) =>
      point === "tools" ? keep(thing as object) : coordinator.mount(point, thing, options);
    return Object.freeze({ ...coordinator, mount });
  }

  /** Returns the real tool. Throws if its category or another of its classifications differs from the manifest. */
  #real(manifest: ManifestTool): ToolDefinition {
    const tool = this.#tools.get(manifest.name);
    if (tool === undefined)
      throw new Error(`the module has no tool "${manifest.name}", which its manifest lists`);
    const { category, consequenceLevel, requiresConfirmation: asked } = tool;
    const requiresConfirmation = typeof asked === "function" ? "dynamic" : asked;
    const own = { category, consequenceLevel, requiresConfirmation };
    // A missing member counts as the strictest value, both in the tool and in the manifest.
    const members = ["category", "consequenceLevel", "requiresConfirmation"] as const;
    const isTrue = (key: (typeof members)[number]) =>
      (own[key] ?? strictest[key]) === (manifest[key] ?? strictest[key]);
    if (!members.every(isTrue))
      throw new Error(`the manifest classifies "${manifest.name}" differently than its module does`);
    return tool;
  }
}

function asks({ requiresConfirmation = true }: ToolDefinition, params: unknown): boolean | Promise<boolean> {
  return typeof requiresConfirmation === "function" ? requiresConfirmation(params) : requiresConfirmation;
}

function fail(message: string) {
  return { issues: [{ message }] };
}
