// Four servers of one Postgres behind a plain balancer, while one after the other is killed or ended, another one starts, and
// the plan changes: what clients get is what one server gives.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedPostgres } from "../../../store/test/postgres.ts";
import { playServers } from "../support/play-servers.ts";

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
beforeAll(async () => void (postgres = await sharedPostgres()));
afterAll(() => postgres.stop());

const count = 10_000;

// It has not held yet: of a kill in the middle of an undo, or of a call of a modern client, `playOperations` does not know that
// one server would give the same, and a run of 1,000 hung at its end. balanced.load.test.ts has two servers and holds.
test.runIf(process.env["TOOLMOUNT_LOAD"] === "full")(
  `${count} operations at four servers give what they give at one`,
  async () => {
    expect(await playServers(await postgres.database("equal_servers"), 4, count)).toEqual({
      differ: [],
      marks: [],
      crashed: [],
    });
  },
);
