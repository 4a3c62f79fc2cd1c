import { silentLogger, type Logger } from "@toolmount/core";
import { expect, test } from "vitest";
import { readEffectivePlan } from "../../src/commands/index.ts";
import { openHost } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

test.each([
  ["entirely_else", 'no plan below has an entry "entirely_else" to change; there are: first, second'],
  ["secnd", 'no plan below has an entry "secnd" to change; did you mean "second"?'],
  ["x".repeat(128), `no plan below has an entry "${"x".repeat(100)}" to change`],
])("a change of the entry %s, which no part has, names those that there are", async (id, problem) => {
  const { path } = await workspace({
    "base.yaml": "tools: [{ module: first }, { module: ./m.ts, id: second }]",
    "plan.yaml": `extends: ./base.yaml\ntools:\n  - { id: ${id}, prefix: my_ }\n`,
  });
  const { problems } = await readEffectivePlan(path("plan.yaml"), { env: {} });

  expect(problems).toMatchObject([
    {
      code: "PLAN_VALUE_INVALID",
      message: expect.stringContaining(problem) as string,
      path: "tools[0]",
      line: 3,
      column: 11,
    },
  ]);
});

test("a plan below which no entries are says so", async () => {
  const { path } = await workspace({
    "base.yaml": "name: base",
    "plan.yaml": "extends: ./base.yaml\ntools: [{ id: gone }]",
  });
  const { problems } = await readEffectivePlan(path("plan.yaml"), { env: {} });

  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("there are: none")]);
});

test.each([
  [["ci"], {}, 1],
  [["ci"], { "plan.ci.lock.json": '{ "version": 1, "tools": {} }' }, 0],
  [undefined, {}, 0],
])(
  "with the overlays %j and the locks %j a plan that is locked warns %i times",
  async (overlays, files, count) => {
    const { path } = await workspace({
      "plan.yaml": "tools: []",
      "plan.ci.yaml": "name: ci",
      "plan.lock.json": '{ "version": 1, "tools": {} }',
      ...files,
    });
    const warned: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (_, message = "") => void warned.push(message),
      child: () => logger,
    };
    await using host = await openHost(path("plan.yaml"), { logger, overlays });

    expect(host.plan.file).toBe(path("plan.yaml"));
    expect(warned.filter((message) => message.includes("not with the overlays ci"))).toHaveLength(count);
  },
);
