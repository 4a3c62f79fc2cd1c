import { afterAll, beforeAll } from "vitest";
import { describeContract } from "../call-contract.ts";
import { fleetWorld } from "./fleet-world.ts";
import { startPostgres, startRedis, type RedisServer } from "./servers.ts";

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let redis: RedisServer;
let databases = 0;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
});

afterAll(async () => {
  await redis.stop();
  await postgres.stop();
});

const engines = {
  Postgres: () => ({}),
  Redis: () => ({ engine: redis.url }),
};

for (const [name, engine] of Object.entries(engines))
  describeContract(
    `a call on a fleet over ${name}, in the worker`,
    async (options) => {
      const database = await postgres.database(`contract${++databases}`);
      return fleetWorld({ database, run: engine() }, options);
    },
    { stopsBlocked: false },
  );
