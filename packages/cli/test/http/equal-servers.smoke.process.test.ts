// The smallest form of equal-servers.load.test.ts: two servers of one file.
import { expect, test } from "vitest";
import { playServers } from "../support/play-servers.ts";

test("22 operations at two servers give what they give at one", async () => {
  expect(await playServers("sqlite:./state.db", 2, 22)).toEqual({ differ: [], marks: [], crashed: [] });
});
