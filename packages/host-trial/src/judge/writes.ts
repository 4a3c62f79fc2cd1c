import { createRequire, syncBuiltinESMExports } from "node:module";

type Method = (...given: unknown[]) => unknown;

/** What a host may write with: whole files, parts of them, databases of Node, and sockets. */
const writers: Readonly<Record<string, readonly string[]>> = {
  "node:fs": [
    "write writev writeFile appendFile rename fsync fdatasync unlink",
    "writeSync writevSync writeFileSync appendFileSync renameSync fsyncSync fdatasyncSync unlinkSync",
  ],
  "node:fs/promises": ["writeFile appendFile rename unlink"],
};

/** Counts what this process writes, and can end it at one of these writes. */
export class Writes {
  #count = 0;
  #last = Number.POSITIVE_INFINITY;

  /** Counts from now on; the process ends before it does the write of this number. */
  begin(dieAt = Number.POSITIVE_INFINITY): void {
    this.#count = 0;
    this.#last = dieAt;
  }

  get count(): number {
    return this.#count;
  }

  /** Puts a counter before everything that writes. Modules that were imported before see it, too. */
  async watch(): Promise<void> {
    const require = createRequire(import.meta.url);
    for (const [module, names] of Object.entries(writers))
      this.#wrap(require(module) as object, names.join(" ").split(" "));
    const { open } = await import("node:fs/promises");
    const file = await open(process.execPath);
    this.#wrap(
      Object.getPrototypeOf(file) as object,
      "write writev writeFile appendFile sync datasync".split(" "),
    );
    await file.close();
    const { Socket } = await import("node:net");
    this.#wrap(Socket.prototype, ["write"]);
    // Older releases of Node have no database.
    const sqlite = await import("node:sqlite").catch(() => null);
    if (sqlite !== null) this.#wrap(sqlite.DatabaseSync.prototype, ["exec"]);
    if (sqlite !== null) this.#wrap(sqlite.StatementSync.prototype, ["run"]);
    syncBuiltinESMExports();
  }

  #wrap(owner: object, names: readonly string[]): void {
    const methods = owner as Record<string, Method | undefined>;
    const note = () => this.#note();
    for (const name of names) {
      const method = methods[name];
      if (method === undefined) continue;
      methods[name] = function counted(this: unknown, ...given) {
        note();
        return method.apply(this, given);
      };
    }
  }

  #note(): void {
    this.#count += 1;
    if (this.#count >= this.#last) die();
  }
}

/** Ends this process as a crash does: nothing more is written, no handler runs. */
export function die(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("killed");
}
