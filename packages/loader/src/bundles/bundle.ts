import type { Json, JsonObject } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import type { Path } from "../diagnostics/positions.ts";
import type { FetchedSource } from "../modules/fetched-source.ts";

/**
 * Where a bundle is: its own file, the folder below which its texts are, and the repository from which it was fetched, if any.
 */
export interface Home {
  readonly file: string;
  readonly root: string;
  readonly fetched: FetchedSource | undefined;
}

/** What is known about the bundles of one plan while they are read. */
export interface Bundles {
  /** Where each bundle is, by its name. Of several bundles with the same name, the first counts. */
  readonly homes: Map<string, Home>;
  /**
   * The text of the last compiled bundle that has one, and where that bundle is. A bundle is compiled after those it includes.
   */
  text: { readonly body: string; readonly home: Home } | undefined;
  /** Files that the bundles add to the prompt, as references. */
  readonly context: Reference[];
  /** By the name of an agent, the model roles for which it asks. */
  readonly roles: Map<string, readonly string[]>;
  /** By module, the config of the hooks whose work is compiled into the plan: those for modes and for the roles of models. */
  readonly hooks: Map<string, JsonObject>;
  /** Ids of the hooks' entries, which the plan removes because their work is compiled. */
  readonly replaced: Set<string>;
}

/** A reference to a file as a bundle writes it, such as `foundation:context/rules.md`, and the bundle that writes it. */
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

/** The value of a YAML file, or of the YAML at the head of a text file; `body` is the text after it. */
export interface Written {
  readonly value: JsonObject;
  readonly body: string;
}

/** What is needed to read the parts of a bundle: the state, and functions that read files and report problems. */
export interface BundleReading {
  readonly bundles: Bundles;
  /** The plan's folder. */
  readonly project: string;
  /** Reads the text of a file; undefined if the file is not a text or is too large. */
  readonly readText: (file: string) => Promise<string | undefined>;
  /** Reads a file with its head. If that fails, reports the problem and returns null. */
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
