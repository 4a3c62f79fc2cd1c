import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { brokenDisks, faultsOf, runOnDisk, timeout, type DiskProgram } from "../faulty-disk.ts";
import { bundleProgram, type OneFile } from "../one-file.ts";
import { findBroken, finish, readNotes } from "./world.ts";

/** What a host asks of the disk that its state is on. */
const calls = ["openat", "pwrite64", "fsync", "ftruncate", "unlink"];

let child: OneFile;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolmount-faults-"));
  child = await bundleProgram(join(import.meta.dirname, "child.ts"), { pg: import.meta.resolve("pg") });
});

afterAll(async () => {
  await child.remove();
  await rm(folder, { recursive: true, force: true });
});

/** A host of three rounds, with a state of its own. */
async function createWorld() {
  const own = await mkdtemp(join(folder, "disk-"));
  const [file, notes] = [join(own, "state.db"), await mkdtemp(join(own, "notes-"))];
  const url = `sqlite:${file}`;
  const words = ["--disable-warning=ExperimentalWarning", child.file, url, notes, "rounds"];
  const paths = ["", "-wal", "-journal", "-shm"].map((end) => `${file}${end}`);
  return { url, file, notes, program: { words, paths, env: child.env } satisfies DiskProgram };
}

test.each(brokenDisks)(
  "%s, at every step: nothing acknowledged is lost, nothing is done twice, the store can be read",
  timeout,
  async (_, disk) => {
    const whole = await runOnDisk((await createWorld()).program, calls);
    expect(Math.min(...whole.asked.values())).toBeGreaterThan(0);
    let effects = 0;
    for (const fault of faultsOf(whole, disk, 3)) {
      const { program, url, file, notes: place } = await createWorld();
      await runOnDisk(program, calls, fault);
      await finish(child, url, place);

      const store = await openStore(url);
      const notes = await readNotes(place);
      expect(await findBroken(notes, store, { mayForget: disk.stays }), JSON.stringify(fault)).toEqual([]);
      await store.close();
      const database = new DatabaseSync(file);
      expect(database.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
      database.close();
      effects += notes.effects.length;
    }
    expect(effects).toBeGreaterThan(0);
    const counts = [...whole.asked].map(([name, count]) => `${count} ${name}`).join(", ");
    process.stdout.write(`${disk.error}: ${counts}; ${effects} effects\n`);
  },
);
