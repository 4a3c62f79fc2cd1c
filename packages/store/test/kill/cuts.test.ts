import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { bundleProgram, type OneFile } from "../one-file.ts";
import { startPostgres, type PostgresServer } from "../postgres.ts";
import { findBroken, finish, readNotes } from "./world.ts";

/** Every message of a run with TOOLMOUNT_LONG=1; else so many for each kind of cut, spread over the run. */
const isLong = process.env["TOOLMOUNT_LONG"] === "1";
const points = 4;

let child: OneFile;
let folder: string;
let server: PostgresServer;
let databases = 0;

beforeAll(async () => {
  server = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), "toolmount-cuts-"));
  child = await bundleProgram(join(import.meta.dirname, "child.ts"), { pg: import.meta.resolve("pg") });
});

afterAll(async () => {
  await child.remove();
  await rm(folder, { recursive: true, force: true });
  await server.stop();
});

/** `unsent`: before the server has the message. `unanswered`: when it has answered, and before the host knows. */
type Kind = "unsent" | "unanswered";

/** Passes a database on, and ends one connection at the n-th message of the host. */
async function startCutter(database: string, kind: Kind, message: number) {
  const target = new URL(database);
  const { hostname, port } = target;
  let seen = 0;
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    const end = () => void (near.destroy(), far.destroy());
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
    let isCut = false;
    const pass = (bytes: Buffer) => {
      if (++seen === message) isCut = true;
      if (isCut && kind === "unsent") end();
      else far.write(bytes);
    };
    near.on("data", splitMessages(pass));
    far.on("data", (bytes) => void (isCut ? end() : near.write(bytes)));
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  target.port = String((listener.address() as AddressInfo).port);
  return { url: target.href, seen: () => seen, close: () => void listener.close() };
}

/** Cuts what a client sends into the messages of Postgres: a type and a length; the first has only a length. */
function splitMessages(pass: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + 4) {
      const length = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < length) return;
      pass(rest.subarray(0, length));
      rest = rest.subarray(length);
      typeBytes = 1;
    }
  };
}

/** Runs a host of three rounds over a connection that is cut, and one that finishes over a good one. */
async function runCut(kind: Kind, message: number) {
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
