// Four servers of one store behind a plain balancer, while one after the other is killed or ended and another one starts,
// and the plan changes: what clients get is what one server gives.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedPostgres } from "../../../store/test/postgres.ts";
import { endOneAfterTheOther, equalServers } from "../support/equal-servers.ts";
import { playOperations } from "../support/operations.ts";

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
beforeAll(async () => void (postgres = await sharedPostgres()));
afterAll(() => postgres.stop());

const count = Number(process.env["TOOLMOUNT_OPERATIONS"] ?? (process.env["TOOLMOUNT_LOAD"] === "full" ? 10_000 : 1_000));

test(`${count} operations at four servers give what they give at one`, async () => {
  const servers = await equalServers(await postgres.database("equal_servers"), 4);
  const stop = endOneAfterTheOther(servers, 4);
  const { differ, paid, unknown } = await playOperations(servers, count);
  const ended = await stop();
  process.stdout.write(`${count} operations, ${ended} servers ended, ${differ.length} differ, ${unknown.length} unknown\n`);
  expect(differ).toEqual([]);
  const isKnown = (mark: string) => !unknown.includes(mark);
  const all = await servers.paid();
  expect(new Set(all)).toHaveProperty("size", all.length);
  expect(all.filter(isKnown).toSorted()).toEqual(paid.toSorted());
});
