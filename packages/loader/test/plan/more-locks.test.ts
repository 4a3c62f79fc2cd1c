import { silentLogger } from "@toolmount/core";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import { lockPlan } from "../../src/commands/index.ts";
import { mergeParts } from "../../src/plan/merge-parts.ts";
import { commandHookSchema } from "../../src/plan/command-hook-schema.ts";
import { entrySchema, modesSchema, planSchema } from "../../src/plan/schema.ts";
import { workspace } from "../workspace.ts";

describe("tools that are accepted by their names", () => {
  const look = {
    name: "look",
    description: "Looks. Use in tests.",
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema: z.strictObject({}),
    execute: () => ({ data: 1 }),
  };
  const options = { logger: silentLogger, extensions: { m: { mount: () => [look] } } };

  test("need a lock file, and differ from it", async () => {
    const { path } = await workspace({ "plan.yaml": "tools: [{ module: m }]" });
    const accept = (names: readonly string[]) => lockPlan(path("plan.yaml"), { ...options, accept: names });
    const refused = (problem: string) => ({ code: "USAGE_INVALID", details: { problem } });

    await expect(accept(["look"])).rejects.toMatchObject(
      refused(`${path("plan.lock.json")} does not exist; write it with toolmount lock`),
    );
    await lockPlan(path("plan.yaml"), options);
    await expect(accept(["look"])).rejects.toMatchObject(
      refused('no tool or module "look" differs from the lock file; these do: none'),
    );
  });

  test("of a plan that code gives have no file to be locked in", async () => {
    await expect(lockPlan({ tools: [] } as never, options)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: {
        option: "plan",
        problem: "the plan was given as a value; only the file of a plan can be locked",
      },
    });
  });
});

test.each<[string, object, readonly unknown[], number]>([
  [
    "a command with an id is added",
    { id: "new", command: "x" },
    [
      { id: "a", module: "m" },
      { id: "new", command: "x" },
    ],
    0,
  ],
  [
    "a module with an id is added",
    { id: "new", module: "n" },
    [
      { id: "a", module: "m" },
      { id: "new", module: "n" },
    ],
    0,
  ],
  [
    "an id alone changes an entry",
    { id: "a", config: { b: 1 } },
    [{ id: "a", module: "m", config: { b: 1 } }],
    0,
  ],
  ["an id that is not there changes nothing", { id: "b", config: {} }, [{ id: "a", module: "m" }], 1],
  [
    "what is not there cannot be removed",
    { id: "b", module: "n", remove: true },
    [{ id: "a", module: "m" }],
    1,
  ],
])("of two parts, %s", (_title, above, hooks, problems) => {
  const part = (value: object) => ({ role: "base", file: "x", folder: "/", value, map: new Map() });
  const parts = [part({ hooks: [{ id: "a", module: "m" }] }), part({ hooks: [above] })];
  const combined = mergeParts({ parts: parts as never, problems: [] });

  expect(combined.value["hooks"]).toEqual(hooks);
  expect(combined.problems).toHaveLength(problems);
});

/** All descriptions in a JSON Schema. */
function descriptionsIn(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, inner]: [string, unknown]) =>
    key === "description" && typeof inner === "string" ? [inner] : descriptionsIn(inner),
  );
}

test.each([
  ["an entry", entrySchema],
  ["a plan", planSchema],
  ["modes", modesSchema],
  ["a command of hooks", commandHookSchema],
])("editors show a sentence for the keys of %s", (_title, schema) => {
  const descriptions = descriptionsIn(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));

  expect(descriptions.length).toBeGreaterThan(0);
  expect(descriptions.filter((text) => !/[.…]$/.test(text))).toEqual([]);
});
