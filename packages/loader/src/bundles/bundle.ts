import type { Json, JsonObject } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import type { Path } from "../diagnostics/positions.ts";
import type { FetchedSource } from "../modules/fetched-source.ts";

/** Where a bundle is: its own file, the folder below which its texts are, and the repository that it was fetched from. */
export interface Home {
  readonly file: string;
  readonly root: string;
  readonly fetched: FetchedSource | undefined;
}

/** The bundles of one plan, as far as they were read. */
export interface Bundles {
  /** By the name of a bundle: where it is. The first one of a name keeps it. */
  readonly homes: Map<string, Home>;
  /** The text of the highest bundle that has one, and where it is. */
  text: { readonly body: string; readonly home: Home } | undefined;
  /** The files that the bundles add to the text: each a reference, and the bundle that has it. */
  readonly context: Reference[];
  /** By their names, the agents with the roles that they ask for. */
  readonly roles: Map<string, readonly string[]>;
  /** The config of hooks that are compiled, by module: the modes and the roles of models. */
  readonly hooks: Map<string, JsonObject>;
  /** The ids of the entries of those hooks. */
  readonly replaced: Set<string>;
}

/** A file as a bundle writes it, such as `foundation:context/rules.md`. */
export interface Reference {
  readonly written: string;
  readonly home: Home;
}

export function createBundles(): Bundles {
  return {
    homes: new Map(),
    text: undefined,
    context: [],
    roles: new Map(),
    hooks: new Map(),
    replaced: new Set(),
  };
}

/** A file of YAML, or of text behind a head of YAML. */
export interface Written {
  readonly value: JsonObject;
  readonly body: string;
}

/** What the parts of a bundle are read with. */
export interface BundleReading {
  readonly bundles: Bundles;
  /** The folder of the plan. */
  readonly project: string;
  /** Reads the text of a file; undefined for what is no text, or too large. */
  readonly readText: (file: string) => Promise<string | undefined>;
  /** Reads a file with its head, and reports its problems; null where it has some. */
  readonly readHead: (file: string) => Promise<Written | null>;
  /** Reports a problem at a path of the bundle. */
  readonly complain: (path: Path, problem: string) => void;
  /** Reports what is wrong with another file of the bundle. */
  readonly complainOf: (file: string, problem: string) => void;
}

/** Whether a file's content is a bundle of Amplifier. */
export function isBundle(value: JsonObject): boolean {
  return value["version"] === undefined && (isRecord(value["bundle"]) || Array.isArray(value["includes"]));
}

/** The name that a bundle gives itself. */
export function nameOf({ bundle }: JsonObject): string | undefined {
  const name = isRecord(bundle) ? bundle["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** In a text of a plan, `${` begins a variable: a text of a bundle has none. */
export function asValue(text: string): Json {
  return text.replaceAll("${", () => "$${");
}
