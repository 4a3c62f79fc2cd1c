import { basename, dirname, join } from "node:path";
import { PathError, type Entry, type FileBytes, type Files, type Place } from "@toolmount/paths";
import { decodeText } from "./text-file.ts";
import { StagedTree, type Node, type Staged } from "./staged-tree.ts";

/** Maximum number of bytes of a file that is moved, and of entries of a folder that is moved or deleted, in a rehearsal. */
const maxBytes = 67_108_864;
const maxEntries = 10_000;

/** The operations that tools use in a rehearsal. */
type StagedFiles = Omit<Files, "mark" | "snapshot" | "restore">;

/** The files of a rehearsal: those of the disk, covered by changes in memory. The disk is only read. */
export class Overlay implements StagedFiles {
  readonly #disk: Files;
  readonly #staged: StagedTree;

  constructor(disk: Files, staged: Staged) {
    this.#disk = disk;
    this.#staged = new StagedTree(disk, staged);
  }

  async locate(path: string, access: "read" | "write"): Promise<Place> {
    const staged = await this.#staged.follow(path, true);
    if (staged === null) return this.#disk.locate(path, access);
    if (!this.#disk.allows(staged, access)) throw new PathError("ACCESS_DENIED", { path, reason: access });
    return { given: path, real: staged };
  }

  async locateEntry(path: string): Promise<Place> {
    const staged = await this.#staged.follow(path, false);
    if (staged === null) return this.#disk.locateEntry(path);
    if (!this.#disk.allows(staged, "write")) throw new PathError("ACCESS_DENIED", { path, reason: "write" });
    return { given: path, real: staged };
  }

  allows(real: string, access: "read" | "write"): boolean {
    return this.#disk.allows(real, access);
  }

  async read(path: string, most: number, signal?: AbortSignal): Promise<FileBytes & { place: Place }> {
    const place = await this.locate(path, "read");
    return { place, ...(await this.#readAt(place, most, signal)) };
  }

  async list(path: string, { offset, limit }: { offset: number; limit: number }) {
    const place = await this.locate(path, "read");
    const kind = await this.kindAt(place.real);
    if (kind === "gone" && !this.#staged.isBelowFile(place.real)) throw new PathError("NOT_FOUND", { path });
    if (kind !== "directory") throw new PathError("NOT_A_DIRECTORY", { path });
    const entries = await this.#childrenOf(place);
    return { entries: entries.slice(offset, offset + limit), total: entries.length, isComplete: true };
  }

  async look(path: string, names: readonly string[]) {
    const entries = await this.#childrenOf(await this.locate(path, "read"));
    return names.map((name) => {
      const entry = entries.find((each) => each.name === name);
      return entry === undefined ? null : { ...entry, modifiedMs: 0 };
    });
  }

  async replace(
    path: string,
    bytes: Uint8Array,
    options: Parameters<Files["replace"]>[2] = {},
  ): ReturnType<Files["replace"]> {
    const place = await this.locate(path, "write");
    const kind = await this.kindAt(place.real);
    if (kind === "directory") throw new PathError("IS_A_DIRECTORY", { path });
    if (kind !== "file" && kind !== "gone") throw new PathError("NOT_A_FILE", { path });
    const { expected } = options;
    const now =
      expected === undefined || kind === "gone" ? null : (await this.#readAt(place, maxBytes)).identity;
    if (expected !== undefined && now !== expected) throw new PathError("FILE_CHANGED", { path });
    await this.#makeAbove(place);
    this.#staged.put(place.real, this.#staged.fileOf(bytes));
    return { ...place, otherNames: 0, lost: [] };
  }

  async makeFolder(path: string): Promise<boolean> {
    const place = await this.locate(path, "write");
    const kind = await this.kindAt(place.real);
    if (kind === "directory") return false;
    if (kind !== "gone") throw new PathError("NOT_A_DIRECTORY", { path });
    await this.#makeAbove(place);
    this.#staged.put(place.real, { kind: "directory" });
    return true;
  }

  async remove(
    path: string,
    { recursive }: { recursive: boolean },
  ): Promise<{ removed: number; place: Place }> {
    const place = await this.locateEntry(path);
    const kind = await this.kindAt(place.real);
    if (kind === "gone") throw new PathError("NOT_FOUND", { path });
    const tree = await this.#treeAt(place, kind);
    if (tree.length > 1 && !recursive) throw new PathError("DIRECTORY_NOT_EMPTY", { path });
    this.#staged.put(place.real, { kind: "gone" });
    return { place, removed: tree.length };
  }

  async move(path: string, newPath: string, { overwrite }: { overwrite: boolean }) {
    const [from, to] = [await this.locateEntry(path), await this.locateEntry(newPath)];
    const [kind, there] = [await this.kindAt(from.real), await this.kindAt(to.real)];
    if (kind === "gone") throw new PathError("NOT_FOUND", { path });
    if (kind !== "file" && kind !== "directory") throw new PathError("NOT_A_FILE", { path });
    if (kind === "directory" && to.real.startsWith(`${from.real}/`))
      throw new PathError("OS_ERROR", { path, errno: "EINVAL", problem: "invalid argument" });
    await this.#makeAbove(to);
    if (from.real === to.real) return { from, to };
    if (there !== "gone" && !(overwrite && there === "file" && kind === "file"))
      throw new PathError("ALREADY_EXISTS", { path: newPath });
    await this.#copy(from, to, kind);
    this.#staged.put(from.real, { kind: "gone" });
    return { from, to };
  }

  /** Returns the kind of the entry at a place without links. */
  async kindAt(real: string): Promise<string> {
    const node = this.#staged.at(real);
    if (node !== null) return node.kind;
    const [entry] = await this.#disk.look(dirname(real), [basename(real)]).catch(() => [null]);
    if (entry !== null && entry !== undefined) return entry.kind;
    // The folder above a root may be unreadable, so if the entry can be listed, it is a folder.
    const listed = this.#disk.list(real, { offset: 0, limit: 1 });
    return listed.then(
      () => "directory",
      () => "gone",
    );
  }

  /** Returns the text of the file at a place; null if there is no text file of at most that size. */
  async textAt(place: Place, most: number): Promise<string | null> {
    if ((await this.kindAt(place.real)) !== "file") return null;
    return this.#readAt(place, most).then(
      ({ bytes }) => decodeText(bytes)?.text ?? null,
      () => null,
    );
  }

  async #readAt(place: Place, most: number, signal?: AbortSignal): Promise<FileBytes> {
    const { given: path } = place;
    const node = this.#staged.at(place.real);
    if (node === null) return this.#disk.read(path, most, signal);
    if (node.kind === "gone") throw new PathError("NOT_FOUND", { path });
    if (node.kind === "directory") throw new PathError("IS_A_DIRECTORY", { path });
    if (node.kind === "link") throw new PathError("NOT_A_FILE", { path });
    if (node.bytes.length <= most) return node;
    throw new PathError("FILE_TOO_LARGE", { path, bytes: node.bytes.length, maxBytes: most });
  }

  async #childrenOf({ given, real }: Place): Promise<Entry[]> {
    const all = { offset: 0, limit: Number.MAX_SAFE_INTEGER };
    const listed = this.#staged.at(real) === null ? (await this.#disk.list(given, all)).entries : [];
    const children = new Map(listed.map((entry) => [entry.name, entry]));
    for (const [name, node] of this.#staged.in(real)) {
      if (node.kind === "gone") children.delete(name);
      else if (node.kind === "file") children.set(name, { name, kind: "file", bytes: node.bytes.length });
      else children.set(name, { name, kind: node.kind });
    }
    return [...children.values()].toSorted(directoriesFirst);
  }

  /** Returns an entry and all entries below it; the entry itself comes first. */
  async #treeAt(place: Place, kind: string): Promise<readonly Place[]> {
    const found = [place];
    if (kind !== "directory") return found;
    for (const entry of await this.#childrenOf(place)) {
      const real = join(place.real, entry.name);
      found.push(...(await this.#treeAt({ given: real, real }, entry.kind)));
      if (found.length > maxEntries)
        throw new PathError("OS_ERROR", {
          path: place.given,
          errno: "E2BIG",
          problem: "too many entries to rehearse",
        });
    }
    return found;
  }

  async #makeAbove({ given, real }: Place): Promise<void> {
    const above = dirname(real);
    const kind = await this.kindAt(above);
    if (kind === "directory") return;
    if (kind !== "gone") throw new PathError("NOT_A_DIRECTORY", { path: given });
    await this.#makeAbove({ given, real: above });
    this.#staged.put(above, { kind: "directory" });
  }

  /** Stages a copy of an entry at a second place, with everything in it. */
  async #copy(from: Place, to: Place, kind: string): Promise<void> {
    const copies: [string, Node][] = [];
    for (const place of await this.#treeAt(from, kind))
      copies.push([to.real + place.real.slice(from.real.length), await this.#nodeAt(place)]);
    for (const [real, node] of copies) this.#staged.put(real, node);
  }

  async #nodeAt(place: Place): Promise<Node> {
    const kind = await this.kindAt(place.real);
    if (kind === "file") return this.#staged.fileOf((await this.#readAt(place, maxBytes)).bytes);
    if (kind === "directory") return { kind };
    const staged = this.#staged.at(place.real);
    if (staged !== null) return staged;
    const { snapshot } = await this.#disk.snapshot(place.real, { maxBytes: 4_096, folders: false });
    if (snapshot?.kind !== "link") throw new PathError("NOT_A_FILE", { path: place.given });
    return snapshot;
  }
}

function directoriesFirst(a: Entry, b: Entry): number {
  return Number(b.kind === "directory") - Number(a.kind === "directory") || (a.name < b.name ? -1 : 1);
}
