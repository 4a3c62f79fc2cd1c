import { afterAll, beforeAll } from "vitest";
import { describeContract } from "../call-contract.ts";
import { fleetWorld } from "./fleet-world.ts";
import { sharedPostgres, startRedis, type RedisServer } from "./servers.ts";

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
let redis: RedisServer;
let databases = 0;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([sharedPostgres(), startRedis()]);
});

afterAll(async () => {
  await redis.stop();
  await postgres.stop();
});

const engines = {
  Postgres: () => ({}),
  Redis: () => ({ engine: redis.url }),
};

/** Where a worker runs calls: in itself, or in processes behind a border. */
const borders = [
  undefined,
  "none",
  "permission",
  "bubblewrap",
  ...(process.env["TOOLMOUNT_LOAD"] === "full" ? ["srt"] : []),
] as const;

for (const [name, engine] of Object.entries(engines))
  for (const border of borders)
    describeContract(
      `a call on a fleet over ${name}, ${border === undefined ? "in the worker" : `in a process with ${border}`}`,
      async (options) => {
        const database = await postgres.database(`contract${++databases}`);
        return fleetWorld(
          { database, run: { ...engine(), ...(border !== undefined && { border }) } },
          options,
        );
      },
      { stopsBlocked: border !== undefined },
    );
