import { basename } from "node:path";
import type { Coordinator } from "@toolmount/core";
import { exportedTools } from "@toolmount/core/modules";
import { isRecord, type Members } from "../schema/guards.ts";
import { toolsOf } from "./groups.ts";
import { shapeOf } from "./shape.ts";

/** A function or a class that may make a tool. */
export interface Maker {
  readonly name: string;
  readonly make: (...given: readonly unknown[]) => unknown;
}

/** The tools, and functions that may make tools, that were found in a value. */
export interface Findings {
  /** Tools of a contract, unchanged, and converted tools of libraries. */
  readonly tools: readonly object[];
  readonly makers: readonly Maker[];
  /** Number of tools that have neither their own name nor one under which they are exported. */
  readonly nameless: number;
  /** Names of values that look like tools, but have no schema that can be read. */
  readonly unread: readonly string[];
}

/** Deepest nesting of maps and lists that is searched: `default`, `tools`, a category, a name. */
const maxDepth = 4;

/**
 * Looks for tools in a value, which may be a tool, a list, a map, or an object that holds several. Functions that may make
 * tools are collected, not called.
 */
export async function findTools(
  value: unknown,
  { module, name, coordinator }: { module: string; name?: string | undefined; coordinator: Coordinator },
): Promise<Findings> {
  const search = new Search(module, coordinator);
  await search.visit(value, name, 0);
  return search;
}

class Search implements Findings {
  readonly tools: object[] = [];
  readonly makers: Maker[] = [];
  nameless = 0;
  readonly unread: string[] = [];
  readonly #seen = new Set<unknown>();
  readonly #module: string;
  readonly #coordinator: Coordinator;

  constructor(module: string, coordinator: Coordinator) {
    this.#module = module;
    this.#coordinator = coordinator;
  }

  async visit(value: unknown, name: string | undefined, depth: number): Promise<void> {
    const isHolder = (typeof value === "object" || typeof value === "function") && value !== null;
    if (!isHolder || depth > maxDepth || this.#seen.has(value)) return;
    this.#seen.add(value);
    const tool = this.#convert(value, name);
    if (tool !== null) return void this.tools.push(tool);
    if (typeof value === "function") return depth > 1 ? undefined : this.#note(value, name);
    if (Array.isArray(value))
      return this.#visitAll(
        value.map((item) => [undefined, item]),
        depth,
      );
    const group = await toolsOf(value, this.#coordinator);
    if (group !== null)
      return this.#visitAll(
        group.map((item) => [undefined, item]),
        depth,
      );
    if (looksLikeTool(value)) this.unread.push(name ?? "");
    else if (isMap(value)) await this.#visitMap(value, depth);
  }

  /** Returns the tool for a value; null if the value is not a tool. */
  #convert(value: object, name: string | undefined): object | null {
    const library = shapeOf(value);
    if (library === null) return isOfContract(value) ? value : null;
    const { shape, members } = library;
    if (shape.isNamed) return shape.convert(members, "");
    const given = name === "default" ? plainName(this.#module) : name;
    if (given !== undefined) return shape.convert(members, given);
    this.nameless++;
    return null;
  }

  /**
   * Visits a map. If a nested map has tools in its member `tools`, its other members are not searched, because they are parts
   * of these tools.
   */
  async #visitMap(map: Members, depth: number): Promise<void> {
    const before = this.tools.length;
    if (typeof map["tools"] === "object") await this.visit(map["tools"], "tools", depth + 1);
    if (this.tools.length > before && depth > 0) return;
    const entries = Object.entries(map).filter(([key]) => key !== "module.exports");
    // The default export is visited last, because it is often the same as a named export, which has a better name.
    await this.#visitAll(
      entries.toSorted(([a], [b]) => Number(a === "default") - Number(b === "default")),
      depth,
    );
  }

  async #visitAll(
    entries: readonly (readonly [string | undefined, unknown])[],
    depth: number,
  ): Promise<void> {
    for (const [name, value] of entries)
      // Members of the default export count like exports.
      await this.visit(value, name, name === "default" ? depth : depth + 1);
  }

  #note(value: object, name: string | undefined): void {
    if ("~standard" in value || value === Error || Object.getPrototypeOf(value) === Error) return;
    const { prototype } = value as { prototype?: unknown };
    if (prototype instanceof Error) return;
    this.makers.push({ name: name ?? "", make: value as Maker["make"] });
  }
}

function looksLikeTool(value: object): boolean {
  const { description, execute, handler, invoke } = value as Members;
  return (
    typeof description === "string" && [execute, handler, invoke].some((work) => typeof work === "function")
  );
}

/**
 * Whether a value is a tool of toolmount or of one of the three contracts. An instance of an Aptix class has no name. A thing
 * with a name and `execute` but no description is just as often something else.
 */
function isOfContract(value: object): boolean {
  if (typeof (value as Members)["ExecuteAsync"] === "function") return true;
  if (exportedTools({ value }).length === 0) return false;
  return typeof value === "function" || isMap(value) || "description" in value || "get_schema" in value;
}

/** Whether a value is a plain object or a module's namespace. */
function isMap(value: object): value is Members {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns the name of a file or package in lower snake case, for a default export without a name. */
function plainName(module: string): string {
  const last = basename(module).replace(/\.[cm]?[jt]s$/, "");
  const [name = "tool"] = [last.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "")].filter(Boolean);
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}
