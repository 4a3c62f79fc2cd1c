import { isToolmountError, ToolmountError, type Coordinator, type JsonObject } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { findTools, type Findings, type Maker } from "./collect.ts";
import type { Members } from "../schema/guards.ts";

/** The part of a plan's entry that concerns a module without toolmount's exports. */
interface LibraryModule {
  /** The module's name in messages. A default export without a name is named after it. */
  readonly name: string;
  /** The exports that the plan's `export` names; undefined for all. */
  readonly chosen?: readonly string[] | undefined;
  /** The line to write in the plan if the package is a program. */
  readonly program?: string | undefined;
}

/**
 * Returns a module with a `mount` that mounts all tools of any library or contract in the exports; null if the exports have a
 * `mount`. A function or class that makes tools is called if the plan names it, or if it is the only such export, there are no
 * tools, and the package is no program. It gets the plan's config, or the list `config.arguments`. The mount rejects with
 * `MODULE_INVALID` if the plan has to name an export; the message has the line to write.
 */
export function adaptLibraryModule(
  exports: Members,
  module: LibraryModule,
): { readonly mount: (coordinator: Coordinator, config?: JsonObject) => Promise<void> } | null {
  if (exports["mount"] !== undefined) return null;
  return { mount: (coordinator, config = {}) => mountAll(exports, module, coordinator, config) };
}

async function mountAll(
  exports: Members,
  module: LibraryModule,
  coordinator: Coordinator,
  config: JsonObject,
): Promise<void> {
  const { name, chosen } = module;
  const tools: object[] = [];
  for (const key of chosen ?? [undefined]) {
    const part = key === undefined ? exports : exports[key];
    const found = await findTools(part, { module: name, name: key?.split(".").at(-1), coordinator });
    if (found.tools.length > 0) {
      refuseConfig(module, config);
      if (found.unread.length > 0) coordinator.logger.warn({ module: name }, describeUnread(found.unread));
    }
    const made =
      found.tools.length > 0
        ? found.tools
        : await makeTools(found, key, namesOf(exports), module, coordinator, config);
    tools.push(...made);
  }
  for (const tool of new Set(tools)) coordinator.mount("tools", tool as { readonly name: string });
}

function refuseConfig({ name }: LibraryModule, config: JsonObject): void {
  if (Object.keys(config).length === 0) return;
  throw new ToolmountError("CONFIG_INVALID", {
    module: name,
    problem: "it exports tools that are made already, and takes no config",
  });
}

/** Calls the one function or class that makes tools, and returns the tools. */
async function makeTools(
  found: Findings,
  chosen: string | undefined,
  exported: string,
  module: LibraryModule,
  coordinator: Coordinator,
  config: JsonObject,
): Promise<readonly object[]> {
  // In a package that is a program, the function may be the one that starts it, so it is called only if the plan names it.
  if (chosen === undefined && module.program !== undefined) refuse(module.name, askProgram(module.program));
  const listed = listedArguments(config);
  const isGiven = Object.keys(config).length > 0;
  const maker = chooseMaker(found, chosen, { name: module.name, exported });
  if (listed === undefined) requireFit(maker, isGiven, module.name);
  const made = await run(maker, listed ?? (isGiven ? [config] : []), module.name);
  const path = chosen ?? maker.name;
  const members = () => askMember(path, made);
  const where = { module: module.name, name: maker.name, coordinator };
  const { tools, makers } = await findTools(made, where).catch((cause: unknown) => {
    if (isToolmountError(cause)) throw cause;
    // The search reads members of the made value and calls methods such as `getTools`, which may throw.
    const problem = `what its export ${path} made throws when it is asked for its tools: ${messageOf(cause)}${members()}`;
    throw new ToolmountError("MODULE_MOUNT_FAILED", { module: module.name, problem }, { cause });
  });
  if (tools.length > 0) return tools;
  const others = members();
  const what = others === "" && makers.length > 0 ? "a function" : describe(made);
  return refuse(module.name, `its export ${path} made ${what}, in which there is no tool${others}`);
}

function askProgram(line: string): string {
  return `it exports no tool, but is a server of MCP, a program; write ${line} in the plan's entry, or name the exports that make tools: export: [ … ]`;
}

/** Returns a hint for a toolkit whose methods return tools: only a person knows which of them are wanted. */
function askMember(path: string, made: unknown): string {
  const names = methodsOf(made).map((name) => `${path}.${name}`);
  if (names.length === 0) return "";
  const first = names.slice(0, 3).join(", ");
  return `; its methods may return some (${names.slice(0, 12).join(", ")}); name those that you want in the plan's entry, such as: export: [${first}]`;
}

/** Returns the names of methods without parameters, of an object or of its class. */
function methodsOf(made: unknown): readonly string[] {
  if (typeof made !== "object" || made === null || Array.isArray(made)) return [];
  const prototype: unknown = Object.getPrototypeOf(made);
  const holders = prototype === Object.prototype || prototype === null ? [made] : [made, prototype as object];
  const members = holders.flatMap((holder) => Object.entries(Object.getOwnPropertyDescriptors(holder)));
  return members.flatMap(([name, { value }]) =>
    typeof value === "function" && value.length === 0 && name !== "constructor" ? name : [],
  );
}

/** Returns the list of `config: { arguments: [...] }`, for a function with several parameters. */
function listedArguments(config: JsonObject): readonly unknown[] | undefined {
  const { arguments: listed } = config;
  return Array.isArray(listed) && Object.keys(config).length === 1 ? listed : undefined;
}

/** Throws if a function needs more arguments than there are: a config is one argument. */
function requireFit(maker: Maker, isGiven: boolean, module: string): void {
  if (maker.make.length > 1) refuse(module, askArguments(maker));
  if (!isGiven && maker.make.length > 0) refuse(module, askConfig(maker));
}

function chooseMaker(
  found: Findings,
  chosen: string | undefined,
  { name: module, exported }: { readonly name: string; readonly exported: string },
): Maker {
  const { makers, nameless, unread } = found;
  if (nameless > 0)
    return refuse(module, "its tools stand in a list and have no names; export a map, { name: tool }");
  if (unread.length > 0) return refuse(module, `${describeUnread(unread)}; ${howToRead}`);
  const likely = makers.filter(({ make }) => isToolClass(make));
  const candidates = likely.length > 0 ? likely : withoutMade(makers);
  const [only] = candidates;
  if (only === undefined)
    return refuse(
      module,
      chosen === undefined
        ? `it exports no tool; it exports ${exported}; export one that defineTool or toolsFrom makes`
        : notATool(chosen),
    );
  if (candidates.length > 1) return refuse(module, askWhich(candidates));
  return only;
}

/** Leaves out a maker `X` beside a `createX`, such as the class `Toolkit` beside the function `createToolkit`. */
function withoutMade(makers: readonly Maker[]): readonly Maker[] {
  return makers.filter(({ name }) => !makers.some((other) => other.name === `create${name}`));
}

function describeUnread(names: readonly string[]): string {
  return `${names.slice(0, 12).join(", ")} looks like a tool, but has no schema of its arguments that can be read`;
}

const howToRead = "give it a schema of Zod, or JSON Schema: { type: object, properties: … }";

function notATool(chosen: string): string {
  return `its export ${chosen} is neither a tool nor a function that makes tools`;
}

function namesOf(exports: Members): string {
  return Object.keys(exports).slice(0, 20).join(", ") || "nothing";
}

function askWhich(makers: readonly Maker[]): string {
  const all = makers.map(({ name }) => name);
  const likely = all.filter((name) => /tool/i.test(name)).toSorted((a, b) => rank(a) - rank(b));
  const names = [...new Set([...likely, ...all])];
  const first = (likely.length > 0 ? likely : names).slice(0, 3).join(", ");
  const shown = names.slice(0, 12).join(", ");
  return `it exports no tool, but functions that may make tools (${shown}); name those that you want in the plan's entry, such as: export: [${first}]`;
}

/** Ranks names: `webSearchTool` and `getTools` come before classes with such names, and those before all others. */
function rank(name: string): number {
  if (!/tools?$/i.test(name)) return 2;
  return /^[a-z]/.test(name) ? 0 : 1;
}

function askConfig({ name, make }: Maker): string {
  const what = classOf(make) ? "class" : "function";
  return `its ${what} ${name} makes tools from an argument; write export: ${name} and config: { … }, which it gets; ${makeInFile(name)}`;
}

function askArguments({ name, make }: Maker): string {
  return `its export ${name} takes ${make.length} arguments; write export: ${name} and config: { arguments: [ … ] }, with a value for each; ${makeInFile(name)}`;
}

/** Returns a hint for arguments that cannot be written into a plan, such as a client object. */
function makeInFile(name: string): string {
  return `where it needs an object that only code can make, call ${name} in a file of your own, export what it returns, and name that file in the plan`;
}

async function run({ name, make }: Maker, given: readonly unknown[], module: string): Promise<unknown> {
  try {
    return await (classOf(make) ? Reflect.construct(make, given) : Reflect.apply(make, undefined, given));
  } catch (cause) {
    const hint =
      given.length === 0 ? `; what it needs goes into the entry's config: { … }; ${makeInFile(name)}` : "";
    const problem = `its export ${name} throws: ${messageOf(cause)}${hint}`;
    throw new ToolmountError("MODULE_MOUNT_FAILED", { module, problem }, { cause });
  }
}

function describe(made: unknown): string {
  if (made === null || made === undefined) return "nothing";
  return Array.isArray(made) ? "a list" : `a value of type ${typeof made}`;
}

function refuse(module: string, problem: string): never {
  throw new ToolmountError("MODULE_INVALID", { module, problem });
}

type Make = (...given: readonly unknown[]) => unknown;

/** Whether a function is a class. */
function classOf(make: Make): boolean {
  return /^class\b/.test(Function.prototype.toString.call(make));
}

/** Methods that only classes of tools have, in LangChain, BeeAI and Aptix. Many other classes have an `execute`. */
const methods = ["_call", "_run", "ExecuteAsync"] as const;

/** Whether the instances of a class are tools, judged by its methods. */
function isToolClass(make: Make): boolean {
  const { prototype } = make as { readonly prototype?: unknown };
  if (!classOf(make) || typeof prototype !== "object" || prototype === null) return false;
  return methods.some((name) => typeof (prototype as Record<string, unknown>)[name] === "function");
}
