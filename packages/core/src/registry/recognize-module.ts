import type { Coordinator, Mount } from "../contract/coordinator.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { ToolAdapter } from "../contract/ports.ts";
import { isStandardSchema, type StandardSchema } from "../contract/standard-schema.ts";
import { isRecord } from "../json/json.ts";

// The only code that recognizes modules: the loader, the validator and fresh processes all use it.

/** The exports of a module, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** A module that can be mounted. */
export type LoadedModule =
  | {
      readonly kind: "mount";
      readonly mount: Mount;
      readonly config: StandardSchema | undefined;
      /** A function that runs when all modules of the plan are mounted. */
      readonly onSessionReady: unknown;
      readonly exports: ModuleExports;
    }
  /** A file that only exports tools. */
  | { readonly kind: "tools"; readonly tools: readonly { readonly name: string }[] }
  /** A module of any library in whose exports an adapter finds the tools. */
  | {
      readonly kind: "foreign";
      readonly exports: ModuleExports;
      /** Tools among the exports that are found without an adapter. */
      readonly tools: readonly { readonly name: string }[];
      readonly chosen: readonly string[] | undefined;
      /** The line of the plan that mounts the module's package as a server of tools; set if the package is a program. */
      readonly program?: string | undefined;
    };

/**
 * Recognizes a module by its exports: a function `mount`, optionally with a schema `config`, or else tools. `chosen` are
 * the exports that the plan names, each by its path. Throws `MODULE_INVALID`. It runs no function of the module.
 */
export function recogniseModule(
  name: string,
  given: ModuleExports,
  chosen?: readonly string[],
): LoadedModule {
  const exports = chosen === undefined ? withMount(given) : pickExports(name, given, chosen);
  const { mount, config } = exports;
  if (mount !== undefined && chosen === undefined) return recogniseMount(name, mount, config, exports);
  const tools = exportedTools(exports);
  const isAll = tools.length > 0 && membersOf(exports).every((value) => isTool(value) || isNoTool(value));
  return isAll ? { kind: "tools", tools } : { kind: "foreign", exports, tools, chosen };
}

/** Returns the exports, or the default export if `mount` is in it: `export default { mount }`, `module.exports = { mount }`. */
function withMount(exports: ModuleExports): ModuleExports {
  const inner = exports["default"];
  if (exports["mount"] !== undefined || !isRecord(inner)) return exports;
  return typeof inner["mount"] === "function" ? inner : exports;
}

function pickExports(module: string, exports: ModuleExports, chosen: readonly string[]): ModuleExports {
  const picked = chosen.map((path): [string, unknown] => {
    const value = follow(exports, path.split("."));
    if (value !== undefined) return [path, value];
    const problem = `it has no export "${path}"; it exports ${namesOf(exports)}`;
    throw new ToolmountError("MODULE_INVALID", { module, problem });
  });
  return Object.fromEntries(picked);
}

/** Returns the member at a path. If it is missing and the path starts at a function, returns a function that makes it. */
function follow(exports: ModuleExports, path: readonly string[]): unknown {
  const [first = "", ...more] = path;
  const made = memberOf(exports, first);
  const member = more.reduce<unknown>(memberOf, made);
  return member === undefined && typeof made === "function" && more.length > 0
    ? ofMade(made as Make, more)
    : member;
}

type Make = (...given: readonly unknown[]) => unknown;

/** Wraps a function or class that makes a toolkit. The wrapper makes it and follows `path` in it, calling the methods there. */
function ofMade(make: Make, path: readonly string[]): Make {
  const isClass = /^class\b/.test(Function.prototype.toString.call(make));
  const made = async (...given: readonly unknown[]): Promise<unknown> => {
    let value: unknown = isClass
      ? Reflect.construct(make, given)
      : await Reflect.apply(make, undefined, given);
    for (const key of path) {
      const holder = value as ModuleExports | null | undefined;
      const member = holder?.[key];
      value = typeof member === "function" ? await Reflect.apply(member as Make, holder, []) : member;
    }
    return value;
  };
  return Object.defineProperty(made, "length", { value: make.length });
}

function memberOf(holder: unknown, key: string): unknown {
  const isHolder = (typeof holder === "object" || typeof holder === "function") && holder !== null;
  return isHolder && Object.hasOwn(holder, key) ? (holder as ModuleExports)[key] : undefined;
}

function namesOf(exports: ModuleExports): string {
  return Object.keys(exports).slice(0, 20).join(", ") || "nothing";
}

/** Whether an export is certainly not a tool of any library: it is a plain value, a schema, or a function without members. */
function isNoTool(value: unknown): boolean {
  if (typeof value === "function") return Object.keys(value).length === 0;
  return typeof value !== "object" || value === null || isStandardSchema(value);
}

/** Returns the tools among the exports of a module, each once. A module without `mount` mounts these. */
export function exportedTools(exports: ModuleExports): readonly { readonly name: string }[] {
  return [...new Set(membersOf(exports).filter(isTool))];
}

/** Returns the exports. A list that contains only tools, as `toolsFrom` makes it, is replaced by its members. */
function membersOf(exports: ModuleExports): readonly unknown[] {
  return Object.values(exports).flatMap((value: unknown) =>
    Array.isArray(value) && value.every(isTool) ? value : [value],
  );
}

function recogniseMount(name: string, mount: unknown, config: unknown, exports: ModuleExports): LoadedModule {
  if (typeof mount !== "function") {
    throw new ToolmountError("MODULE_INVALID", { module: name, problem: `its "mount" is not a function` });
  }
  if (config !== undefined && !isStandardSchema(config)) {
    throw new ToolmountError("MODULE_INVALID", {
      module: name,
      problem: `its "config" is not a schema (of Zod, or another Standard Schema)`,
    });
  }
  const { onSessionReady } = exports;
  return { kind: "mount", mount: mount as Mount, config, onSessionReady, exports };
}

/** Names of exports that only modules of Amplifier have. */
const foreignExports = ["__amplifier_module_type__", "amplifier_module_type", "on_session_ready"];

/**
 * Converts a module with the first adapter that accepts it, so that it gets the coordinator of its contract. Throws
 * `EXTENSION_MISSING` for an Amplifier module if no adapter is mounted, and `MODULE_INVALID` for exports without `mount` and
 * tools.
 */
export function adaptModule(name: string, module: LoadedModule, coordinator: Coordinator): LoadedModule {
  // If the host has not imported the module, there are no exports that an adapter could convert.
  const isElsewhere = module.kind === "mount" && module.exports["mount"] === undefined;
  if (module.kind === "tools" || isElsewhere) return module;
  const adapters = [...(coordinator.get("adapters") as ReadonlyMap<string, ToolAdapter>).values()];
  const { chosen, program } = module.kind === "foreign" ? module : {};
  for (const adapter of adapters) {
    const rendered = adapter.adaptModule?.(module.exports, { name, chosen, program }) ?? null;
    if (rendered !== null) return recogniseModule(name, rendered);
  }
  if (module.kind === "foreign") return withoutAdapter(name, module, adapters.length > 0);
  if (adapters.length > 0 || !isDeclaredForeign(module.exports)) return module;
  throw new ToolmountError("EXTENSION_MISSING", {
    what: `module "${name}", which is an Amplifier module,`,
    module: "@toolmount/interop",
    install: "npm install @toolmount/interop",
  });
}

/** Returns a module with the tools that are found without an adapter. If it has none, throws an error that says why. */
function withoutAdapter(
  module: string,
  { tools, exports }: Extract<LoadedModule, { kind: "foreign" }>,
  adapted: boolean,
): LoadedModule {
  if (tools.length > 0) return { kind: "tools", tools };
  const problem = `it exports neither a function "mount" nor a tool; it exports ${namesOf(exports)}`;
  const install = "; tools of other libraries need the adapters: npm install @toolmount/interop";
  throw new ToolmountError("MODULE_INVALID", { module, problem: adapted ? problem : problem + install });
}

/** Whether a module's exports declare that it is a module of Amplifier. */
export function isDeclaredForeign(exports: ModuleExports): boolean {
  return foreignExports.some((key) => exports[key] !== undefined);
}

/** Marks tools that `defineTool` made. */
const authored = Symbol.for("toolmount.authored");

/**
 * Whether a module may be written for another system. A module that exports a `config` schema, or whose package has a
 * manifest of toolmount, is written for toolmount; so is a file whose tools were all made by `defineTool`.
 */
export function mayBeForeign(module: LoadedModule, hasManifest: boolean): boolean {
  if (module.kind === "foreign") return true;
  if (hasManifest) return false;
  if (module.kind === "tools") return module.tools.some((tool) => !(authored in tool));
  return module.config === undefined;
}

/** Whether a value is a tool of any contract: an object, or a class of Aptix's contract. Mounting the tool checks it further. */
function isTool(value: unknown): value is { readonly name: string } {
  if (typeof value === "function") return isToolClass(value);
  return isRecord(value) && typeof value["name"] === "string" && typeof value["execute"] === "function";
}

/** Whether a class has any member of Aptix's contract. A malformed class is included, so that its adapter refuses it by name. */
function isToolClass(value: object): boolean {
  const { prototype } = value as { readonly prototype?: unknown };
  if (["ToolName", "ToolUsageMetadata", "GetSchema"].some((member) => Object.hasOwn(value, member)))
    return true;
  return isRecord(prototype) && typeof prototype["ExecuteAsync"] === "function";
}
