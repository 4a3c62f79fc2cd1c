import type { ToolInfo } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { stateFiles } from "../../src/host/secret-paths.ts";
import { describeBoot } from "../../src/host/status.ts";
import { findLooseDependencies, findLooseUses } from "../../src/mount/check-links.ts";
import { extensionUse, pathInPlan } from "../../src/mount/module-use.ts";
import { orderByNeeds } from "../../src/mount/order.ts";
import { createStepTimer } from "../../src/mount/step-times.ts";

describe("tools that call tools", () => {
  test("name an offered tool, or the nearest one is shown", () => {
    const use = (uses: object) => ({ entry: { uses, path: ["tools", 1] } });
    const modules = [
      use({ a: "look", b: "loook" }),
      use({ c: "zzz" }),
      { entry: null },
      { entry: { path: [] } },
    ];

    expect(
      findLooseUses(modules as never, new Set(["look"]), new Map()).map(({ path, message }) => [
        path,
        message,
      ]),
    ).toEqual([
      ["tools[1].uses.b", 'no tool is offered as "loook"; did you mean "look"?'],
      ["tools[1].uses.c", 'no tool is offered as "zzz"'],
    ]);
  });

  test("depend on a name of another tool, or on one that their entry maps", () => {
    const tool = (name: string, dependsOn: string[], more: object = {}) =>
      ({
        name,
        declaredName: `d_${name}`,
        aliases: [`a_${name}`],
        owner: "m",
        dependsOn,
        ...more,
      }) as unknown as ToolInfo;
    const tools = [tool("x", ["y", "d_y", "a_y", "gone", "mapped"]), tool("y", ["toString"], { owner: "n" })];
    const usesOf = (owner: string) => (owner === "m" ? { mapped: "y" } : undefined);

    expect(findLooseDependencies(tools, usesOf)).toEqual([
      { tool: "x", needs: "gone" },
      { tool: "y", needs: "toString" },
    ]);
  });
});

test("modules follow those that they need, and a circle ends where it is first met", () => {
  const use = (id: string, needs: string[] = [], provides: string[] = []) => ({
    id,
    resolution: { manifest: { needs, provides } },
  });
  const order = (...uses: object[]) =>
    orderByNeeds(uses as never).map((one) => (one as unknown as { id: string }).id);

  expect(order(use("a", ["x", "y"]), use("b", [], ["y"]), use("c", [], ["x"]), { id: "d" })).toEqual([
    "c",
    "b",
    "a",
    "d",
  ]);
  expect(order(use("a", ["x"], ["y"]), use("b", ["y"], ["x"]))).toEqual(["b", "a"]);
  expect(order(use("a", ["gone"]))).toEqual(["a"]);
});

test("the boot tree has each module once, below the first that needs it, and failed ones last", () => {
  const mounted = (id: string, needs: string[] = [], more: object = {}) => ({
    use: { id },
    needs,
    times: { mountMs: 1 },
    degraded: false,
    ...more,
  });
  const generation = {
    mounted: [
      mounted("a", ["b"]),
      mounted("b", ["c"]),
      mounted("c", ["b"]),
      mounted("d", ["b"], { degraded: true }),
      mounted("e", [], { isAsleep: () => true }),
      mounted("f", ["g"]),
      mounted("g", ["f"]),
    ],
    failed: [{ use: { id: "z" }, state: "skipped", times: {} }],
    kept: ["d"],
  };
  const shown = (entries: Readonly<ReturnType<typeof describeBoot>>): unknown =>
    entries.map(({ id, state, kept, needs }) => [
      `${id} ${state}${kept ? " kept" : ""}`,
      ...(shown(needs) as []),
    ]);

  expect(shown(describeBoot(generation as never))).toEqual([
    ["a mounted", ["b mounted", ["c mounted"]]],
    ["d degraded kept"],
    ["e sleeping"],
    ["f mounted", ["g mounted"]],
    ["z skipped"],
  ]);
});

test("the time of a step is that of its work, also when it fails", async () => {
  let now = 10;
  const timer = createStepTimer({ now: () => now } as never, { resolveMs: 3 });
  expect(await timer.measure("importMs", async () => (now += 5))).toBe(15);
  await expect(
    timer.measure("mountMs", async () => ((now += 7), Promise.reject(new Error("no")))),
  ).rejects.toThrow("no");

  expect(timer.times).toEqual({ resolveMs: 3, importMs: 5, mountMs: 7 });
});

test("a module that the plan's sections need has their place", () => {
  const use = extensionUse(
    "@toolmount/x",
    "a section",
    { path: ["audit"], configPath: ["policy"] },
    { a: 1 },
  );

  expect(use).toMatchObject({
    id: "@toolmount/x",
    section: "audit",
    source: { kind: "package", written: "@toolmount/x", names: ["@toolmount/x"] },
    required: true,
    inAmplifierPlan: false,
    neededFor: "a section",
    config: { a: 1 },
    entry: null,
    limits: {},
    broken: [],
  });
  expect(extensionUse("x", "y", { path: [], configPath: [] }).section).toBe("needs");
  expect(pathInPlan(use, ["level"])).toEqual(["policy", "level"]);
  expect(pathInPlan({ ...use, memberSections: ["audit"] }, ["audit", "mode"])).toEqual(["audit", "mode"]);
});

test.each<[unknown, readonly string[]]>([
  ["sqlite:./x.db", ["/p/x.db", "/p/x.db-wal", "/p/x.db-shm", "/p/x.db-journal"]],
  ["sqlite:/y", ["/y", "/y-wal", "/y-shm", "/y-journal"]],
  ["sqlite::memory:", []],
  ["sqlite:", []],
  ["memory", []],
  [{ sqlite: "x" }, []],
])("the files of the state %j are %j", (state, files) => {
  expect(stateFiles(state, "/p")).toEqual(files);
});
