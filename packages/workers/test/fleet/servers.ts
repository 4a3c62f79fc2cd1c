import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort, noteService, sharedPostgres, startPostgres } from "../../../store/test/postgres.ts";

export { sharedPostgres, startPostgres };

/** A Redis server for one test file, on loopback, in memory. */
export interface RedisServer {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts the machine's Redis. */
export async function startRedis(given?: number): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-redis-"));
  const port = given ?? (await freePort());
  const server = spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
    { stdio: "ignore" },
  );
  await once(server, "spawn");
  noteService("Redis (redis-server of PATH)");
  const url = `redis://127.0.0.1:${port}`;
  await untilReady(url);
  return {
    url,
    process: server,
    async stop() {
      const ended = server.exitCode !== null || server.signalCode !== null ? undefined : once(server, "exit");
      server.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The client connects again until the server answers. */
async function untilReady(url: string): Promise<void> {
  const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on("error", () => undefined);
  await client.ping();
  client.disconnect();
}
