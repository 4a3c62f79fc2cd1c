// Servers of one Postgres behind a plain balancer, while one after the other is killed or ended, another one starts, and the
// plan changes: what clients get is what one server gives.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedPostgres } from "../../../store/test/postgres.ts";
import { playServers } from "../support/play-servers.ts";
import { endServer, serverGroup } from "../support/server-group.ts";

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
beforeAll(async () => void (postgres = await sharedPostgres()));
afterAll(() => postgres.stop());

const count = process.env["TOOLMOUNT_LOAD"] === "full" ? 10_000 : 120;

test(
  `${count} operations at four servers give what they give at one`,
  async () => {
    const state = await postgres.database("equal_servers");
    expect(await playServers(state, 4, count)).toEqual({ differ: [], marks: [], crashed: [] });
  },
  4 * 3_600_000,
);

test("one, two and four servers of one store answer every call; how many a second is printed", async () => {
  const calls = 600;
  for (const size of [1, 2, 4]) {
    const { start, tokens } = await serverGroup(await postgres.database(`servers_${size}`));
    const servers = await Promise.all(Array.from({ length: size }, start));
    const ask = async (at: number) => {
      const body = { tool: "look", arguments: {}, sessionId: `s${at % 8}` };
      const { ask: post } = servers[at % size]!;
      return (await post("POST", "/calls", body, { as: tokens.call })).body["status"];
    };
    const play = async (many: number) => {
      let next = 0;
      const statuses: unknown[] = [];
      const work = async () => {
        while (next < many) statuses.push(await ask(next++));
      };
      await Promise.all(Array.from({ length: 16 }, work));
      return statuses;
    };
    await play(100); // their code is compiled
    const begun = performance.now();
    expect(new Set(await play(calls))).toEqual(new Set(["ok"]));
    const rate = Math.round((calls / (performance.now() - begun)) * 1_000);
    process.stdout.write(`${size} servers: ${rate} calls a second\n`);
    await Promise.all(servers.map((server) => endServer(server, "SIGTERM")));
  }
});
