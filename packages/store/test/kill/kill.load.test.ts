import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { bundleProgram, type OneFile } from "../one-file.ts";
import { sharedPostgres } from "../postgres.ts";
import { findBroken, finish, killOne, moments, readNotes } from "./world.ts";

/** Hosts to kill: 500 together, or 2,000 of each kind with TOOLMOUNT_LONG=1. */
const isLong = process.env["TOOLMOUNT_LONG"] === "1";
const kills = { sqlite: isLong ? 2_000 : 440, postgres: isLong ? 2_000 : 60 };

let child: OneFile;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolmount-kill-"));
  child = await bundleProgram(join(import.meta.dirname, "child.ts"), { pg: import.meta.resolve("pg") });
  await finish(child, `sqlite:${join(folder, "first.db")}`, await mkdtemp(join(folder, "first-")));
});

afterAll(async () => {
  await child.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Numbers that look random and are the same each time. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ;) yield (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Kills hosts that share a store, one after another, at random points. */
async function killMany(url: string, count: number, seed: number) {
  const notes = await mkdtemp(join(folder, "notes-"));
  const random = numbers(seed);
  for (let at = 0; at < count; at++) {
    const moment = moments[at % moments.length]!;
    await killOne(child, url, notes, { moment, ms: random.next().value! * 15 });
  }
  await finish(child, url, notes);
  const store = await openStore(url);
  const broken = await findBroken(await readNotes(notes), store);
  await store.close();
  return { broken, notes: await readNotes(notes) };
}

test(`SQLite: ${kills.sqlite} hosts killed: nothing acknowledged is lost, nothing is done twice, every store can be read`, async () => {
  const urls = [0, 1].map((at) => `sqlite:${join(folder, `state-${at}.db`)}`);
  const runs = await Promise.all(urls.map((url, at) => killMany(url, kills.sqlite / 2, 7 + at)));
  for (const [at, { broken, notes }] of runs.entries()) {
    expect(broken).toEqual([]);
    const database = new DatabaseSync(urls[at]!.slice("sqlite:".length));
    expect(database.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    database.close();
    process.stdout.write(
      `SQLite: ${notes.decisions.length} decisions, ${notes.effects.length} effects, ${unknownOf(notes)} unknown\n`,
    );
  }
  expect(runs.flatMap(({ notes }) => notes.effects).length).toBeGreaterThanOrEqual(
    leastEffects(kills.sqlite),
  );
});

test(`Postgres: ${kills.postgres} hosts killed: the same`, async () => {
  const server = await sharedPostgres();
  try {
    const { broken, notes } = await killMany(await server.database("kill"), kills.postgres, 3);
    expect(broken).toEqual([]);
    expect(notes.effects.length).toBeGreaterThanOrEqual(leastEffects(kills.postgres));
    process.stdout.write(
      `Postgres: ${notes.decisions.length} decisions, ${notes.effects.length} effects, ${unknownOf(notes)} unknown\n`,
    );
  } finally {
    await server.stop();
  }
});

/**
 * Effects that are there however slow the machine is: each host that is killed after its first effect wrote one. A busy
 * machine has few more, because the other hosts end before their first.
 */
function leastEffects(count: number): number {
  return Math.floor(count / moments.length);
}

function unknownOf(notes: Awaited<ReturnType<typeof readNotes>>): number {
  return notes.ends.filter(([, status]) => status === "unknown").length;
}
