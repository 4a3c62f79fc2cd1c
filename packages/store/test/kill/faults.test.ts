import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { bundleProgram, type OneFile } from "../one-file.ts";
import { findBroken, finish, readNotes } from "./world.ts";

/** Every point of a run with TOOLMOUNT_LONG=1; else so many of each kind, spread over the run. */
const isLong = process.env["TOOLMOUNT_LONG"] === "1";
const points = 3;

/** What a host asks of the disk that its state is on. strace lets each fail as a broken or a full disk does. */
const asked = ["openat", "pwrite64", "fsync", "ftruncate", "unlink"] as const;

type Asked = (typeof asked)[number];

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

interface World {
  readonly url: string;
  readonly file: string;
  readonly notes: string;
  readonly log: string;
}

async function createWorld(): Promise<World> {
  const own = await mkdtemp(join(folder, "disk-"));
  const file = join(own, "state.db");
  return { url: `sqlite:${file}`, file, notes: await mkdtemp(join(own, "notes-")), log: join(own, "log") };
}

/** Runs a host of three rounds under strace. It may end in any way. */
async function runHost({ url, file, notes, log }: World, inject: readonly string[] = []): Promise<void> {
  const paths = ["", "-wal", "-journal", "-shm"].flatMap((end) => ["-P", `${file}${end}`]);
  const trace = ["-f", "-qq", "-o", log, "-e", `trace=${asked.join()}`, ...inject, ...paths];
  const program = [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    child.file,
    url,
    notes,
    "rounds",
  ];
  await promisify(execFile)("strace", [...trace, ...program], { env: child.env }).catch(
    (error: { readonly code?: unknown }) => {
      if (typeof error.code !== "number") throw error; // strace is not there
    },
  );
}

/** How often a run asks each thing of its disk. */
async function countAsked(world: World): Promise<ReadonlyMap<Asked, number>> {
  await runHost(world);
  const lines = (await readFile(world.log, "utf8")).split("\n");
  return new Map(
    asked.map((name) => [name, lines.filter((line) => line.includes(` ${name}(`)).length] as const),
  );
}

/** Numbers from 1 to `count`: all of them, or some that are as far apart as they can be. */
function spread(count: number): readonly number[] {
  if (isLong || count <= points) return Array.from({ length: count }, (_, at) => at + 1);
  return Array.from({ length: points }, (_, at) => 1 + Math.round((at * (count - 1)) / (points - 1)));
}

test.each([
  ["one answer of a broken disk", "EIO", ""],
  ["a disk that is full from then on", "ENOSPC", "+"],
])(
  "%s, at every step: nothing acknowledged is lost, nothing is done twice, the store can be read",
  isLong ? { timeout: 3_600_000 } : {},
  async (_, error, after) => {
    const counts = await countAsked(await createWorld());
    expect(Math.min(...counts.values())).toBeGreaterThan(0);
    let effects = 0;
    for (const name of asked)
      for (const at of spread(counts.get(name)!)) {
        const world = await createWorld();
        await runHost(world, ["-e", `inject=${name}:error=${error}:when=${at}${after}`]);
        await finish(child, world.url, world.notes);

        const store = await openStore(world.url);
        const notes = await readNotes(world.notes);
        const mayForget = after === "+";
        expect(await findBroken(notes, store, { mayForget }), `${name} ${at} of ${counts.get(name)}`).toEqual(
          [],
        );
        await store.close();
        const database = new DatabaseSync(world.file);
        expect(database.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
        database.close();
        effects += notes.effects.length;
      }
    expect(effects).toBeGreaterThan(0);
    process.stdout.write(
      `${error}: ${[...counts].map(([name, count]) => `${count} ${name}`).join(", ")}; ${effects} effects\n`,
    );
  },
);
