import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { startCutter, type Cut } from "../cutter.ts";
import { bundleProgram, type OneFile } from "../one-file.ts";
import { sharedPostgres, type SharedPostgres } from "../postgres.ts";
import { findBroken, finish, readNotes } from "./world.ts";

/** Every message of a run with TOOLMOUNT_LONG=1; else so many for each kind of cut, spread over the run. */
const isLong = process.env["TOOLMOUNT_LONG"] === "1";
const points = 4;

let child: OneFile;
let folder: string;
let server: SharedPostgres;
let databases = 0;

beforeAll(async () => {
  server = await sharedPostgres();
  folder = await mkdtemp(join(tmpdir(), "toolmount-cuts-"));
  child = await bundleProgram(join(import.meta.dirname, "child.ts"), { pg: import.meta.resolve("pg") });
});

afterAll(async () => {
  await child.remove();
  await rm(folder, { recursive: true, force: true });
  await server.stop();
});

/** Runs a host of three rounds over a connection that is cut, and one that finishes over a good one. */
async function runCut(kind: Cut, message: number) {
  const database = await server.database(`cut${++databases}`);
  const notes = await mkdtemp(join(folder, "notes-"));
  const cutter = await startCutter(database, kind, message);
  const words = [cutter.url, notes, "rounds"];
  const host = fork(child.file, words, { stdio: ["ignore", "ignore", "ignore", "ipc"], env: child.env });
  await once(host, "exit");
  cutter.close();
  await finish(child, database, notes);
  const store = await openStore(database);
  const read = await readNotes(notes);
  const broken = await findBroken(read, store);
  await store.close();
  return { broken, seen: cutter.seen(), effects: read.effects.length };
}

test.each(["unsent", "unanswered"] as const)(
  "a connection that ends at the n-th message, %s: nothing acknowledged is lost, nothing is done twice",
  isLong ? { timeout: 3_600_000 } : {},
  async (kind) => {
    const { seen } = await runCut(kind, Number.POSITIVE_INFINITY);
    const count = isLong ? seen : points;
    let effects = 0;
    for (let at = 0; at < count; at++) {
      const message = 1 + Math.round((at * (seen - 1)) / (count - 1));
      const run = await runCut(kind, message);
      expect(run.broken, `message ${message} of about ${seen}`).toEqual([]);
      effects += run.effects;
    }
    expect(effects).toBeGreaterThan(0);
    process.stdout.write(`Postgres, ${kind}: ${count} cuts at about ${seen} messages, ${effects} effects\n`);
  },
);
