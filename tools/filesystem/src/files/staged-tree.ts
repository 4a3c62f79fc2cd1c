import { basename, dirname, join, resolve } from "node:path";
import type { FileIdentity, Files } from "@toolmount/paths";

/** What a rehearsal has put in the place of an entry. A folder is new: nothing of the disk is in it. */
export type Node =
  | { readonly kind: "gone" }
  | { readonly kind: "directory" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly bytes: Buffer; readonly identity: FileIdentity };

/** What a rehearsal has staged, for all file tools of a host, by place. */
export interface Staged {
  readonly nodes: Map<string, Node>;
  version: number;
}

/** Links in one path before it counts as a loop, as on Linux. */
const maxLinks = 40;

/** The entries that a rehearsal has staged above a disk. */
export class StagedTree {
  readonly #disk: Files;
  readonly #staged: Staged;

  constructor(disk: Files, staged: Staged) {
    this.#disk = disk;
    this.#staged = staged;
  }

  /** The entry that was staged at a place; null where the disk has the answer. */
  at(real: string): Node | null {
    const own = this.#staged.nodes.get(real);
    if (own !== undefined) return own;
    for (let at = dirname(real); dirname(at) !== at; at = dirname(at))
      if (this.#staged.nodes.has(at)) return { kind: "gone" };
    return null;
  }

  /** The entries that were staged in a folder, by name. */
  in(folder: string): readonly (readonly [name: string, node: Node])[] {
    return [...this.#staged.nodes].flatMap(([real, node]) =>
      dirname(real) === folder ? [[basename(real), node] as const] : [],
    );
  }

  /** Whether a staged file is above a place. */
  isBelowFile(real: string): boolean {
    for (let at = dirname(real); dirname(at) !== at; at = dirname(at))
      if (this.#staged.nodes.get(at)?.kind === "file") return true;
    return false;
  }

  /** The real place of a path that leads through staged entries; null for one that is on the disk alone. */
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

  /** Replaces an entry, with all that was staged in it. */
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
