// Servers of one Postgres behind a plain balancer, while one after the other is killed or ended, another one starts, and the
// plan changes: what clients get is what one server gives.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedPostgres } from "../../../store/test/postgres.ts";
import { playServers } from "../support/play-servers.ts";

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
beforeAll(async () => void (postgres = await sharedPostgres()));
afterAll(() => postgres.stop());

const count = process.env["TOOLMOUNT_LOAD"] === "full" ? 10_000 : 1_000;

test(
  `${count} operations at four servers give what they give at one`,
  async () => {
    const state = await postgres.database("equal_servers");
    expect(await playServers(state, 4, count)).toEqual({ differ: [], marks: [], crashed: [] });
  },
  4 * 3_600_000,
);
