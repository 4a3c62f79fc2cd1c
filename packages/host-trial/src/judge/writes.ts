import { createRequire, syncBuiltinESMExports } from "node:module";

type Method = (...given: unknown[]) => unknown;

/** Functions with which a host may write whole files or parts of them. Databases and sockets are added below. */
const writers: Readonly<Record<string, readonly string[]>> = {
  "node:fs": [
    "write writev writeFile appendFile rename fsync fdatasync unlink",
    "writeSync writevSync writeFileSync appendFileSync renameSync fsyncSync fdatasyncSync unlinkSync",
  ],
  "node:fs/promises": ["writeFile appendFile rename unlink"],
};

/** Counts the writes of this process, and can end the process at one of them. */
export class Writes {
  #count = 0;
  #last = Number.POSITIVE_INFINITY;

  /** Starts the count again. The process ends before it does the write with the number `dieAt`. */
  begin(dieAt = Number.POSITIVE_INFINITY): void {
    this.#count = 0;
    this.#last = dieAt;
  }

  get count(): number {
    return this.#count;
  }

  /** Makes every function that writes count first. Modules that were imported earlier are affected, too. */
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
    // Older releases of Node have no node:sqlite.
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

/** Ends this process like a crash: nothing more is written, and no handler runs. */
export function die(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("killed");
}
