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
  /** Where each bundle is, by its name. Of several bundles with the same name, the first counts. */
  readonly homes: Map<string, Home>;
  /** The text of the highest bundle that has a text, and where that bundle is. */
  text: { readonly body: string; readonly home: Home } | undefined;
  /** References to files that the bundles add to the text. */
  readonly context: Reference[];
  /** The model roles that agents ask for, by the name of the agent. */
  readonly roles: Map<string, readonly string[]>;
  /** The config of each hook that is compiled, by its module: the hooks for modes and for the roles of models. */
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

/** The content of a YAML file, or of a text file that starts with a head of YAML. */
export interface Written {
  readonly value: JsonObject;
  readonly body: string;
}

/** The means with which the parts of a bundle are read. */
export interface BundleReading {
  readonly bundles: Bundles;
  /** The folder of the plan. */
  readonly project: string;
  /** Reads the text of a file; undefined if the file is not a text or is too large. */
  readonly readText: (file: string) => Promise<string | undefined>;
  /** Reads a file with its head. Reports its problems, and then returns null. */
  readonly readHead: (file: string) => Promise<Written | null>;
  /** Reports a problem at a path of the bundle. */
  readonly complain: (path: Path, problem: string) => void;
  /** Reports a problem in another file of the bundle. */
  readonly complainOf: (file: string, problem: string) => void;
}

/** Tests whether a file's content is an Amplifier bundle. */
export function isBundle(value: JsonObject): boolean {
  return value["version"] === undefined && (isRecord(value["bundle"]) || Array.isArray(value["includes"]));
}

/** Returns the name that a bundle gives itself. */
export function nameOf({ bundle }: JsonObject): string | undefined {
  const name = isRecord(bundle) ? bundle["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Escapes `${` in a text of a bundle, because a plan would read it as the start of a variable. */
export function asValue(text: string): Json {
  return text.replaceAll("${", () => "$${");
}
