import type { ToolInfo } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import {
  acceptTools,
  compareLocks,
  isReplaced,
  makeLock,
  readLock,
  writeLock,
  type LockedTool,
  type PlanLock,
} from "../../src/plan/lock-file.ts";
import { workspace } from "../workspace.ts";

const lockOf = (tools: Record<string, Partial<LockedTool>>): PlanLock => ({
  version: 1,
  tools: Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, { digest: "d", module: "m", ...tool }]),
  ),
});
const differences = (before: Partial<LockedTool>, now: Partial<LockedTool>) =>
  compareLocks(lockOf({ t: before }), lockOf({ t: now })).map((change) => [
    change.change,
    change.differences,
  ]);

describe("a lock beside the tools of now", () => {
  test("names what is added, changed and removed, in the order of names", () => {
    const before = lockOf({ b: {}, gone: {}, same: {} });
    const now = lockOf({ same: {}, b: { digest: "e" }, a: {} });

    expect(compareLocks(before, now)).toEqual([
      { tool: "a", change: "added", now: now.tools["a"], differences: [] },
      { tool: "b", change: "changed", before: before.tools["b"], now: now.tools["b"], differences: [] },
      { tool: "gone", change: "removed", before: before.tools["gone"], differences: [] },
    ]);
    expect(compareLocks(undefined, now).map(({ change }) => change)).toEqual(["added", "added", "added"]);
    expect(compareLocks(before, before)).toEqual([]);
  });

  test.each<[string, Partial<LockedTool>, Partial<LockedTool>, readonly object[]]>([
    ["a version alone", { version: "1" }, { version: "2" }, []],
    ["files that were not locked", {}, { integrity: "i" }, []],
    [
      "other files",
      { integrity: "i" },
      { integrity: "j" },
      [["changed", [{ path: "integrity", before: "i", now: "j" }]]],
    ],
    ["files that are gone", { integrity: "i" }, {}, [["changed", [{ path: "integrity", before: "i" }]]]],
    ["another digest without definitions", { digest: "e" }, { definition: {} }, [["changed", []]]],
    [
      "another member",
      { digest: "e", definition: { a: { b: [1] }, c: 1 } },
      { definition: { a: { b: [2] }, c: 1 } },
      [["changed", [{ path: "a.b", before: [1], now: [2] }]]],
    ],
    [
      "a member that is new",
      { digest: "e", definition: {} },
      { definition: { a: null } },
      [["changed", [{ path: "a", now: null }]]],
    ],
    [
      "a member that is gone",
      { digest: "e", definition: { a: 1 } },
      { definition: {} },
      [["changed", [{ path: "a", before: 1 }]]],
    ],
    [
      "a milder member, and other files",
      { digest: "e", integrity: "i", definition: { category: "delete" } },
      { integrity: "j", definition: { category: "read" } },
      [
        [
          "changed",
          [
            { path: "category", before: "delete", now: "read", care: "less" },
            { path: "integrity", before: "i", now: "j" },
          ],
        ],
      ],
    ],
    [
      "a milder word deeper inside, which is not the tool's own",
      { digest: "e", definition: { x: { category: "delete" } } },
      { definition: { x: { category: "read" } } },
      [["changed", [{ path: "x.category", before: "delete", now: "read" }]]],
    ],
  ])("%s", (_title, before, now, found) => {
    expect(differences(before, now)).toEqual(found);
  });

  test("takes over the tools that are named, and no other", () => {
    const before = { ...lockOf({ a: {}, gone: {}, kept: {} }), files: { x: "1" } };
    const now = lockOf({ a: { digest: "e" }, kept: { digest: "e" }, fresh: {}, other: {} });

    expect(acceptTools(before, now, ["a", "gone", "fresh"])).toEqual({
      version: 1,
      tools: { a: now.tools["a"], kept: before.tools["kept"], fresh: now.tools["fresh"] },
      files: { x: "1" },
    });
  });

  test("mounts what the modules of accepted tools say now, and what others said before", () => {
    const before = { ...lockOf({ a: { module: "m" }, b: { module: "n" } }), definitions: { m: 1, n: 1 } };
    const now = {
      ...lockOf({ a: { module: "m", digest: "e" }, b: { module: "n", digest: "e" } }),
      definitions: { m: 2, n: 2 },
    };

    expect(acceptTools(before, now, ["a"]).definitions).toEqual({ m: 2, n: 1 });
  });

  test("knows whether a module's package was replaced", () => {
    const lock = lockOf({ a: { module: "m", integrity: "i" }, b: { module: "n" } });

    expect(isReplaced(lock, "m", "i")).toBe(false);
    expect(isReplaced(lock, "m", "j")).toBe(true);
    expect(isReplaced(lock, "m", undefined)).toBe(true);
    expect(isReplaced(lock, "n", "j")).toBe(false);
    expect(isReplaced(lock, "o", "j")).toBe(false);
  });
});

test("a lock has what a model and a person see of each tool, and no more members than there are", () => {
  const info = { name: "t", owner: "m", description: "T." } as unknown as ToolInfo;
  const made = makeLock([info], new Map([["m", { version: "1", integrity: "i" }]]), {
    definitions: { m: [1] },
    files: { "run.sh": "0" },
  });
  const digest = made.tools["t"]!.digest;

  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(made).toEqual({
    version: 1,
    tools: {
      t: { digest, module: "m", version: "1", integrity: "i", definition: { name: "t", description: "T." } },
    },
    definitions: { m: [1] },
    files: { "run.sh": "0" },
  });
  expect(makeLock([info], new Map())).toEqual({
    version: 1,
    tools: { t: { digest, module: "m", definition: { name: "t", description: "T." } } },
  });
});

test("a lock file is read as it was written, and refused with its problem", async () => {
  const { path, write } = await workspace({ "folder/x": "" });
  const file = path("plan.lock.json");
  const problemOf = async (name: string) => {
    const { details } = (await readLock(name).catch((thrown: unknown) => thrown)) as {
      details: { problems: readonly { message: string; line: number }[] };
    };
    return details.problems.map(({ message, line }) => `${line} ${message}`);
  };

  expect(await readLock(file)).toBeUndefined();
  await writeLock(file, () => lockOf({ a: {} }));
  expect(await readLock(file)).toEqual(lockOf({ a: {} }));
  await write({ "plan.lock.json": "{" });
  expect(await problemOf(file)).toEqual([
    "1 the lock file is not JSON; write it again with: toolmount lock --accept",
  ]);
  await write({ "plan.lock.json": `\ufeff${JSON.stringify(lockOf({ a: {} }))}` });
  expect(await readLock(file)).toEqual(lockOf({ a: {} }));
  await write({ "plan.lock.json": "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n" });
  expect(await problemOf(file)).toEqual([
    "1 the lock file has a merge conflict; merge both sides by name with: toolmount lock",
  ]);
  await write({ "plan.lock.json": "{}" });
  expect(await problemOf(file)).toEqual([
    "1 this is not a lock file of toolmount; write it again with: toolmount lock --accept",
  ]);
  expect(await problemOf(path("folder"))).toEqual(["1 the lock file cannot be read (EISDIR)"]);
});
