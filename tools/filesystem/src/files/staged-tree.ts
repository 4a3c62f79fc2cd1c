import { basename, dirname, join, resolve } from "node:path";
import type { FileIdentity, Files } from "@toolmount/paths";

/** An entry that a rehearsal has staged. A staged folder is a new one, so nothing on the disk is in it. */
export type Node =
  | { readonly kind: "gone" }
  | { readonly kind: "directory" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly bytes: Buffer; readonly identity: FileIdentity };

/** Everything that a rehearsal has staged, for all file tools of a host, by place. */
export interface Staged {
  readonly nodes: Map<string, Node>;
  version: number;
}

/** Maximum number of links in one path. With more, it counts as a loop, as on Linux. */
const maxLinks = 40;

/** The staged entries of a rehearsal over a disk. */
export class StagedTree {
  readonly #disk: Files;
  readonly #staged: Staged;

  constructor(disk: Files, staged: Staged) {
    this.#disk = disk;
    this.#staged = staged;
  }

  /** Returns the staged entry at a place; null if the disk decides what is there. */
  at(real: string): Node | null {
    const own = this.#staged.nodes.get(real);
    if (own !== undefined) return own;
    for (let at = dirname(real); dirname(at) !== at; at = dirname(at))
      if (this.#staged.nodes.has(at)) return { kind: "gone" };
    return null;
  }

  /** Returns the staged entries of a folder, by name. */
  in(folder: string): readonly (readonly [name: string, node: Node])[] {
    return [...this.#staged.nodes].flatMap(([real, node]) =>
      dirname(real) === folder ? [[basename(real), node] as const] : [],
    );
  }

  /** Whether a place is below a staged file. */
  isBelowFile(real: string): boolean {
    for (let at = dirname(real); dirname(at) !== at; at = dirname(at))
      if (this.#staged.nodes.get(at)?.kind === "file") return true;
    return false;
  }

  /** Returns the real place of a path that leads through staged entries; null if the whole path is on the disk. */
  async follow(path: string, followsLast: boolean, links = 0): Promise<string | null> {
    const parts = path.split("/");
    for (const at of parts.keys()) {
      const entry = await this.#disk.locateEntry(parts.slice(0, at + 1).join("/")).catch(() => null);
      if (entry === null || this.at(entry.real) === null) continue;
      return this.#followStaged(entry.real, parts.slice(at + 1), followsLast, links);
    }
    return null;
  }

  async #followStaged(
    from: string,
    rest: readonly string[],
    followsLast: boolean,
    links: number,
  ): Promise<string> {
    let at = from;
    for (const [index, name] of [...rest, ""].entries()) {
      const node = this.at(at);
      if (node?.kind === "link" && (name !== "" || followsLast) && links < maxLinks) {
        const target = resolve(dirname(at), node.target, ...rest.slice(index));
        return (await this.follow(target, followsLast, links + 1)) ?? target;
      }
      at = join(at, name);
    }
    return at;
  }

  /** Replaces an entry, and drops everything that was staged below it. */
  put(real: string, node: Node): void {
    for (const below of this.#staged.nodes.keys())
      if (below.startsWith(`${real}/`)) this.#staged.nodes.delete(below);
    this.#staged.nodes.set(real, node);
  }

  fileOf(bytes: Uint8Array): Node {
    this.#staged.version += 1;
    return {
      kind: "file",
      bytes: Buffer.from(bytes),
      identity: `staged:${this.#staged.version}` as FileIdentity,
    };
  }
}
