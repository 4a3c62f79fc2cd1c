// The short form of balanced.load.test.ts: two servers of one file.
import { expect, test } from "vitest";
import { playServers } from "../support/play-servers.ts";

test("operations at two servers give what they give at one, while one after the other ends", async () => {
  expect(await playServers("sqlite:./state.db", 2, 60)).toEqual({ differ: [], marks: [], crashed: [] });
});
