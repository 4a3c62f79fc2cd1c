import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStore } from "@toolmount/testing/vitest";
import { afterAll, beforeAll } from "vitest";
import { openStore, type OpenStore } from "../src/index.ts";
import { sharedPostgres, type SharedPostgres } from "./postgres.ts";

let folder: string;
let server: SharedPostgres;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolmount-store-"));
  server = await sharedPostgres();
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function openTwice(url: string): Promise<readonly [OpenStore, OpenStore]> {
  return Promise.all([openStore(url, { audit: "durable" }), openStore(url, { audit: "durable" })]);
}

describeStore({
  title: "a store in SQLite",
  open: () => openTwice(`sqlite:${join(folder, `${++count}.db`)}`),
});

describeStore({
  title: "a store in Postgres",
  open: async () => openTwice(await server.database(`test_${++count}`)),
});
