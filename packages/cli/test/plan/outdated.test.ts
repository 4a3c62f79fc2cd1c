import { expect, test } from "vitest";
import { filterOutdated } from "../../src/install/find-outdated.ts";

test.each([
  ["1.2.0", "1.10.0", true],
  ["1.10.0", "1.2.0", false],
  ["1.0.0", "1.0.0", false],
  ["1.0.0", "1.0.0-rc.1", false],
  ["a1b2", "c3d4", true],
  ["a1b2", "a1b2", false],
  ["1.0.0", "a1b2", true],
  [undefined, "1.0.0", false],
  ["1.0.0", undefined, false],
])("whether %s is older than the newest, %s: %s", async (installed, latest, isOld) => {
  const age = { entries: ["a"], name: "a", installed, wanted: latest, latest } as never;

  expect(await filterOutdated([age])).toEqual(isOld ? [age] : []);
});
