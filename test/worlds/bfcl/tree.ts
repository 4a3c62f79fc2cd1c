import type { Json } from "@toolmount/core";
import type { Entry } from "./service.ts";

export interface File {
  readonly kind: "file";
  content: string;
}

export interface Directory {
  readonly kind: "directory";
  readonly name: string;
  readonly parent: Directory | null;
  /** A moved directory shares this table with the one it was; a copied one has a table of its own. */
  readonly entries: Map<string, Node>;
}

export type Node = File | Directory;

/** Where the shell of this file system stands. */
export interface Shell {
  readonly root: Directory;
  current: Directory;
}

export function createDirectory(
  name: string,
  parent: Directory | null,
  entries = new Map<string, Node>(),
): Directory {
  return { kind: "directory", name, parent, entries };
}

export const createFile = (content = ""): File => ({ kind: "file", content });

/** Reads the `root` of a configuration: one member, the root's name and its contents. */
export function readRoot(root: Json | undefined): Directory {
  const [name, node] = Object.entries((root ?? {}) as Record<string, Entry>)[0] ?? ["/", {}];
  return readDirectory(name, null, node);
}

function readDirectory(name: string, parent: Directory | null, node: Entry): Directory {
  const directory = createDirectory(name, parent);
  for (const [key, child] of Object.entries((node["contents"] ?? {}) as Record<string, Entry>)) {
    const isFile = child["type"] === "file";
    directory.entries.set(key, isFile ? createFile(contentOf(child)) : readDirectory(key, directory, child));
  }
  return directory;
}

/** A node as configurations write it. */
export function printNode(node: Node): Json {
  if (node.kind === "file") return { type: "file", content: node.content };
  const contents = [...node.entries].map(([name, child]) => [name, printNode(child)] as const);
  return { type: "directory", contents: Object.fromEntries(contents) };
}

/** Where a directory is: `/` and the names from the root's own down. */
export function pathOf(directory: Directory): string {
  const names: string[] = [];
  for (let at: Directory | null = directory; at !== null; at = at.parent) names.unshift(at.name);
  return `/${names.join("/")}`;
}

/** Every node below a directory, each before what is in it, with its path from there. */
export function* nodesBelow(
  directory: Directory,
  prefix: string,
): Iterable<{ path: string; name: string; node: Node }> {
  for (const [name, node] of directory.entries) {
    const path = `${prefix}/${name}`;
    yield { path, name, node };
    if (node.kind === "directory") yield* nodesBelow(node, path);
  }
}

/** The directory at a path; undefined when there is none. `..` and the empty path are not known. */
export function findDirectory(root: Directory, current: Directory, path: string): Directory | undefined {
  if (path === "") return undefined;
  let at: Node | undefined = path.startsWith("/") ? root : current;
  for (const part of path.replace(/^\/+|\/+$/g, "").split("/")) {
    if (part === "" && path.replaceAll("/", "") === "") return at as Directory;
    if (part === ".") continue;
    at = at.kind === "directory" ? at.entries.get(part) : undefined;
    if (at === undefined) return undefined;
  }
  return at.kind === "directory" ? at : undefined;
}

function contentOf({ content = "" }: Entry): string {
  return typeof content === "string" ? content : "";
}
